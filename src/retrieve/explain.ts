import type { Scope } from '../store/scope.js';
import type { Leg, Pipeline, Revalidated } from '../store/search/search-store.js';
import type { Candidate } from './candidates.js';
import type { RetrieveContext } from './create-retrieve.js';
import { legLimit, rankingSize } from './depth.js';
import { RANK_CONSTANT } from './fusion.js';
import type { LegRun } from './legs.js';
import { capped, type Ranked, type Ranking, rank } from './rank.js';
import { rerankBest, rerankCountOf } from './rerank/rerank-best.js';
import type { CandidateExplanation, DropReason, SearchExplanation, SearchOptions, SearchRequest } from './retrieve.js';
import { indexOf, type Run, textLegOf, vectorLegOf } from './run.js';

/** Runs a search as `search` does, and tells what was sent, what came back and what became of it. */
export async function explainSearch(
  context: RetrieveContext,
  scope: Scope,
  request: SearchRequest,
  options: SearchOptions,
): Promise<SearchExplanation> {
  const { after: _after, ...firstPage } = request;
  return await context.startRun(scope, firstPage, options, async (run, isEmpty) => {
    if (isEmpty) return { legs: [], fusion: null, rankFusionPipeline: null, candidates: [] };
    const rerankCount = rerankCountOf(run, context);
    const size = rankingSize(request.first);
    const ranking = await rank(run, { depth: size, need: Math.max(size, rerankCount), withText: rerankCount });
    const shown = capped(await rerankBest(run, context, ranking.live), request.maxPerDocument);
    const legs = [ranking.legs.vector, ranking.legs.text].filter((leg) => leg !== null);
    return {
      legs: await Promise.all(legs.map((leg) => explainLeg(run, leg))),
      fusion: run.mode === 'HYBRID' ? fusionOf(run) : null,
      rankFusionPipeline: await rankFusionOf(run),
      candidates: await explainCandidates(run, ranking, shown),
    };
  });
}

async function explainLeg(run: Run, { leg, fresh, hits, tookMs }: LegRun): Promise<SearchExplanation['legs'][number]> {
  const index = indexOf(run, leg.kind === 'VECTOR' ? 'vector' : 'text');
  const { status } = await run.search.readiness(index, run.filter);
  const pipeline = withoutVector(run.search.legPipeline(run.scope, leg as Leg, fresh));
  return { mode: leg.kind, index, indexStatus: status, pipeline, returned: hits.length, tookMs };
}

/** What the server was sent, but for its thousands of numbers. */
function withoutVector(pipeline: Pipeline): Pipeline {
  return pipeline.map((stage) => {
    const spec = stage.$vectorSearch as Record<string, unknown> | undefined;
    return spec === undefined ? stage : { $vectorSearch: { ...spec, queryVector: '<elided>' } };
  });
}

function fusionOf({ weights, fusion }: Run): string {
  const how = {
    NORMALISED_SCORES: 'sum of normalised scores',
    RECIPROCAL_RANK: `reciprocal rank fusion, rank constant ${RANK_CONSTANT}`,
  }[fusion];
  return `${how}, weights: vector ${weights.vector}, text ${weights.text}`;
}

async function rankFusionOf(run: Run): Promise<Pipeline | null> {
  if (run.mode !== 'HYBRID' || run.fusion !== 'RECIPROCAL_RANK') return null;
  const size = rankingSize(run.request.first);
  const limit = legLimit(size, 0);
  let vector: Float32Array;
  try {
    vector = await run.vector();
  } catch {
    // Without a vector there is no pipeline to paste; the legs say what failed.
    return null;
  }
  // By the caller's own conditions rather than by ids, which a shell takes only as ObjectId("…").
  const filter = { ...run.filter, documentIds: null };
  const legs = {
    vector: { ...vectorLegOf(run, vector, limit), filter },
    text: { ...textLegOf(run, limit), filter },
  };
  return run.search.rankFusionPipeline(run.scope, legs, run.weights, size);
}

/** Every candidate that was looked at and that can be named, best first; then those that `minSimilarity` took out. */
async function explainCandidates(
  run: Run,
  { candidates, states }: Ranking,
  shown: readonly Ranked[],
): Promise<CandidateExplanation[]> {
  const places = new Map(shown.map((hit, index) => [hit.id, { ...hit, rank: index + 1 }]));
  const below = await run.search.revalidate(
    run.scope,
    candidates.belowMinSimilarity.map(({ id }) => id),
    run.filter,
    new Set(),
    run.deadline,
  );
  const explained = candidates.ranked.flatMap((candidate) => {
    const place = places.get(candidate.id);
    const reason = dropReason(states.get(candidate.id)?.state, place?.rank, run.request.first);
    return explain({ ...candidate, ...place }, states.get(candidate.id), place?.rank ?? null, reason);
  });
  const order = (rank: number | null) => rank ?? Number.POSITIVE_INFINITY;
  return [
    ...explained.sort((a, b) => (order(a.rank) === order(b.rank) ? 0 : order(a.rank) - order(b.rank))),
    ...candidates.belowMinSimilarity.flatMap((candidate) =>
      explain(candidate, below.get(candidate.id), null, 'BELOW_MIN_SIMILARITY'),
    ),
  ];
}

/** None for a chunk that is gone: there is nothing left to show of it. */
export function explain(
  { scores, vectorRank, textRank }: Candidate,
  state: Revalidated | undefined,
  rank: number | null,
  droppedBy: DropReason | null,
): CandidateExplanation[] {
  return state?.chunk ? [{ chunk: state.chunk, scores, vectorRank, textRank, rank, droppedBy }] : [];
}

function dropReason(
  state: Revalidated['state'] | undefined,
  rank: number | undefined,
  first: number,
): DropReason | null {
  if (state === 'STALE' || state === 'OUT_OF_FILTER') return state;
  if (rank === undefined) return 'PER_DOCUMENT_CAP';
  return rank > first ? 'NOT_IN_TOP' : null;
}
