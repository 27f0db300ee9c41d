import type { ModelSpace } from '../store/kept-work.js';
import type { Scope } from '../store/scope.js';

/** Of 1 536 dimensions: some 5 000. */
const MAX_BYTES = 32 * 1024 * 1024;

/** By scope and model, then by hash. */
type Generation = Map<string, Map<string, Float32Array>>;

/**
 * Vectors that this process embedded lately, so that a passage which many documents of an owner repeat (a licence, a
 * letterhead) is embedded once, and so is a document that failed and comes again. Looking it up costs no command of the
 * database; an index of all chunks by owner and hash would cost every write of every document. A scope finds only what the
 * same scope embedded: another one would learn who has the same text.
 *
 * Two generations, and what was not used while the younger one filled up goes with the older: a map that is kept in order
 * of use, as is usual, took 9 µs for each new vector, most of them to find its oldest; this takes 1.7.
 */
export class RecentVectors {
  readonly #generationBytes: number;
  #young: Generation = new Map();
  #old: Generation = new Map();
  #youngBytes = 0;
  readonly #coming: Map<string, Map<string, Arrival>> = new Map();

  constructor(maxBytes = MAX_BYTES) {
    this.#generationBytes = maxBytes / 2;
  }

  /** A view for one scope and model. */
  of({ owner, agents }: Scope, { provider, model, dimensions }: ModelSpace): RecentVectorsOf {
    const realm = JSON.stringify([owner, agents && [...agents].sort(), provider, model, dimensions]);
    return {
      recall: (hash) => {
        const vector = this.#young.get(realm)?.get(hash);
        if (vector !== undefined) return vector;
        const older = this.#old.get(realm)?.get(hash);
        if (older !== undefined) this.#remember(realm, hash, older);
        return older;
      },
      remember: (hash, vector) => this.#remember(realm, hash, vector),
      coming: (hash) => this.#coming.get(realm)?.get(hash)?.promise,
      announce: (hash) => {
        const coming = within(this.#coming, realm);
        if (!coming.has(hash)) coming.set(hash, arrival());
      },
      settle: (hash) => {
        const coming = this.#coming.get(realm);
        coming?.get(hash)?.settle();
        coming?.delete(hash);
        if (coming?.size === 0) this.#coming.delete(realm);
      },
    };
  }

  #remember(realm: string, hash: string, vector: Float32Array): void {
    const vectors = within(this.#young, realm);
    if (vectors.has(hash)) return;
    vectors.set(hash, vector);
    this.#youngBytes += vector.byteLength;
    if (this.#youngBytes < this.#generationBytes) return;
    this.#old = this.#young;
    this.#young = new Map();
    this.#youngBytes = 0;
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

function within<V>(realms: Map<string, Map<string, V>>, realm: string): Map<string, V> {
  const known = realms.get(realm);
  if (known !== undefined) return known;
  const made = new Map<string, V>();
  realms.set(realm, made);
  return made;
}
