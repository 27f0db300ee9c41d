import type { Output } from './output.js';

/** What has been done so far, out of what. */
export interface Progress {
  readonly filesDone: number;
  readonly files: number;
  readonly bytesDone: number;
  readonly bytes: number;
  readonly chunks: number;
  readonly elapsedMs: number;
}

const BAR_CELLS = 24;
/** Redrawing more often than the eye can follow costs time. */
const REDRAW_MS = 100;
/** Where nobody watches, a line now and then is enough. */
const LINE_MS = 5_000;

/** Draws progress on a terminal, or prints plain lines. `update` may be called as often as one likes. */
export function makeProgress(
  { redraw, err }: Pick<Output, 'redraw' | 'err'>,
  now: () => number = () => performance.now(),
) {
  const ticker = makeTicker({ err, ...(redraw && { redraw }) }, now);
  return {
    update: (progress: Progress): void => ticker.update(() => (redraw ? barLine : plainLine)(progress)),
    clear: ticker.clear,
  };
}

export function barLine(progress: Progress): string {
  const cells = Math.round(share(progress) * BAR_CELLS);
  return `[${'█'.repeat(cells)}${'░'.repeat(BAR_CELLS - cells)}] ${plainLine(progress)}`;
}

export function plainLine(progress: Progress): string {
  const { filesDone, files, chunks, elapsedMs } = progress;
  const perSecond = elapsedMs > 0 ? chunks / (elapsedMs / 1000) : 0;
  const done = share(progress);
  const left = done > 0 && done < 1 ? `, ${duration((elapsedMs * (1 - done)) / done)} left` : '';
  return `${filesDone}/${files} files, ${chunks} chunks, ${perSecond.toFixed(perSecond < 10 ? 1 : 0)} chunks/s${left}`;
}

/** By size: files differ too much for their number to say how long the rest takes. */
function share({ bytesDone, bytes, filesDone, files }: Progress): number {
  if (bytes > 0) return bytesDone / bytes;
  return files > 0 ? filesDone / files : 1;
}

export function duration(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** The same pace for any line; the line is made only when it is shown. */
export function makeTicker(
  { redraw, err }: Pick<Output, 'redraw' | 'err'>,
  now: () => number = () => performance.now(),
) {
  let drawnAt = redraw ? Number.NEGATIVE_INFINITY : now();
  return {
    update(line: () => string): void {
      if (now() - drawnAt < (redraw ? REDRAW_MS : LINE_MS)) return;
      drawnAt = now();
      (redraw ?? err)(line());
    },
    /** Leaves the terminal's line for whatever is printed next. */
    clear(): void {
      redraw?.('');
    },
  };
}

export function byteCount(bytes: number): string {
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(bytes < 10_000 ? 1 : 0)} KB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(2)} GB`;
}
