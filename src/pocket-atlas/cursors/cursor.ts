import { CommandError } from '../errors.js';
import { Lock } from '../sessions/lock.js';
import { rawElementBytes } from '../wire/raw-document.js';

/** A reply holds at most one document more than this. */
const BATCH_BYTES_MAX = 16 * 1024 * 1024;
/** Rows that a cursor copies out of a view, so that the view can go. */
const COPIED_BYTES_MAX = 64 * 1024 * 1024;

/** Encoded documents in chunks; never an empty chunk. Closing it early is fine. */
export type Results = AsyncIterator<readonly Uint8Array[], void, void>;

export interface CursorOwner {
  readonly sessionId: string | undefined;
  /** Of the transaction it was opened in. */
  readonly txnNumber: bigint | undefined;
}

/** The rest of a result that a client reads in batches. Documents wait here only between two batches. */
export class Cursor {
  readonly namespace: string;
  readonly owner: CursorOwner;
  lastUsedAt = 0;
  /** One reader at a time. */
  readonly lock = new Lock();
  /** Rows handed out so far. */
  handedOut = 0;
  /** When its view was taken, ms since 1970; undefined when it holds none (any more). */
  viewSince: number | undefined;

  #results: Results | undefined;
  #waiting: Uint8Array[] = [];
  #next = 0;
  #release: (() => void) | undefined;
  #failure: CommandError | undefined;
  readonly #rowsMax: number;

  constructor(options: {
    readonly namespace: string;
    readonly owner: CursorOwner;
    readonly results: Results;
    /** Gives back the view that `results` reads from; called once. */
    readonly release?: () => void;
    readonly viewSince?: number;
    /** The limit of the query: after as many rows nothing can follow. */
    readonly rowsMax?: number;
  }) {
    this.#rowsMax = options.rowsMax ?? Infinity;
    this.namespace = options.namespace;
    this.owner = options.owner;
    this.#results = options.results;
    this.#release = options.release;
    this.viewSince = options.viewSince;
  }

  /** True once there is certainly nothing left. */
  get exhausted(): boolean {
    if (this.handedOut >= this.#rowsMax) return true;
    return this.#results === undefined && !this.hasWaiting && this.#failure === undefined;
  }

  /** Documents that are known to follow. */
  get hasWaiting(): boolean {
    return this.#next < this.#waiting.length;
  }

  /**
   * Up to `count` documents and 16 MB. A batch with fewer documents than asked for is the last one, except where the
   * bytes were the limit.
   */
  async take(count: number): Promise<Uint8Array[]> {
    const batch: Uint8Array[] = [];
    let bytes = 0;
    while (batch.length < count) {
      if (this.#next >= this.#waiting.length && !(await this.#refill())) break;
      const document = this.#waiting[this.#next]!;
      const size = rawElementBytes(batch.length, document);
      if (batch.length > 0 && bytes + size > BATCH_BYTES_MAX) break;
      batch.push(document);
      bytes += size;
      this.#next += 1;
    }
    this.handedOut += batch.length;
    return batch;
  }

  /** Copies the rest out of the view and gives the view back. */
  async detach(): Promise<void> {
    if (this.#results === undefined || this.#release === undefined) return;
    const copied = this.#waiting.slice(this.#next);
    let bytes = copied.reduce((sum, document) => sum + document.length, 0);
    try {
      for (let step = await this.#results.next(); step.done !== true; step = await this.#results.next()) {
        for (const document of step.value) {
          bytes += document.length;
          copied.push(document);
        }
        if (bytes > COPIED_BYTES_MAX) {
          throw new CommandError(
            292,
            `The rest of this cursor is larger than ${COPIED_BYTES_MAX} bytes, which is what Pocket Atlas keeps for a cursor that is read slowly. Read it faster, project fewer fields or narrow the filter.`,
          );
        }
      }
      this.#results = undefined;
    } catch (error) {
      // What was copied may still be read; then the reader learns why there is no more.
      this.#failure = error instanceof CommandError ? error : new CommandError(1, String(error));
      await this.#results?.return?.();
      this.#results = undefined;
    }
    this.#waiting = copied;
    this.#next = 0;
    this.#giveBack();
  }

  async close(): Promise<void> {
    const results = this.#results;
    this.#results = undefined;
    this.#waiting = [];
    this.#next = 0;
    this.#failure = undefined;
    try {
      await results?.return?.();
    } finally {
      this.#giveBack();
    }
  }

  async #refill(): Promise<boolean> {
    this.#waiting = [];
    this.#next = 0;
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#results === undefined) return false;
    const step = await this.#results.next();
    if (step.done === true) {
      this.#results = undefined;
      this.#giveBack();
      return false;
    }
    this.#waiting = [...step.value];
    return true;
  }

  #giveBack(): void {
    const release = this.#release;
    this.#release = undefined;
    this.viewSince = undefined;
    release?.();
  }
}
