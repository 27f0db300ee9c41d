import type { ItemResult } from '../../store/jobs/job-records.js';

/** How long a result may wait for others to be written with it: progress is seen several times a second. */
const LINGER_MS = 150;
/** So many are written at once without waiting. */
const ENOUGH = 250;
/** After a write that failed. */
const PAUSE_MS = 1_000;

/**
 * Writes results a bunch at a time, one write after the other. One that fails is tried again until it succeeds or its
 * items are dropped: a result is lost with the process only, and then the item is run again.
 */
export class ResultWriter {
  readonly #write: (results: readonly ItemResult[]) => Promise<void>;
  readonly #onError: (error: unknown) => void;
  readonly #waiting = new Map<string, ItemResult>();
  #writing: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(write: (results: readonly ItemResult[]) => Promise<void>, onError: (error: unknown) => void) {
    this.#write = write;
    this.#onError = onError;
  }

  add(result: ItemResult): void {
    this.#waiting.set(result.itemId, result);
    if (this.#waiting.size >= ENOUGH) this.#start();
    else this.#wakeAfter(LINGER_MS);
  }

  /** The item is somebody else's now. */
  drop(itemId: string): void {
    this.#waiting.delete(itemId);
  }

  /** Writes all there is; one failure and it gives up, since leases end by themselves. */
  async flush(): Promise<void> {
    await this.#writing;
    this.#stopTimer();
    await this.#writeOnce();
    this.#stopTimer();
  }

  #start(): void {
    this.#stopTimer();
    this.#writing ??= this.#writeOnce().finally(() => {
      this.#writing = null;
      if (this.#waiting.size > 0) this.#wakeAfter(this.#waiting.size >= ENOUGH ? 0 : LINGER_MS);
    });
  }

  async #writeOnce(): Promise<void> {
    const results = [...this.#waiting.values()];
    if (results.length === 0) return;
    try {
      await this.#write(results);
      for (const result of results)
        if (this.#waiting.get(result.itemId) === result) this.#waiting.delete(result.itemId);
    } catch (error) {
      this.#onError(error);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  #wakeAfter(ms: number): void {
    if (this.#writing === null) this.#timer ??= setTimeout(() => this.#start(), ms);
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
