/** Figures about samples: means with confidence intervals, and whether two systems differ. All pure and repeatable. */

export interface Interval {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

const RESAMPLES = 1_000;
const SEED = 20_240_229;

/**
 * The mean with its 95 % percentile bootstrap interval over queries. Sakai, "Evaluating evaluation metrics based on the
 * bootstrap" (SIGIR 2006).
 */
export function bootstrapMean(values: readonly number[], resamples = RESAMPLES): Interval {
  if (values.length === 0) return { mean: 0, low: 0, high: 0 };
  const random = generator(SEED);
  const means = Array.from({ length: resamples }, () => {
    let sum = 0;
    for (let draw = 0; draw < values.length; draw++) sum += values[Math.floor(random() * values.length)]!;
    return sum / values.length;
  }).sort((a, b) => a - b);
  return { mean: mean(values), low: quantile(means, 0.025), high: quantile(means, 0.975) };
}

/**
 * Two-sided p-value of a paired randomisation test: how often a difference of means at least this large arises when each
 * query's two figures are swapped by chance. Smucker, Allan and Carterette, "A comparison of statistical significance
 * tests for information retrieval evaluation" (CIKM 2007).
 */
export function pairedRandomisation(a: readonly number[], b: readonly number[], resamples = 10_000): number {
  if (a.length !== b.length) throw new TypeError(`Expected pairs, got ${a.length} and ${b.length} values`);
  const differences = a.map((value, index) => value - b[index]!);
  const observed = Math.abs(differences.reduce((sum, value) => sum + value, 0));
  const random = generator(SEED);
  let asLarge = 0;
  for (let round = 0; round < resamples; round++) {
    let sum = 0;
    for (const difference of differences) sum += random() < 0.5 ? difference : -difference;
    // Sums in another order differ in their last digits.
    if (Math.abs(sum) >= observed - 1e-9) asLarge += 1;
  }
  return (asLarge + 1) / (resamples + 1);
}

export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Of values in ascending order, interpolated linearly. */
export function quantile(sorted: readonly number[], q: number): number {
  if (sorted.length === 0) return 0;
  const at = (sorted.length - 1) * q;
  const below = sorted[Math.floor(at)]!;
  return below + (sorted[Math.ceil(at)]! - below) * (at - Math.floor(at));
}

/** Mulberry32: the same numbers on every machine, so that a table can be made again. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
