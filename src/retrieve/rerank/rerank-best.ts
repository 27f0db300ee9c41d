import type { Ranked } from '../rank.js';
import type { Run } from '../run.js';
import { reorder } from './reorder.js';
import type { Reranker } from './reranker.js';

export interface RerankParts {
  readonly reranker: Reranker | null;
  /** Milliseconds that the reranker may take. */
  readonly rerankDeadlineMs: number;
  /** How many of the best hits are reordered. */
  readonly rerankCount: number;
}

/** How many hits a search has reordered; 0: not asked for. All of the first page are, however long it is. */
export function rerankCountOf({ request }: Pick<Run, 'request'>, { rerankCount }: RerankParts): number {
  return request.rerank ? Math.max(rerankCount, request.first) : 0;
}

/** The live hits in the reranker's order, or in the order before when it fails: then the search says so. */
export async function rerankBest(run: Run, parts: RerankParts, live: readonly Ranked[]): Promise<readonly Ranked[]> {
  const best = live.slice(0, rerankCountOf(run, parts));
  if (best.length === 0) return live;
  try {
    if (parts.reranker === null || run.question.query === null) throw new Error('nothing to rerank with');
    const signal = AbortSignal.any([run.deadline.signal, AbortSignal.timeout(parts.rerankDeadlineMs)]);
    const texts = best.map(({ text }) => text ?? '');
    return reorder(live, await parts.reranker.rerank(run.question.query, texts, signal));
  } catch {
    // Whatever it was, the order before is a good answer; who asked for more is told.
    run.degraded.add('RERANK_UNAVAILABLE');
    return live;
  }
}
