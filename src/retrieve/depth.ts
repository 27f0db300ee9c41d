/** How deep a search looks. All pure, all in one place. */

/** The server's own limit, of `numCandidates` and of a `$vectorSearch`'s `limit`. */
export const MAX_CANDIDATES = 10_000;
const LEAST_CANDIDATES = 200;
/** MongoDB's advice is at least 20 candidates for each hit wanted. */
const CANDIDATES_PER_HIT = 20;

/** Hits that one search ranks: its pages walk these, then end. */
export function rankingSize(first: number): number {
  return Math.min(200, Math.max(50, 4 * first));
}

/** An index may return hits that re-validation drops: a leg asks for some more, and for four times more with each step. */
export const MAX_ROUNDS = 3;
const SPARE = 1.2;
const GROWTH = 4;

/** `hits` and some more, for those that will turn out to be gone. */
export function withSpare(hits: number): number {
  return Math.ceil(hits * SPARE);
}

/**
 * What a leg asks for after so many steps down (the first round takes none), so that `wanted` hits are left. Hits that one
 * document may have too many of are dropped by the dozen: such a search starts a step deeper.
 */
export function legLimit(wanted: number, steps: number, maxPerDocument?: number): number {
  const depth = maxPerDocument === undefined ? steps : steps + 1;
  return Math.min(MAX_CANDIDATES, withSpare(wanted) * GROWTH ** depth);
}

/** Never below the limit that is sent, which the server refuses; raised to that when the caller asked for less. */
export function effectiveCandidates(first: number, limit: number, asked: number | undefined): number {
  const wanted = asked ?? Math.max(LEAST_CANDIDATES, CANDIDATES_PER_HIT * first);
  return Math.min(MAX_CANDIDATES, Math.max(wanted, limit, 1));
}
