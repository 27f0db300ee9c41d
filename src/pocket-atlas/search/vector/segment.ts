import type { RecordId } from '../../storage/engine.js';
import type { Bitmap } from '../bitmap.js';
import type { FieldPostings } from '../filter/field-postings.js';
import type { Graph } from './graph.js';

/** Rows that are searched together, whether they still grow in memory or lie in files. Rows are never moved or reused. */
export interface Segment {
  readonly size: number;
  readonly dead: Bitmap;
  readonly liveCount: number;
  readonly postings: ReadonlyMap<string, FieldPostings>;
  /** Where the code of each row lies in the code memory. */
  readonly addresses: Uint32Array;
  readonly scalars: Float64Array;
  readonly graph: Graph | undefined;
  recordIdOf(row: number): RecordId;
  /** The live row of a record, or -1. */
  rowOf(recordId: RecordId): number;
  /** Marks a row dead, once. */
  kill(row: number): void;
  /** The float32 vector of a row, valid until the next call. Only where the lane keeps vectors. */
  vectorOf(row: number): Float32Array;
}
