import type { FrozenHit, OpenedCursor, Rankings } from '../store/rankings.js';
import { rankingSize } from './depth.js';
import { completePage, type PageHit } from './page.js';
import { capped, type Ranked, type Ranking, rank } from './rank.js';
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
  // Without a cursor nobody can walk on: one hit more than the page tells whether there is a next one.
  const want = options.needsCursors || skip !== null ? size : first + 1;
  const rerankCount = rerankCountOf(run, parts);
  const ranking = await rank(run, Math.max(want, rerankCount), Math.max(options.needsText ? first : 0, rerankCount));
  const all = capped(await rerankBest(run, parts, ranking.live), maxPerDocument).slice(0, size);
  const start = skip === null ? 0 : placeAfter(all, skip);
  const page = all.slice(start, start + first).map((hit, index) => ({ ...hit, position: start + index }));
  const hasNextPage = all.length > start + first;
  const id = hasNextPage && options.needsCursors ? await parts.rankings.save(run.scope, all.map(frozen)) : null;
  return { hits: await completePage(run, parts.rankings, page, options, id), hasNextPage, ranking };
}

/** The page after a place of a ranking that was kept. Every hit is looked at anew: it must still be there, in scope. */
export async function nextPage(
  run: Run,
  parts: SearchParts,
  options: SearchOptions,
  { ranking, position, hits }: OpenedCursor & { readonly hits: readonly FrozenHit[] },
): Promise<PageOfHits & { readonly staleDropped: number }> {
  const { first } = run.request;
  const rest = hits.slice(position + 1);
  const ids = rest.map(({ chunkId }) => chunkId);
  const texts = new Set(options.needsText ? ids.slice(0, first) : []);
  const states = await run.search.revalidate(run.scope, ids, run.filter, texts, run.deadline);
  const live = rest.flatMap((hit, index): PageHit[] => {
    const state = states.get(hit.chunkId);
    if (state?.state !== 'LIVE') return [];
    const scores = {
      similarity: hit.similarity,
      distance: hit.similarity === null ? null : distanceOf(run.space.similarity, hit.similarity),
      text: hit.text,
      fused: hit.fused,
      rerank: hit.rerank,
    };
    const { chunk, text } = state;
    return [{ id: hit.chunkId, score: hit.score, scores, chunk, text, position: position + 1 + index }];
  });
  return {
    hits: await completePage(run, parts.rankings, live.slice(0, first), options, ranking),
    hasNextPage: live.length > first,
    staleDropped: [...states.values()].filter(({ state }) => state === 'STALE').length,
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

function frozen({ id, score, scores }: Ranked): FrozenHit {
  const { similarity, text, fused, rerank } = scores;
  return { chunkId: id, score, similarity, text, fused, rerank };
}
