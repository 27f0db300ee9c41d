import type { BsonValue, Doc } from '../../bson/values.js';
import type { Pace } from '../pace.js';
import type { SortKeys } from '../sort.js';

export interface Keyed {
  readonly doc: Doc;
  readonly keys: readonly BsonValue[];
}

/** Sorted in one go; larger runs would hold the event loop too long. */
const RUN_LENGTH = 1024;
/** Merge steps between two looks at the clock. */
const STEPS_PER_LOOK = 256;

/** A stable merge sort that rests in between, however many documents there are. */
export async function sortInRuns(items: Keyed[], { compareKeys }: SortKeys, pace: Pace): Promise<Keyed[]> {
  const order = (a: Keyed, b: Keyed) => compareKeys(a.keys, b.keys);
  let runs: Keyed[][] = [];
  for (let at = 0; at < items.length; at += RUN_LENGTH) {
    runs.push(items.slice(at, at + RUN_LENGTH).sort(order));
    if (pace.due) await pace.rest();
  }
  while (runs.length > 1) {
    const merged: Keyed[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      const [left, right] = [runs[at]!, runs[at + 1]];
      merged.push(right === undefined ? left : await merge(left, right, order, pace));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

async function merge(
  left: readonly Keyed[],
  right: readonly Keyed[],
  order: (a: Keyed, b: Keyed) => number,
  pace: Pace,
): Promise<Keyed[]> {
  const merged: Keyed[] = [];
  let [i, j] = [0, 0];
  while (i < left.length && j < right.length) {
    merged.push(order(left[i]!, right[j]!) <= 0 ? left[i++]! : right[j++]!);
    if (merged.length % STEPS_PER_LOOK === 0 && pace.due) await pace.rest();
  }
  while (i < left.length) merged.push(left[i++]!);
  while (j < right.length) merged.push(right[j++]!);
  return merged;
}
