import type { ModelSpace } from '../store/kept-work.js';
import type { Scope } from '../store/scope.js';

/** Of 1 536 dimensions: some 5 000. */
const MAX_BYTES = 32 * 1024 * 1024;

/**
 * Vectors that this process embedded lately, so that a passage which many documents of an owner repeat (a licence, a
 * letterhead) is embedded once, and so is a document that failed and comes again. Looking it up costs no command of the
 * database; an index of all chunks by owner and hash would cost every write of every document. The longest unused are
 * forgotten first. A scope finds only what the same scope embedded: another one would learn who has the same text.
 */
export class RecentVectors {
  readonly #vectors = new Map<string, Float32Array>();
  readonly #coming = new Map<string, Arrival>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** A view for one scope and model. */
  of({ owner, agents }: Scope, { provider, model, dimensions }: ModelSpace): RecentVectorsOf {
    const realm = JSON.stringify([owner, agents && [...agents].sort(), provider, model, dimensions]);
    return {
      recall: (hash) => this.#recall(realm + hash),
      remember: (hash, vector) => this.#remember(realm + hash, vector),
      coming: (hash) => this.#coming.get(realm + hash)?.promise,
      announce: (hash) => {
        if (!this.#coming.has(realm + hash)) this.#coming.set(realm + hash, arrival());
      },
      settle: (hash) => this.#settle(realm + hash),
    };
  }

  #recall(key: string): Float32Array | undefined {
    const vector = this.#vectors.get(key);
    if (vector === undefined) return undefined;
    this.#vectors.delete(key);
    this.#vectors.set(key, vector);
    return vector;
  }

  #remember(key: string, vector: Float32Array): void {
    if (this.#vectors.has(key)) return;
    this.#vectors.set(key, vector);
    this.#bytes += vector.byteLength;
    for (const [oldest, { byteLength }] of this.#vectors) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#vectors.delete(oldest);
      this.#bytes -= byteLength;
    }
  }

  #settle(key: string): void {
    this.#coming.get(key)?.settle();
    this.#coming.delete(key);
  }
}

export interface RecentVectorsOf {
  recall(hash: string): Float32Array | undefined;
  remember(hash: string, vector: Float32Array): void;
  /** Settles when whoever announced the vector has it, or has given up; undefined: nobody did. */
  coming(hash: string): Promise<void> | undefined;
  /** Says that the caller embeds it; it must `settle` it, whatever happens. */
  announce(hash: string): void;
  settle(hash: string): void;
}

interface Arrival {
  readonly promise: Promise<void>;
  readonly settle: () => void;
}

function arrival(): Arrival {
  let settle: () => void = () => {};
  const promise = new Promise<void>((resolve) => {
    settle = resolve;
  });
  return { promise, settle };
}
