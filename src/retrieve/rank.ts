import type { ChunkRecord } from '../store/records.js';
import type { Revalidated } from '../store/search/search-store.js';
import { type Candidate, type Candidates, toCandidates } from './candidates.js';
import { legLimit, MAX_ROUNDS, rankingSize } from './depth.js';
import { type LegRuns, type Run, runLegs } from './run.js';
import { passingOverUnseen } from './unseen.js';

/** A candidate that is still there, in scope and in the filter. */
export interface Ranked extends Candidate {
  readonly chunk: ChunkRecord;
  /** null: not read (yet). */
  readonly text: string | null;
}

export interface Ranking {
  /** Best first, `maxPerDocument` not yet applied. */
  readonly live: readonly Ranked[];
  /** What follows them in the legs' order and was not looked at: enough was live before. */
  readonly unjudged: readonly Candidate[];
  readonly staleDropped: number;
  /** Of the last round. */
  readonly legs: LegRuns;
  readonly candidates: Candidates;
  /** What re-validation said of every candidate that it looked at. */
  readonly states: ReadonlyMap<string, Revalidated>;
}

export interface RankOptions {
  /** Candidates that are ranked. HYBRID always ranks as many as its pages can walk, since fusion depends on it. */
  readonly depth: number;
  /** Hits that must be live. */
  readonly need: number;
  /** How many of the best come with their text. */
  readonly withText: number;
}

/** Candidates looked at together; more than needed, since some will be dropped. */
const SPARE = 1.25;
const LEAST_BATCH = 10;
const GROWTH = 4;
/** More than a few deletions and new versions of a moment ago leave. */
const MANY_STALE = 10;
/** What one read looks at: ids of 12 bytes and rows without text. */
const LARGEST_BATCH = 1_000;

/**
 * The best hits (fewer than needed where there are no more): legs, fusion, re-validation in order, and again with deeper
 * legs while too much was dropped, three rounds at most. Where something is being stored or removed at this moment, and so
 * comes up in vain, it is passed over: from the second round on, in the searches that follow from the first.
 */
export async function rank(given: Run, { depth, need, withText }: RankOptions): Promise<Ranking> {
  let run = given.unseen.isLikely(given.scope) ? await passingOverUnseen(given) : given;
  const { first, maxPerDocument, minSimilarity } = run.request;
  const states = new Map<string, Revalidated>();
  const wanted = Math.max(depth, need, run.mode === 'HYBRID' ? rankingSize(first) : 0);
  let returnedBefore = -1;
  for (let round = 0, steps = 0; ; round++) {
    const legs = await runLegs(run, legLimit(wanted, steps, maxPerDocument));
    const candidates = toCandidates(hitsOf(legs), {
      mode: run.mode,
      weights: run.weights,
      fusion: run.fusion,
      measure: run.space.similarity,
      ...(minSimilarity !== undefined && { minSimilarity }),
    });
    const { live, unjudged } = await judge(run, candidates.ranked, need, withText, states);
    const staleDropped = staleAmong(states);
    if (staleDropped >= MANY_STALE) given.unseen.note(given.scope, true);
    const isEnough = round === MAX_ROUNDS - 1 || capped(live, maxPerDocument).length >= need;
    const returned = (legs.vector?.hits.length ?? 0) + (legs.text?.hits.length ?? 0);
    if (isEnough || (await isExhausted(run, legs, returned, returnedBefore, live.length)))
      return { live, unjudged, staleDropped, legs, candidates, states };
    returnedBefore = returned;
    steps++;
    const before = run;
    if (round === 0 && run === given && staleDropped > 0) run = await passingOverUnseen(given);
    if (run !== before) returnedBefore = -1;
    // A large document was replaced: its rows of before stay for a while, and where they are most, they may be thousands.
    else if (staleDropped > live.length) steps++;
  }
}

/**
 * Whether deeper legs would bring nothing new. A server looks every hit up before it returns it and drops what is gone, so
 * fewer hits than asked for do not mean that there are no more: that all rows were seen does, and that asking for more
 * brought no more.
 */
async function isExhausted(
  run: Run,
  { vector, text }: LegRuns,
  returned: number,
  returnedBefore: number,
  found: number,
): Promise<boolean> {
  if (!(vector?.isShort ?? true) || !(text?.isShort ?? true)) return false;
  if (returned === returnedBefore) return true;
  return (await run.search.countChunks(run.scope, run.filter, found + 1, run.deadline)) <= found;
}

function hitsOf({ vector, text }: LegRuns) {
  return { vector: vector?.hits ?? null, text: text?.hits ?? null };
}

/** Re-validates in order until enough hits are live. What `states` holds already is not read again. */
export async function judge(
  run: Run,
  candidates: readonly Candidate[],
  need: number,
  withText: number,
  states: Map<string, Revalidated>,
): Promise<Pick<Ranking, 'live' | 'unjudged'>> {
  const live: Ranked[] = [];
  let kept = 0;
  let at = 0;
  let size = LEAST_BATCH;
  while (at < candidates.length && kept < need) {
    // Where much is dropped, a few large reads take less than many small ones.
    size = Math.min(LARGEST_BATCH, Math.max(at === 0 ? LEAST_BATCH : GROWTH * size, Math.ceil((need - kept) * SPARE)));
    const batch = candidates.slice(at, at + size);
    const unknown = batch.map(({ id }) => id).filter((id) => !states.has(id));
    const texts = new Set(unknown.slice(0, Math.max(0, withText - live.length)));
    const found = await run.search.revalidate(run.scope, unknown, run.filter, texts, run.deadline);
    for (const [id, state] of found) states.set(id, state);
    for (const candidate of batch) {
      const state = states.get(candidate.id);
      if (state?.state === 'LIVE') live.push({ ...candidate, chunk: state.chunk, text: state.text });
    }
    kept = capped(live, run.request.maxPerDocument).length;
    at += size;
  }
  return { live, unjudged: candidates.slice(at) };
}

/** Without what exceeds the number of hits that one document may have. Keeps the order. */
export function capped<T extends { readonly chunk: ChunkRecord }>(hits: readonly T[], maxPerDocument?: number): T[] {
  if (maxPerDocument === undefined) return [...hits];
  const counts = new Map<string, number>();
  return hits.filter(({ chunk: { documentId } }) => {
    const count = (counts.get(documentId) ?? 0) + 1;
    counts.set(documentId, count);
    return count <= maxPerDocument;
  });
}

export function staleAmong(states: ReadonlyMap<string, Revalidated>): number {
  return [...states.values()].filter(({ state }) => state === 'STALE').length;
}
