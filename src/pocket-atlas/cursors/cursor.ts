import { CommandError } from '../errors.js';
import { Lock } from '../sessions/lock.js';
import { elementBytes } from './cursor-reply.js';

/** A reply holds at most one document more than this. */
const BATCH_BYTES_MAX = 16 * 1024 * 1024;
/** A cursor holds its view no longer than this, since a view pins the pages of the file; nor for as many rows. */
const VIEW_HELD_MS_MAX = 1_000;
const VIEW_ROWS_MAX = 1_000;
/** What a snapshot cursor copies out of its view, so that the view can go. */
const COPIED_BYTES_MAX = 64 * 1024 * 1024;

/** Encoded documents in chunks; never an empty chunk. Closing it early is fine. */
export type Results = AsyncIterator<readonly Uint8Array[], void, void>;

export interface CursorOwner {
  readonly sessionId: string | undefined;
  /** Of the transaction it was opened in. */
  readonly txnNumber: bigint | undefined;
}

/** The view that the results are read from. */
export interface Lease {
  readonly heldSince: number | undefined;
  suspend(): void;
}

/** Whoever reads just now says when to stop: the command that opened a cursor may be long over. */
export interface Interruption {
  check: () => void;
}

/** The rest of a result that a client reads in batches. Documents wait here only between two batches. */
export class Cursor {
  readonly namespace: string;
  readonly owner: CursorOwner;
  readonly isKept: boolean;
  lastUsedAt = 0;
  /** One reader at a time. */
  readonly lock = new Lock();
  /** Rows handed out so far. */
  handedOut = 0;

  #results: Results | undefined;
  #waiting: Uint8Array[] = [];
  #next = 0;
  readonly #lease: Lease;
  readonly #interruption: Interruption;
  readonly #isSnapshot: boolean;
  #handedOutBefore = 0;
  #failure: CommandError | undefined;
  readonly #rowsMax: number;

  constructor(options: {
    readonly namespace: string;
    readonly owner: CursorOwner;
    readonly results: Results;
    readonly lease: Lease;
    readonly interruption: Interruption;
    /** Its rows are to be of one moment, also when its view has to go. */
    readonly isSnapshot: boolean;
    /** The limit of the query: after as many rows nothing can follow. */
    readonly rowsMax?: number;
    /** `noCursorTimeout`: it lives as long as its session. */
    readonly isKept?: boolean;
  }) {
    this.isKept = options.isKept === true;
    this.#rowsMax = options.rowsMax ?? Infinity;
    this.namespace = options.namespace;
    this.owner = options.owner;
    this.#results = options.results;
    this.#lease = options.lease;
    this.#interruption = options.interruption;
    this.#isSnapshot = options.isSnapshot;
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
  async take(count: number, checkInterrupted: () => void): Promise<Uint8Array[]> {
    this.#interruption.check = checkInterrupted;
    try {
      return await this.#take(count);
    } finally {
      this.#interruption.check = () => {};
    }
  }

  async #take(count: number): Promise<Uint8Array[]> {
    const batch: Uint8Array[] = [];
    let bytes = 0;
    while (batch.length < count) {
      if (this.#next >= this.#waiting.length && !(await this.#refill())) break;
      const document = this.#waiting[this.#next]!;
      const size = elementBytes(batch.length, document);
      if (batch.length > 0 && bytes + size > BATCH_BYTES_MAX) break;
      batch.push(document);
      bytes += size;
      this.#next += 1;
    }
    this.handedOut += batch.length;
    return batch;
  }

  /** Whether its view has been held for long, or for many rows. */
  holdsViewTooLong(now: number): boolean {
    const { heldSince } = this.#lease;
    if (heldSince === undefined) return false;
    return now - heldSince >= VIEW_HELD_MS_MAX || this.handedOut - this.#handedOutBefore >= VIEW_ROWS_MAX;
  }

  /** Gives its view back: the rest comes from a newer one, or, of a snapshot, out of a copy. */
  async detach(): Promise<void> {
    this.#handedOutBefore = this.handedOut;
    if (this.#isSnapshot) await this.#copyRest();
    this.#lease.suspend();
  }

  async #copyRest(): Promise<void> {
    if (this.#results === undefined) return;
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
            `The rest of this snapshot cursor is larger than ${COPIED_BYTES_MAX} bytes, which is what Pocket Atlas keeps for a cursor that is read slowly. Read it faster, project fewer fields or narrow the filter.`,
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
      this.#lease.suspend();
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
      this.#lease.suspend();
      return false;
    }
    this.#waiting = [...step.value];
    return true;
  }
}
