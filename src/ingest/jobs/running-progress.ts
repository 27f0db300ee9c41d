import type { ItemProgress, JobProgress } from '../../store/jobs/job-records.js';
import type { HeldItem } from './held-items.js';

/** Items that take less are told of by their end. */
const LONG_MS = 500;

interface Running {
  readonly held: HeldItem;
  readonly since: number;
  /** Null: it has said nothing, and perhaps never will. */
  progress: ItemProgress | null;
}

/** How far the items are that run for long, of each job the one that has run longest. */
export class RunningProgress {
  /** In the order begun. */
  readonly #running = new Map<HeldItem, Running>();
  /** Jobs that show something now. */
  #shown = new Set<string>();

  begun(held: HeldItem, now = performance.now()): void {
    this.#running.set(held, { held, since: now, progress: null });
  }

  reached(held: HeldItem, progress: ItemProgress): void {
    const running = this.#running.get(held);
    if (running !== undefined) running.progress = progress;
  }

  ended(held: HeldItem): void {
    this.#running.delete(held);
  }

  /** What is to be shown by job; null where what was shown before is over. */
  notes(at: Date, now = performance.now()): ReadonlyMap<string, JobProgress | null> {
    const notes = new Map<string, JobProgress | null>();
    for (const { held, since, progress } of this.#running.values()) {
      const jobId = held.batch.job.id;
      if (progress === null || now - since < LONG_MS || notes.has(jobId)) continue;
      notes.set(jobId, { item: held.item.name, phase: progress.phase, done: progress.done, total: progress.total, at });
    }
    const shown = new Set(notes.keys());
    for (const jobId of this.#shown) if (!notes.has(jobId)) notes.set(jobId, null);
    this.#shown = shown;
    return notes;
  }
}
