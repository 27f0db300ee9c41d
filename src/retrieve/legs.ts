import type { SpaceRecord } from '../store/records.js';
import type { Scope } from '../store/scope.js';
import {
  type Budget,
  type FreshQuery,
  type Leg,
  type LegHit,
  NO_FILTER,
  type PreparedFilter,
  type SearchStore,
  type TextLeg,
  type VectorLeg,
} from '../store/search/search-store.js';
import { estimateTextScores } from './estimate-text-scores.js';
import type { FreshChunks, FreshnessReader } from './freshness.js';
import { stemOf } from './language/stems.js';
import { similarityOf } from './scores.js';

/** What a leg brought, and what it took. */
export interface LegRun<T extends Leg = Leg> {
  readonly leg: T;
  /** What was asked along with it. */
  readonly fresh?: FreshQuery;
  /** Best first, ties by id; fresh chunks that the index does not have yet are among them. */
  readonly hits: readonly LegHit[];
  /** The server returned fewer than it was asked for: there are no more, unless it dropped rows that are gone. */
  readonly isShort: boolean;
  readonly overlaySkipped: boolean;
  readonly tookMs: number;
}

export interface LegContext {
  readonly search: SearchStore;
  readonly freshness: FreshnessReader;
  readonly scope: Scope;
  readonly space: SpaceRecord;
  readonly filter: PreparedFilter;
  readonly budget: Budget;
}

export async function runVectorLeg(context: LegContext, leg: VectorLeg): Promise<LegRun<VectorLeg>> {
  return await run(context, leg, { kind: 'VECTOR', space: leg.space }, async (ids) => {
    const { search, scope, budget } = context;
    const vectors = await search.vectors(scope, leg.space, ids, budget);
    return [...vectors].map(([id, vector]) => ({ id, score: similarityOf(leg.space.similarity, leg.vector, vector) }));
  });
}

export async function runTextLeg(context: LegContext, leg: TextLeg): Promise<LegRun<TextLeg>> {
  return await run(context, leg, { kind: 'TEXT' }, async (ids, hits) => {
    const anchors = hits.slice(0, ANCHORS);
    const texts = await textsOf(context, [...ids, ...anchors.map(({ id }) => id)]);
    const withText = <T extends { id: string }>(rows: readonly T[]) =>
      rows.flatMap((row) => (texts.has(row.id) ? [{ ...row, text: texts.get(row.id)! }] : []));
    const stem = stemOf(context.search.textAnalyzer(leg.query));
    return estimateTextScores(leg.query.text, withText(ids.map((id) => ({ id }))), withText(anchors), stem);
  });
}

/** Hits of the index that fix the scale of estimated scores. */
const ANCHORS = 10;

async function run<T extends Leg>(
  context: LegContext,
  leg: T,
  index: Parameters<FreshnessReader['read']>[1],
  scoreFresh: (ids: readonly string[], hits: readonly LegHit[]) => Promise<readonly LegHit[]>,
): Promise<LegRun<T>> {
  const { search, scope, budget, freshness } = context;
  const started = performance.now();
  let along: FreshQuery | undefined;
  const send = (fresh?: FreshQuery) => {
    along ??= fresh;
    return search.runLeg(scope, leg, budget, fresh);
  };
  const first = await freshness.send(scope, send, budget);
  const fresh = await freshness.read(scope, index, budget);
  const { hits } = missed(first.hits, fresh) ? await send() : first;
  const overlaid = await overlay(context, leg, hits, fresh?.unindexed ?? [], scoreFresh);
  return {
    leg,
    ...(along && { fresh: along }),
    hits: overlaid,
    isShort: hits.length < leg.limit,
    overlaySkipped: fresh === null,
    tookMs: performance.now() - started,
  };
}

/** The index was asked about fresh chunks while it was searched: what it took up in between may be in neither answer. */
function missed(hits: readonly LegHit[], fresh: FreshChunks | null): boolean {
  if (fresh === null || fresh.justIndexed.length === 0) return false;
  const returned = new Set(hits.map(({ id }) => id));
  return fresh.justIndexed.some((id) => !returned.has(id));
}

/** Fresh chunks are scored exactly and take their places among the hits. */
async function overlay(
  context: LegContext,
  leg: Leg,
  hits: readonly LegHit[],
  unindexed: readonly string[],
  scoreFresh: (ids: readonly string[], hits: readonly LegHit[]) => Promise<readonly LegHit[]>,
): Promise<readonly LegHit[]> {
  const returned = new Set(hits.map(({ id }) => id));
  const missing = unindexed.filter((id) => !returned.has(id));
  if (missing.length === 0) return hits;
  const states = await context.search.revalidate(context.scope, missing, leg.filter, new Set(), context.budget);
  const live = missing.filter((id) => states.get(id)?.state === 'LIVE');
  if (live.length === 0) return hits;
  return [...hits, ...(await scoreFresh(live, hits))].sort(byScoreThenId).slice(0, leg.limit);
}

async function textsOf(context: LegContext, ids: readonly string[]): Promise<Map<string, string>> {
  const states = await context.search.revalidate(context.scope, ids, NO_FILTER, new Set(ids), context.budget);
  return new Map(
    [...states].flatMap(([id, state]) => (state.state === 'LIVE' && state.text !== null ? [[id, state.text]] : [])),
  );
}

function byScoreThenId(a: LegHit, b: LegHit): number {
  return b.score - a.score || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}
