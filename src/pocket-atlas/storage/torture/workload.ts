/** What the writer process and its checker agree on. */
export const DB = 'torture';
export const COLLECTION = 'records';
/** One that is made and dropped all the time. */
export const EXTRA_COLLECTION = 'extra';
/** Writers in parallel, so that commits share flushes. */
export const LANES = 4;
/** A bound for a writer that nobody kills. */
export const WRITES_MAX = 1_000_000;

export function laneCounterId(lane: number): string {
  return `counter ${lane}`;
}

/** Whether the workload keeps the record of commit `n`, once commits up to `count` are done. */
export function isKept(n: number, count: number): boolean {
  const removedBy = n + 10;
  return removedBy > count || removedBy % 3 !== 0;
}
