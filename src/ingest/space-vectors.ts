import { setTimeout as sleep } from 'node:timers/promises';
import type { Embedder } from '../embed/embedder.js';
import type { KeptWork } from '../store/kept-work.js';
import type { Scope } from '../store/scope.js';
import { type CountedString, embedStrings } from './embed-strings.js';
import { KeepAsTheyArrive } from './keep-as-they-arrive.js';
import type { RecentVectors, RecentVectorsOf } from './recent-vectors.js';

/** Up to here strings go to a provider in one request: as they come in or fail together, keeping them gains nothing. */
const ONE_REQUEST = 32;
/** For a vector that another upsert said it embeds; it may be the last of a hundred thousand. */
const LONGEST_WAIT_MS = 10_000;

type Strings = ReadonlyMap<string, CountedString>;
interface EmbedOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
}

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
  /** However few there are, and before anything else is done with them. */
  readonly #keepsAll: boolean;
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
    options: { readonly mayKeep: boolean; readonly keepsAll?: boolean } = { mayKeep: true },
  ) {
    this.#embedder = embedder;
    this.#store = parts.store;
    this.#scope = scope;
    this.#recent = parts.recentVectors?.of(scope, embedder.space) ?? null;
    this.#mayKeep = options.mayKeep && !embedder.isInstant;
    this.#keepsAll = options.keepsAll ?? false;
  }

  /** Looks the strings up. Embeds nothing. */
  async recall(strings: Strings): Promise<void> {
    const unknown = this.#recallRecent(strings);
    if (!this.#keeps(strings)) return;
    for (const hash of strings.keys()) this.#kept.add(hash);
    if (unknown.length === 0) return;
    const kept = await this.#store.keptVectors(this.#scope, this.#embedder.space, unknown);
    for (const [hash, vector] of kept) this.#note(hash, vector);
  }

  /** Whether the vector was there, or came, without this upsert asking a provider for it. */
  isRecalled(hash: string): boolean {
    return this.#recalled.has(hash);
  }

  /** Every string's vector. What arrived before a failure is not asked for again, by whichever attempt comes next. */
  async embed(strings: Strings, options: EmbedOptions): Promise<ReadonlyMap<string, Float32Array>> {
    const recent = this.#embedder.isInstant ? null : this.#recent;
    for (let isPatient = true; isPatient && recent !== null; ) {
      // Another upsert may be at the same passage: all the rest first, so that two never wait for each other.
      const others = this.#recallRecent(strings).filter((hash) => recent.coming(hash) !== undefined);
      if (others.length === 0) break;
      await this.#ask(without(strings, new Set(others)), options);
      isPatient = await cameInTime(others, recent, options.signal);
    }
    return await this.#ask(strings, options);
  }

  /** The version is stored: what was kept for it goes. What a crash leaves expires. */
  async release(): Promise<void> {
    if (this.#kept.size > 0) await this.#store.dropKeptVectors(this.#scope, this.#embedder.space, [...this.#kept]);
    this.#kept.clear();
  }

  /** Asks the provider for what is not known, telling other upserts of it. */
  async #ask(strings: Strings, options: EmbedOptions): Promise<ReadonlyMap<string, Float32Array>> {
    const unknown = [...strings.keys()].filter((hash) => !this.#known.has(hash));
    const announced = this.#embedder.isInstant ? [] : unknown;
    for (const hash of announced) this.#recent?.announce(hash);
    const keeper = this.#keeps(strings)
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
          this.#recent?.settle(hash);
          keeper?.add(hash, vector);
        },
      });
      if (this.#keepsAll) await keeper?.keepAll();
      await keeper?.stop();
      return vectors;
    } catch (error) {
      await keeper?.keepAll();
      throw error;
    } finally {
      for (const hash of announced) this.#recent?.settle(hash);
    }
  }

  /** Returns the hashes whose vectors are not known. */
  #recallRecent(strings: Strings): string[] {
    const unknown: string[] = [];
    for (const hash of strings.keys()) {
      if (this.#known.has(hash)) continue;
      const vector = this.#recent?.recall(hash);
      if (vector === undefined) unknown.push(hash);
      else this.#note(hash, vector);
    }
    return unknown;
  }

  #keeps(strings: Strings): boolean {
    return this.#mayKeep && (this.#keepsAll || strings.size > ONE_REQUEST);
  }

  #note(hash: string, vector: Float32Array): void {
    this.#known.set(hash, vector);
    this.#recalled.add(hash);
  }
}

/** A group goes as a whole or not at all. */
function without(strings: Strings, hashes: ReadonlySet<string>): Strings {
  const groups = new Set([...hashes].flatMap((hash) => strings.get(hash)?.group ?? []));
  const stays = ([hash, { group }]: readonly [string, CountedString]): boolean =>
    !hashes.has(hash) && (group === undefined || !groups.has(group));
  return new Map([...strings].filter(stays));
}

/** Whether all of them were settled, well or not, before one has waited too long. Rejects with the signal's reason. */
async function cameInTime(
  hashes: readonly string[],
  recent: RecentVectorsOf,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const enough = new AbortController();
  const ends = signal === undefined ? enough.signal : AbortSignal.any([signal, enough.signal]);
  const settled = Promise.all(hashes.map((hash) => recent.coming(hash))).then(() => true);
  const tooLate = sleep(LONGEST_WAIT_MS, false, { signal: ends }).catch(() => {
    signal?.throwIfAborted();
    return true;
  });
  try {
    return await Promise.race([settled, tooLate]);
  } finally {
    enough.abort();
  }
}
