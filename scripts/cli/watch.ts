import { type FSWatcher, watch } from 'node:fs';
import { CliFailure } from './failure.js';

/** Editors write in several steps, and copies of folders in thousands: a pass waits until it is quiet. */
const QUIET_MS = 300;

/**
 * Tells of changes below the folders, once it is quiet again after them; ends with the signal. What changes while a pass
 * runs is told right after it. Throws `CliFailure` where the system cannot watch.
 */
export async function* changesBelow(folders: readonly string[], signal: AbortSignal): AsyncGenerator<void> {
  let isDirty = false;
  let wake: () => void = () => {};
  let timer: NodeJS.Timeout | undefined;
  let failure: unknown = null;
  const notice = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      isDirty = true;
      wake();
    }, QUIET_MS);
  };
  const watchers: FSWatcher[] = [];
  const stop = () => wake();
  signal.addEventListener('abort', stop);
  try {
    for (const folder of folders) {
      const watcher = watch(folder, { recursive: true }, notice);
      watcher.on('error', (error) => {
        failure = error;
        wake();
      });
      watchers.push(watcher);
    }
    while (!signal.aborted) {
      if (!isDirty)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      if (failure !== null) throw failure;
      if (signal.aborted) return;
      isDirty = false;
      yield;
    }
  } catch (error) {
    throw error instanceof CliFailure
      ? error
      : new CliFailure(`The folders cannot be watched: ${(error as Error).message}`);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    for (const watcher of watchers) watcher.close();
  }
}
