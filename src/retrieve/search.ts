import type { FrozenHit, KeptRanking, OpenedCursor, Rankings } from '../store/rankings.js';
import type { Revalidated } from '../store/search/search-store.js';
import type { Candidate } from './candidates.js';
import { rankingSize, withSpare } from './depth.js';
import { completePage } from './page.js';
import { capped, judge, type Ranked, type Ranking, rank, staleAmong } from './rank.js';
import { requestKey } from './request-key.js';
import { type RerankParts, rerankBest, rerankCountOf } from './rerank/rerank-best.js';
import type { SearchHit, SearchOptions } from './retrieve.js';
import type { Run } from './run.js';
import { distanceOf } from './scores.js';

export interface SearchParts extends RerankParts {
  readonly rankings: Rankings;
}

export interface PageOfHits {
  readonly hits: readonly SearchHit[];
  readonly hasNextPage: boolean;
}

/**
 * Ranks, and shows the first page; or, for a search that had one page only and so kept no ranking, what comes after the
 * place that a cursor names.
 */
export async function rankedPage(
  run: Run,
  parts: SearchParts,
  options: SearchOptions,
  skip: OpenedCursor | null,
): Promise<PageOfHits & { readonly ranking: Ranking }> {
  const { first, maxPerDocument } = run.request;
  const size = rankingSize(first);
  const rerankCount = rerankCountOf(run, parts);
  // Each page looks at its own hits; but what is counted per document, reordered or skipped has to be looked at before.
  const needsAll = skip !== null || rerankCount > 0 || (options.needsCursors && maxPerDocument !== undefined);
  const ranking = await rank(run, {
    // Without a cursor nobody can walk on: one hit more than the page tells whether there is a next one.
    depth: options.needsCursors ? size : first + 1,
    need: Math.max(needsAll ? size : first + 1, rerankCount),
    withText: Math.max(options.needsText ? first : 0, rerankCount),
  });
  const all = capped(await rerankBest(run, parts, ranking.live), maxPerDocument).slice(0, size);
  const start = skip === null ? 0 : placeAfter(all, skip);
  const page = all
    .slice(start, start + first)
    .map((hit, index) => ({ ...hit, place: start + index, rank: start + index + 1 }));
  const hasNextPage = all.length > start + first;
  const frozen = needsAll ? all : [...all, ...ranking.unjudged].slice(0, withSpare(size));
  const id = hasNextPage && options.needsCursors ? parts.rankings.newId() : null;
  const [hits] = await Promise.all([
    completePage(run, parts.rankings, page, options, id),
    id !== null && parts.rankings.save(run.scope, id, frozen.map(freeze), size),
  ]);
  return { hits, hasNextPage, ranking };
}

/** The page after a place of a ranking that was kept. Every hit is looked at anew: it must still be there, in scope. */
export async function nextPage(
  run: Run,
  parts: SearchParts,
  options: SearchOptions,
  { ranking, position, rank: rankBefore, kept }: OpenedCursor & { readonly kept: KeptRanking },
): Promise<PageOfHits & { readonly staleDropped: number }> {
  const left = kept.size - rankBefore;
  const first = Math.min(run.request.first, left);
  const rest = kept.hits.slice(position + 1).map((hit) => thaw(hit, run));
  const places = new Map(rest.map(({ id }, index) => [id, position + 1 + index]));
  const states = new Map<string, Revalidated>();
  const { live } = await judge(run, rest, Math.min(first + 1, left), options.needsText ? first : 0, states);
  const page = live
    .slice(0, first)
    .map((hit, index) => ({ ...hit, place: places.get(hit.id)!, rank: rankBefore + index + 1 }));
  return {
    hits: await completePage(run, parts.rankings, page, options, ranking),
    hasNextPage: live.length > first && first < left,
    staleDropped: staleAmong(states),
  };
}

/** Opens the cursor of a request, if it has one. */
export async function openCursor(
  run: Pick<Run, 'scope' | 'request'>,
  rankings: Rankings,
): Promise<OpenedCursor | null> {
  const { after } = run.request;
  return after === undefined ? null : await rankings.open(run.scope, requestKey(run.request), after);
}

function placeAfter(hits: readonly Ranked[], { chunkId, position }: OpenedCursor): number {
  const at = hits.findIndex(({ id }) => id === chunkId);
  return (at === -1 ? position : at) + 1;
}

function freeze({ id, score, scores }: Candidate): FrozenHit {
  const { similarity, text, fused, rerank } = scores;
  return { chunkId: id, score, similarity, text, fused, rerank };
}

function thaw({ chunkId, score, similarity, text, fused, rerank }: FrozenHit, { space }: Run): Candidate {
  const distance = similarity === null ? null : distanceOf(space.similarity, similarity);
  return {
    id: chunkId,
    score,
    scores: { similarity, distance, text, fused, rerank },
    vectorRank: null,
    textRank: null,
  };
}
