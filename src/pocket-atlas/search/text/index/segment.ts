import { Bitmap } from '../../bitmap.js';
import type { Dictionary } from './dictionary.js';

/**
 * An immutable piece of a text index: rows 0 … rowCount - 1, each one version of a record. Only `deleted` changes, and
 * only by growing.
 *
 * Field keys: `w:path` and `w:path\0multi` words of a string field, `a:path` grams for autocomplete, `x:path` exact
 * values (see exact-key.ts), `n:path` numbers, `d:path` dates in ms, `x:` + EXISTS the paths that a row has.
 */
export interface Segment {
  readonly id: number;
  readonly rowCount: number;
  /** The record behind each row. */
  readonly recordIds: Float64Array;
  readonly deleted: Bitmap;
  readonly words: ReadonlyMap<string, WordsField>;
  readonly exact: ReadonlyMap<string, ExactField>;
  readonly numeric: ReadonlyMap<string, NumericField>;
}

/** For term i: `rows[postingStarts[i] … postingStarts[i + 1])`, ascending. */
export interface ExactField {
  readonly dictionary: Dictionary;
  readonly postingStarts: Uint32Array;
  readonly rows: Uint32Array;
}

/** An inverted field with frequencies and positions, as BM25 and phrases need them. */
export interface WordsField extends ExactField {
  /** Parallel to `rows`; saturates at 65 535. */
  readonly freqs: Uint16Array;
  /** For term i, bytes `positionStarts[i] … positionStarts[i + 1])`: per posting its positions as varint deltas. */
  readonly positionStarts: Uint32Array;
  readonly positions: Uint8Array;
  /** Words per row, 0 where the row lacks the field. True lengths: Lucene keeps them in one lossy byte. */
  readonly lengths: Uint32Array;
  /** Rows that have the field, and all their words. */
  readonly fieldRows: number;
  readonly totalLength: number;
}

/** (value, row) pairs in ascending order of value. */
export interface NumericField {
  readonly values: Float64Array;
  readonly rows: Uint32Array;
}

export const EXISTS = '\0exists';
export const MAX_FREQ = 65_535;

/** Where ascending runs of record ids begin: one in a segment of a scan, one more for each source that a merge appended. */
const runs = new WeakMap<Segment, Uint32Array>();
/** With more runs than this a map is faster. */
const RUNS_MAX = 64;
const rowMaps = new WeakMap<Segment, Map<number, number>>();

/** The row of a record, or -1. */
export function rowOf(segment: Segment, recordId: number): number {
  const starts = runs.get(segment) ?? runsOf(segment);
  if (starts.length > RUNS_MAX) return (rowMaps.get(segment) ?? mapOf(segment)).get(recordId) ?? -1;
  const { recordIds } = segment;
  for (let run = 0; run < starts.length; run++) {
    const end = starts[run + 1] ?? recordIds.length;
    // A new record's id is above all others: it is looked for in no run.
    if (recordId > recordIds[end - 1]! || recordId < recordIds[starts[run]!]!) continue;
    let low = starts[run]!;
    let high = end;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (recordIds[middle]! < recordId) low = middle + 1;
      else high = middle;
    }
    if (recordIds[low] === recordId) return low;
  }
  return -1;
}

function runsOf(segment: Segment): Uint32Array {
  const { recordIds } = segment;
  const starts: number[] = [];
  for (let row = 0; row < recordIds.length && starts.length <= RUNS_MAX; row++) {
    if (row === 0 || recordIds[row]! < recordIds[row - 1]!) starts.push(row);
  }
  const known = Uint32Array.from(starts);
  runs.set(segment, known);
  return known;
}

function mapOf(segment: Segment): Map<number, number> {
  const map = new Map<number, number>();
  for (let row = 0; row < segment.rowCount; row++) map.set(segment.recordIds[row]!, row);
  rowMaps.set(segment, map);
  return map;
}

export function liveRows(segment: Segment): Bitmap {
  return new Bitmap(segment.rowCount).fill().andNot(segment.deleted);
}
