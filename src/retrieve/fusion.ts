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
 * Fusion of normalised scores (a convex combination), with each leg's weight. BM25 scores are divided by the best one:
 * their zero means that no word matched. Similarities have no such zero, and even the last candidates are close to each
 * other: they are measured from the leg's fiftieth hit, in units of its distance to the best, so that a leg counts the
 * same however deep it looks. A hit that a leg does not have, or has behind the fiftieth, gets 0 from it.
 *
 * Bruch, Gai and Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval" (ACM TOIS 2023).
 */
export function normalisedScoreFusion(legs: { readonly vector: RankedLeg; readonly text: RankedLeg }): Fused[] {
  const { vector, text } = legs;
  const scaled = new Map([
    [vector, fromFiftieth(vector)],
    [text, fromZero(text)],
  ]);
  return sumById([vector, text], (leg) => scaled.get(leg)!);
}

/** Where similarity begins to count; the last hit where there are fewer. */
const ZERO_RANK = 50;

function fromZero({ hits }: RankedLeg): number[] {
  const best = hits[0]?.score ?? 0;
  return hits.map(({ score }) => (best > 0 ? score / best : 1));
}

function fromFiftieth({ hits }: RankedLeg): number[] {
  const zero = hits[Math.min(ZERO_RANK, hits.length) - 1]?.score ?? 0;
  const unit = (hits[0]?.score ?? 0) - zero;
  // A leg whose hits are all alike says that each of them is as good as its best.
  return hits.map(({ score }) => (unit > 0 ? Math.max(0, (score - zero) / unit) : 1));
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
