/** So many are written at once; fewer, once the first of them has waited. */
const ENOUGH = 32;
const LONGEST_WAIT_MS = 1_000;

/**
 * Writes what a provider delivers beside the work that goes on, one write after the other: each takes all that has
 * arrived since the one before. A write that fails costs a later attempt its head start and nothing else.
 */
export class KeepAsTheyArrive<T> {
  readonly #write: (batch: ReadonlyMap<string, T>) => Promise<void>;
  #waiting = new Map<string, T>();
  #writing: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #wrote = false;

  constructor(write: (batch: ReadonlyMap<string, T>) => Promise<void>) {
    this.#write = write;
  }

  /** Whether anything was handed to the database. */
  get wrote(): boolean {
    return this.#wrote;
  }

  add(key: string, value: T): void {
    this.#waiting.set(key, value);
    if (this.#writing !== null) return;
    // not at once: a provider delivers a batch one by one
    if (this.#waiting.size === ENOUGH) queueMicrotask(() => this.#start());
    else this.#timer ??= setTimeout(() => this.#start(), LONGEST_WAIT_MS);
  }

  /** The work failed: everything that arrived is written before this returns. */
  async keepAll(): Promise<void> {
    this.#start();
    await this.#writing;
  }

  /** The work is done: what is not written yet need not be. Returns when no write is under way. */
  async stop(): Promise<void> {
    this.#waiting.clear();
    this.#stopTimer();
    await this.#writing;
  }

  #start(): void {
    this.#stopTimer();
    if (this.#writing === null && this.#waiting.size > 0) this.#writing = this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.size > 0) {
      const batch = this.#waiting;
      this.#waiting = new Map();
      this.#wrote = true;
      try {
        await this.#write(batch);
      } catch {
        // The vectors are in memory still; a database that is away will be heard of when the version is written.
      }
    }
    this.#writing = null;
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
