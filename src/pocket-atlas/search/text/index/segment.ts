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

const rowMaps = new WeakMap<Segment, Map<number, number>>();

const newest = new WeakMap<Segment, number>();

/** The row of a record, or -1. The map is made when a segment first loses a row: most never do. */
export function rowOf(segment: Segment, recordId: number): number {
  // a new record's id is above all others: inserting never makes a map
  const known = newest.get(segment) ?? segment.recordIds.reduce((a, b) => Math.max(a, b), 0);
  newest.set(segment, known);
  if (recordId > known) return -1;
  let map = rowMaps.get(segment);
  if (map === undefined) {
    map = new Map();
    for (let row = 0; row < segment.rowCount; row++) map.set(segment.recordIds[row]!, row);
    rowMaps.set(segment, map);
  }
  return map.get(recordId) ?? -1;
}

export function liveRows(segment: Segment): Bitmap {
  return new Bitmap(segment.rowCount).fill().andNot(segment.deleted);
}
