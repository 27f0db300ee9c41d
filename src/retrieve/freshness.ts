import type { Scope } from '../store/scope.js';
import type { Budget, FreshQuery, IndexKind, LegAnswer, SearchStore } from '../store/search/search-store.js';

/** A caller finds what it wrote in this time even while the indexes lag behind. */
export const FRESH_MS = 60_000;
/** More than so many chunks are not scored one by one: the search says OVERLAY_SKIPPED. */
export const MAX_FRESH = 1_000;
/**
 * So long, a scope with too many fresh chunks is not looked at again: reading a thousand ids takes longer than ten searches,
 * and while a job writes on they stay too many.
 */
const BULK_PAUSE_MS = 10_000;
const MAX_BULK_SCOPES = 1_000;
/** Ids remembered as indexed, so that each is asked about once. Emptied when full. */
const MAX_KNOWN = 50_000;

export interface Freshness {
  /** For the legs of one search: what is fresh is asked once. A later search asks anew, since its caller may have written. */
  forSearch(): FreshnessReader;
}

export interface FreshnessReader {
  /** Sends a leg. The first of a search brings what is fresh along, so that asking for it costs no round trip. */
  send(scope: Scope, leg: (fresh?: FreshQuery) => Promise<LegAnswer>, budget: Budget): Promise<LegAnswer>;
  /** The caller's fresh chunks that an index does not return yet; null when there are too many fresh ones to tell. */
  read(scope: Scope, index: IndexKind, budget: Budget): Promise<FreshChunks | null>;
}

export interface FreshChunks {
  readonly unindexed: readonly string[];
  /** Found in the index only now: a search that was sent before may have missed them. */
  readonly justIndexed: readonly string[];
}

const NONE: FreshChunks = { unindexed: [], justIndexed: [] };

export function createFreshness(search: SearchStore, now: () => Date): Freshness {
  // Rows leave an index only with their chunk, so "indexed" stays true as long as the id means anything.
  const known = new Map<string, Set<string>>();
  const knownOf = (index: IndexKind) => {
    const name = index.kind === 'TEXT' ? 'text' : index.space.id;
    const set = known.get(name);
    if (set !== undefined && set.size <= MAX_KNOWN) return set;
    const empty = new Set<string>();
    known.set(name, empty);
    return empty;
  };

  const bulkUntil = new Map<string, number>();
  const isBulk = (scope: Scope): boolean => now().getTime() < (bulkUntil.get(keyOf(scope)) ?? 0);
  const freshQuery = (): FreshQuery => ({ since: new Date(now().getTime() - FRESH_MS), limit: MAX_FRESH });
  const noted = (scope: Scope, fresh: readonly string[] | null): readonly string[] | null => {
    if (bulkUntil.size >= MAX_BULK_SCOPES) bulkUntil.clear();
    if (fresh === null) bulkUntil.set(keyOf(scope), now().getTime() + BULK_PAUSE_MS);
    return fresh;
  };
  const freshIds = async (scope: Scope, budget: Budget): Promise<readonly string[] | null> =>
    isBulk(scope) ? null : noted(scope, await search.freshChunkIds(scope, freshQuery(), budget));

  const reader = (): FreshnessReader => {
    let asked: Promise<readonly string[] | null> | undefined;
    return {
      async send(scope, leg, budget) {
        if (asked !== undefined || isBulk(scope)) return await leg();
        const sent = leg(freshQuery());
        asked = sent.then(
          ({ freshIds }) => noted(scope, freshIds),
          // The other leg still wants to know.
          () => freshIds(scope, budget),
        );
        asked.catch(() => {});
        return await sent;
      },
      async read(scope, index, budget) {
        asked ??= freshIds(scope, budget);
        return await lookUp(await asked, scope, index, budget);
      },
    };
  };

  async function lookUp(
    fresh: readonly string[] | null,
    scope: Scope,
    index: IndexKind,
    budget: Budget,
  ): Promise<FreshChunks | null> {
    if (fresh === null) return null;
    const seen = knownOf(index);
    const unknown = fresh.filter((id) => !seen.has(id));
    if (unknown.length === 0) return NONE;
    const indexed = await search.indexedAmong(scope, index, unknown, budget);
    for (const id of indexed) seen.add(id);
    return { unindexed: unknown.filter((id) => !indexed.has(id)), justIndexed: [...indexed] };
  }

  return { forSearch: reader };
}

function keyOf({ owner, agents }: Scope): string {
  return JSON.stringify([owner, agents]);
}
