import type { Ranked } from '../rank.js';

/**
 * The best `scores.length` hits in the reranker's order, ties in the order before; the others follow as they were. Their
 * `score` is set below the lowest reranked one, so that it still falls from hit to hit. Pure.
 */
export function reorder(hits: readonly Ranked[], scores: readonly number[]): Ranked[] {
  const reranked = hits
    .slice(0, scores.length)
    .map((hit, index) => ({ ...hit, score: scores[index]!, scores: { ...hit.scores, rerank: scores[index]! } }))
    .sort((a, b) => b.score - a.score);
  const lowest = reranked.at(-1)?.score ?? 0;
  const rest = hits.slice(scores.length).map((hit, index) => ({ ...hit, score: lowest - (index + 1) / hits.length }));
  return [...reranked, ...rest];
}
