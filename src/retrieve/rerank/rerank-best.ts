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

/** Of the whole time: kept for what comes after, so that a late reranker does not take the base order along. */
const SHARE_AFTER = 0.1;

/** Milliseconds that the reranker is waited for. What came before it may have taken long, such as an embedder that hung. */
function patience({ deadline, deadlineMs }: Run, { rerankDeadlineMs }: RerankParts): number {
  const left = deadline.deadline - performance.now() - deadlineMs * SHARE_AFTER;
  return Math.floor(Math.max(0, Math.min(rerankDeadlineMs, left)));
}

/** The live hits in the reranker's order, or in the order before when it fails: then the search says so. */
export async function rerankBest(run: Run, parts: RerankParts, live: readonly Ranked[]): Promise<readonly Ranked[]> {
  const best = live.slice(0, rerankCountOf(run, parts));
  if (best.length === 0) return live;
  try {
    if (parts.reranker === null || run.question.query === null) throw new Error('nothing to rerank with');
    const signal = AbortSignal.any([run.deadline.signal, AbortSignal.timeout(patience(run, parts))]);
    const texts = best.map(({ text }) => text ?? '');
    return reorder(live, await parts.reranker.rerank(run.question.query, texts, signal));
  } catch {
    // Whatever it was, the order before is a good answer; who asked for more is told.
    run.degraded.add('RERANK_UNAVAILABLE');
    return live;
  }
}
