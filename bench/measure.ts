/** Figures with their spread: a median says little on a noisy machine without the minimum and maximum beside it. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  return { median: percentile(sorted, 50), min: sorted[0] ?? Number.NaN, max: sorted.at(-1) ?? Number.NaN };
}

/** Nearest rank; `sorted` ascending. */
export function percentile(sorted: readonly number[], percent: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN;
}

export function percentiles(values: readonly number[]): { p50: number; p95: number } {
  const sorted = [...values].sort((a, b) => a - b);
  return { p50: percentile(sorted, 50), p95: percentile(sorted, 95) };
}

export const formatSpread = ({ median, min, max }: Spread, unit: string): string =>
  `${round(median)} ${unit} (${round(min)} to ${round(max)})`;

export function round(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(0) : Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** Wall time of one run, in ms. */
export async function timed(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

/**
 * Runs A and B in turn, so that whatever else the machine does falls on both, and returns the times of each in ms.
 * `warmUp` rounds are not counted.
 */
export async function interleaved<Name extends string>(
  runs: Readonly<Record<Name, (round: number) => Promise<unknown>>>,
  { rounds, warmUp }: { rounds: number; warmUp: number },
): Promise<Record<Name, number[]>> {
  const names = Object.keys(runs) as Name[];
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = -warmUp; round < rounds; round++) {
    for (const name of names) {
      const ms = await timed(() => runs[name](Math.abs(round)));
      if (round >= 0) times[name].push(ms);
    }
  }
  return times;
}
