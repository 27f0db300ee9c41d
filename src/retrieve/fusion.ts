/**
 * Joins the rankings of several legs into one. Pure: the same function answers on every server, because `$rankFusion`
 * is not on all of them and cannot be re-validated in between.
 */
export interface RankedLeg {
  /** 0 drops the leg. */
  readonly weight: number;
  /** Best first. */
  readonly hits: readonly { readonly id: string; readonly score: number }[];
}

export interface Fused {
  readonly id: string;
  readonly score: number;
}

/** As `$rankFusion` has it, where it cannot be set. */
export const RANK_CONSTANT = 60;

/**
 * Reciprocal-rank fusion: each leg gives `weight / (rankConstant + rank)`, rank from 1, to the hits that it has. Best
 * first, equal scores by id.
 *
 * Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods"
 * (SIGIR 2009); https://www.mongodb.com/docs/manual/reference/operator/aggregation/rankFusion/
 */
export function reciprocalRankFusion(legs: readonly RankedLeg[], rankConstant = RANK_CONSTANT): Fused[] {
  return sumById(legs, ({ hits }) => hits.map((_, index) => 1 / (rankConstant + index + 1)));
}

/**
 * Fusion of normalised scores (convex combination): each leg's scores are scaled so that its best hit has 1 and its last
 * one 0, and a hit that a leg does not have gets 0 from it.
 *
 * Bruch, Gai and Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval" (ACM TOIS 2023).
 */
export function normalisedScoreFusion(legs: readonly RankedLeg[]): Fused[] {
  return sumById(legs, ({ hits }) => {
    const best = hits[0]?.score ?? 0;
    const spread = best - (hits.at(-1)?.score ?? 0);
    // A leg whose hits are all alike says that each of them is as good as its best.
    return hits.map(({ score }) => (spread === 0 ? 1 : 1 - (best - score) / spread));
  });
}

function sumById(legs: readonly RankedLeg[], scoresOf: (leg: RankedLeg) => readonly number[]): Fused[] {
  const sums = new Map<string, number>();
  for (const leg of legs) {
    if (leg.weight === 0) continue;
    const scores = scoresOf(leg);
    leg.hits.forEach(({ id }, index) => {
      sums.set(id, (sums.get(id) ?? 0) + leg.weight * scores[index]!);
    });
  }
  return [...sums]
    .map(([id, score]) => ({ id, score }))
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
}
