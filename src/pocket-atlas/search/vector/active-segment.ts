import type { RecordId } from '../../storage/engine.js';
import { Bitmap } from '../bitmap.js';
import type { FieldValues } from '../filter/field-values.js';
import { LivePostings } from '../filter/live-postings.js';
import type { Segment } from './segment.js';
import type { VectorValue } from './vector-value.js';

const FIRST_CAPACITY = 64;

export interface ActiveRow {
  readonly recordId: RecordId;
  readonly vector: VectorValue['data'];
  readonly values: readonly FieldValues[];
}

/** The segment that new rows go to, in memory. */
export class ActiveSegment implements Segment {
  readonly graph = undefined;
  readonly dead: Bitmap;
  readonly postings: ReadonlyMap<string, LivePostings>;
  readonly #rows: ActiveRow[] = [];
  readonly #rowOf = new Map<RecordId, number>();
  readonly #scalarsPerRow: number;
  readonly #rowsMax: number;
  addresses = new Uint32Array(FIRST_CAPACITY);
  scalars: Float64Array;

  constructor(filterPaths: readonly string[], scalarsPerRow: number, rowsMax: number) {
    this.#rowsMax = rowsMax;
    this.dead = new Bitmap(rowsMax);
    this.#scalarsPerRow = scalarsPerRow;
    this.scalars = new Float64Array(FIRST_CAPACITY * scalarsPerRow);
    this.postings = new Map(filterPaths.map((path) => [path, new LivePostings()]));
  }

  get size(): number {
    return this.#rows.length;
  }

  get liveCount(): number {
    return this.#rowOf.size;
  }

  get isFull(): boolean {
    return this.size >= this.#rowsMax;
  }

  /** Adds a row for a record that has none here. */
  add(row: ActiveRow, address: number, scalars: readonly number[]): void {
    const number = this.#rows.push(row) - 1;
    if (number >= this.addresses.length) this.#grow();
    this.addresses[number] = address;
    this.scalars.set(scalars, number * this.#scalarsPerRow);
    this.#rowOf.set(row.recordId, number);
    let field = 0;
    for (const postings of this.postings.values()) postings.add(number, row.values[field++] as FieldValues);
  }

  row(number: number): ActiveRow {
    return this.#rows[number] as ActiveRow;
  }

  recordIdOf(row: number): RecordId {
    return this.row(row).recordId;
  }

  rowOf(recordId: RecordId): number {
    return this.#rowOf.get(recordId) ?? -1;
  }

  kill(row: number): void {
    this.dead.add(row);
    this.#rowOf.delete(this.recordIdOf(row));
  }

  vectorOf(row: number): Float32Array {
    return this.row(row).vector as Float32Array;
  }

  /** Live row numbers in ascending order of their records. */
  liveRows(): number[] {
    return [...this.#rowOf].sort(([a], [b]) => a - b).map(([, row]) => row);
  }

  #grow(): void {
    const capacity = Math.max(1, Math.min(this.#rowsMax, this.addresses.length * 2));
    const addresses = new Uint32Array(capacity);
    addresses.set(this.addresses);
    this.addresses = addresses;
    const scalars = new Float64Array(capacity * this.#scalarsPerRow);
    scalars.set(this.scalars);
    this.scalars = scalars;
  }
}
