import type { Bitmap } from '../bitmap.js';
import type { FieldPostings } from './field-postings.js';
import type { FieldValues } from './field-values.js';
import type { FilterKey } from './filter-key.js';
import type { KeyBounds } from './filter-node.js';

/** Postings that grow: for the few thousand rows that no sealed segment holds yet. Keys are latin-1 strings of their bytes. */
export class LivePostings implements FieldPostings {
  readonly #rows = new Map<string, number[]>();
  readonly #existing: number[] = [];

  add(row: number, values: FieldValues): void {
    if (values.present) this.#existing.push(row);
    for (const key of values.keys) {
      const name = key.toString('latin1');
      const rows = this.#rows.get(name);
      if (rows === undefined) this.#rows.set(name, [row]);
      else rows.push(row);
    }
  }

  addEqual(key: FilterKey, into: Bitmap): void {
    addAll(this.#rows.get(key.toString('latin1')), into);
  }

  addRange(range: KeyBounds, into: Bitmap): void {
    const lower = range.lower?.key.toString('latin1');
    const upper = range.upper?.key.toString('latin1');
    for (const [key, rows] of this.#rows) {
      if (key.charCodeAt(0) !== range.tag) continue;
      if (lower !== undefined && (key < lower || (key === lower && !range.lower?.inclusive))) continue;
      if (upper !== undefined && (key > upper || (key === upper && !range.upper?.inclusive))) continue;
      addAll(rows, into);
    }
  }

  addExisting(into: Bitmap): void {
    addAll(this.#existing, into);
  }

  /** In ascending order of keys. */
  entries(): [key: string, rows: readonly number[]][] {
    return [...this.#rows].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  get existing(): readonly number[] {
    return this.#existing;
  }
}

/** A bitmap may be smaller than the postings: rows added after it was made are none of its business. */
function addAll(rows: readonly number[] | undefined, into: Bitmap): void {
  if (rows === undefined) return;
  for (const row of rows) if (row < into.size) into.add(row);
}
