import type { BsonValue } from '../../bson/values.js';
import { badValue, typeMismatch } from '../errors.js';
import { typeOf } from '../expressions/operator.js';

export type Normalization = 'none' | 'sigmoid' | 'minMaxScaler';

const NORMALIZATIONS: ReadonlySet<BsonValue> = new Set(['none', 'sigmoid', 'minMaxScaler']);

export function normalizationOf(value: BsonValue, where: string): Normalization {
  if (typeof value !== 'string') {
    throw typeMismatch(`BSON field '${where}' is the wrong type '${typeOf(value)}', expected type 'string'`);
  }
  if (!NORMALIZATIONS.has(value))
    throw badValue(`Enumeration value '${value}' for field '${where}' is not a valid value.`);
  return value as Normalization;
}

/** Weighted scores of one ranking. The scaler comes after the weight, as on the server; it gives 0 where all are equal. */
export function normalizeScores(scores: readonly number[], normalization: Normalization, weight: number): number[] {
  switch (normalization) {
    case 'none':
      return scores.map((score) => score * weight);
    case 'sigmoid':
      return scores.map((score) => weight / (1 + Math.exp(-score)));
    default:
      return scaleMinMax(
        scores.map((score) => score * weight),
        0,
        1,
      );
  }
}

/** Moves the least value to `low` and the greatest to `high`. */
export function scaleMinMax(values: readonly number[], low: number, high: number): number[] {
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (value < least) least = value;
    if (value > greatest) greatest = value;
  }
  const span = greatest - least;
  return values.map((value) => (span === 0 ? low : low + ((value - least) / span) * (high - low)));
}
