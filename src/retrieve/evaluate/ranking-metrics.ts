/**
 * Measures of one ranking against judgements, as trec_eval and BEIR compute them. `ranked`: ids, best first, each once.
 * `relevance`: id → grade; unjudged is 0. Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques"
 * (ACM TOIS 2002); Manning, Raghavan and Schütze, "Introduction to Information Retrieval", chapter 8.
 */
export type Judgements = ReadonlyMap<string, number>;

/** Gain is the grade, discounted by log2(rank + 1), over the best possible. */
export function ndcgAt(k: number, ranked: readonly string[], relevance: Judgements): number {
  const gains = ranked.slice(0, k).map((id) => relevance.get(id) ?? 0);
  const ideal = [...relevance.values()].sort((a, b) => b - a).slice(0, k);
  const best = discounted(ideal);
  return best === 0 ? 0 : discounted(gains) / best;
}

function discounted(gains: readonly number[]): number {
  return gains.reduce((sum, gain, index) => sum + gain / Math.log2(index + 2), 0);
}

/** Of all relevant ones, how many are among the first k. */
export function recallAt(k: number, ranked: readonly string[], relevance: Judgements): number {
  const relevant = relevantCount(relevance);
  return relevant === 0 ? 0 : found(ranked.slice(0, k), relevance) / relevant;
}

/** The mean of the precisions at each relevant hit; relevant ones that were not found count 0. */
export function averagePrecision(ranked: readonly string[], relevance: Judgements): number {
  let hits = 0;
  let sum = 0;
  ranked.forEach((id, index) => {
    if ((relevance.get(id) ?? 0) <= 0) return;
    hits += 1;
    sum += hits / (index + 1);
  });
  const relevant = relevantCount(relevance);
  return relevant === 0 ? 0 : sum / relevant;
}

/** 1 / the rank of the first relevant hit. */
export function reciprocalRank(ranked: readonly string[], relevance: Judgements): number {
  const first = ranked.findIndex((id) => (relevance.get(id) ?? 0) > 0);
  return first === -1 ? 0 : 1 / (first + 1);
}

/** Of the exact nearest neighbours, how many an approximate search returned. */
export function overlap(approximate: readonly string[], exact: readonly string[]): number {
  if (exact.length === 0) return 1;
  const returned = new Set(approximate);
  return exact.filter((id) => returned.has(id)).length / exact.length;
}

function relevantCount(relevance: Judgements): number {
  return [...relevance.values()].filter((grade) => grade > 0).length;
}

function found(ranked: readonly string[], relevance: Judgements): number {
  return ranked.filter((id) => (relevance.get(id) ?? 0) > 0).length;
}
