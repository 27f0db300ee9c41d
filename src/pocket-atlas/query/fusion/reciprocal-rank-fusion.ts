import { compare } from '../../bson/compare.js';
import type { BsonValue } from '../../bson/values.js';
import { ValueMap } from '../value-set.js';

/** Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet" (SIGIR 2009); fixed on the server. */
export const RANK_CONSTANT = 60;

export interface RankedInput<T> {
  readonly name: string;
  readonly weight: number;
  /** Best first; an id that comes again keeps its first rank. */
  readonly items: readonly T[];
}

export interface Contribution {
  readonly name: string;
  readonly weight: number;
  /** From 1; undefined where the input does not have the item. */
  readonly rank: number | undefined;
}

export interface Fused<T> {
  readonly id: BsonValue;
  /** As the first input that has it gives it. */
  readonly item: T;
  /** Σ weight / (60 + rank) over the inputs that have it. */
  readonly score: number;
  /** One per input, in their order. */
  readonly contributions: readonly Contribution[];
}

/** Fuses rankings into one: highest score first, ties by id in BSON order. */
export function reciprocalRankFusion<T>(inputs: readonly RankedInput<T>[], idOf: (item: T) => BsonValue): Fused<T>[] {
  const found = new ValueMap<{ readonly item: T; readonly ranks: (number | undefined)[] }>();
  inputs.forEach(({ items }, input) => {
    items.forEach((item, position) => {
      const { ranks } = found.getOrInsert(idOf(item), () => ({ item, ranks: inputs.map(() => undefined) }));
      ranks[input] ??= position + 1;
    });
  });
  return found
    .entries()
    .map(({ key, value: { item, ranks } }) => {
      const contributions = inputs.map(({ name, weight }, input) => ({ name, weight, rank: ranks[input] }));
      const score = contributions.reduce(
        (sum, { weight, rank }) => (rank === undefined ? sum : sum + weight * (1 / (RANK_CONSTANT + rank))),
        0,
      );
      return { id: key, item, score, contributions };
    })
    .sort((a, b) => b.score - a.score || compare(a.id, b.id));
}
