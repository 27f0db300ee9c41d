import type { Embedder } from '../embed/embedder.js';
import type { KeptWork } from '../store/kept-work.js';
import type { Scope } from '../store/scope.js';
import { type CountedString, embedStrings } from './embed-strings.js';
import { KeepAsTheyArrive } from './keep-as-they-arrive.js';
import type { RecentVectors, RecentVectorsOf } from './recent-vectors.js';

/** Up to here strings go to a provider in one request: as they come in or fail together, keeping them gains nothing. */
export const ONE_REQUEST = 32;

/**
 * Where one upsert gets its vectors of one space: from the process's memory, and for more strings than one request takes
 * from what an attempt that ended early kept in the database; then from the provider, keeping what arrives likewise.
 * An embedder that answers at once leaves the database alone.
 */
export class SpaceVectors {
  readonly #embedder: Embedder;
  readonly #store: KeptWork;
  readonly #scope: Scope;
  readonly #recent: RecentVectorsOf | null;
  readonly #mayKeep: boolean;
  /** All that is known, by hash; over the attempts of one upsert. */
  readonly #known = new Map<string, Float32Array>();
  /** Of those, the ones that nobody was paid for now. */
  readonly #recalled = new Set<string>();
  /** What may lie in the database. */
  readonly #kept = new Set<string>();

  constructor(
    parts: { readonly store: KeptWork; readonly recentVectors: RecentVectors | null },
    scope: Scope,
    embedder: Embedder,
    options: { readonly mayKeep: boolean } = { mayKeep: true },
  ) {
    this.#embedder = embedder;
    this.#store = parts.store;
    this.#scope = scope;
    this.#recent = parts.recentVectors?.of(scope, embedder.space) ?? null;
    this.#mayKeep = options.mayKeep && !embedder.isInstant;
  }

  /** Looks the strings up. Embeds nothing. */
  async recall(strings: ReadonlyMap<string, CountedString>): Promise<void> {
    const unknown: string[] = [];
    for (const hash of strings.keys()) {
      if (this.#known.has(hash)) continue;
      const vector = this.#recent?.recall(hash);
      if (vector === undefined) unknown.push(hash);
      else this.#note(hash, vector);
    }
    if (!this.#keeps(strings.size)) return;
    for (const hash of strings.keys()) this.#kept.add(hash);
    if (unknown.length === 0) return;
    const kept = await this.#store.keptVectors(this.#scope, this.#embedder.space, unknown);
    for (const [hash, vector] of kept) this.#note(hash, vector);
  }

  /** Whether the vector was there before this upsert asked for it. */
  isRecalled(hash: string): boolean {
    return this.#recalled.has(hash);
  }

  /** Every string's vector. What arrived before a failure is not asked for again, by whichever attempt comes next. */
  async embed(
    strings: ReadonlyMap<string, CountedString>,
    options: { readonly signal?: AbortSignal; readonly onProgress?: (done: number, total: number) => void },
  ): Promise<ReadonlyMap<string, Float32Array>> {
    const keeper = this.#keeps(strings.size)
      ? new KeepAsTheyArrive<Float32Array>((vectors) =>
          this.#store.keepVectors(this.#scope, this.#embedder.space, vectors),
        )
      : null;
    try {
      const vectors = await embedStrings(strings, this.#embedder, {
        ...options,
        cache: this.#known,
        onVector: (hash, vector) => {
          this.#recent?.remember(hash, vector);
          keeper?.add(hash, vector);
        },
      });
      await keeper?.stop();
      return vectors;
    } catch (error) {
      await keeper?.keepAll();
      throw error;
    }
  }

  /** The version is stored: what was kept for it goes. What a crash leaves expires. */
  async release(): Promise<void> {
    if (this.#kept.size > 0) await this.#store.dropKeptVectors(this.#scope, this.#embedder.space, [...this.#kept]);
    this.#kept.clear();
  }

  #keeps(count: number): boolean {
    return this.#mayKeep && count > ONE_REQUEST;
  }

  #note(hash: string, vector: Float32Array): void {
    this.#known.set(hash, vector);
    this.#recalled.add(hash);
  }
}
