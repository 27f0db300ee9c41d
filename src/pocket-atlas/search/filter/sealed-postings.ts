import { Bitmap } from '../bitmap.js';
import type { FieldPostings } from './field-postings.js';
import type { FilterKey } from './filter-key.js';
import type { KeyBounds } from './filter-node.js';

/**
 * Postings that never change, as four flat arrays: the sorted keys, and the rows of each. They are written to a file as they
 * are and read back without decoding; a lookup is a binary search over bytes, a range is a run of rows.
 */
export interface PostingsSections {
  readonly keyBytes: Uint8Array;
  /** Key i is keyBytes[keyEnds[i - 1] .. keyEnds[i]), its rows are rows[rowEnds[i - 1] .. rowEnds[i]). */
  readonly keyEnds: Uint32Array;
  readonly rowEnds: Uint32Array;
  readonly rows: Uint32Array;
  /** Bitmap words of the rows that have the field. */
  readonly existing: Uint32Array;
}

export class SealedPostings implements FieldPostings {
  readonly sections: PostingsSections;
  readonly #keys: Buffer;

  constructor(sections: PostingsSections) {
    this.sections = sections;
    const { keyBytes } = sections;
    this.#keys = Buffer.from(keyBytes.buffer, keyBytes.byteOffset, keyBytes.length);
  }

  get keyCount(): number {
    return this.sections.keyEnds.length;
  }

  addEqual(key: FilterKey, into: Bitmap): void {
    const position = this.#firstNotBelow(key);
    if (position < this.keyCount && this.#compareAt(position, key) === 0) this.#addRows(position, position + 1, into);
  }

  addRange({ tag, lower, upper }: KeyBounds, into: Bitmap): void {
    const from =
      lower === undefined ? this.#firstNotBelow(Buffer.from([tag])) : this.#bound(lower.key, !lower.inclusive);
    const to =
      upper === undefined ? this.#firstNotBelow(Buffer.from([tag + 1])) : this.#bound(upper.key, upper.inclusive);
    if (from < to) this.#addRows(from, to, into);
  }

  addExisting(into: Bitmap): void {
    into.or(new Bitmap(into.size, this.sections.existing));
  }

  /** In ascending order of keys. The arrays are views. */
  *entries(): Generator<[key: Buffer, rows: Uint32Array]> {
    const { keyEnds, rowEnds, rows } = this.sections;
    for (let i = 0, key = 0, row = 0; i < this.keyCount; i++) {
      const [keyEnd, rowEnd] = [keyEnds[i] as number, rowEnds[i] as number];
      yield [this.#keys.subarray(key, keyEnd), rows.subarray(row, rowEnd)];
      [key, row] = [keyEnd, rowEnd];
    }
  }

  /** The first position whose key is not below `key`; above it, when `afterEqual` and the keys are equal. */
  #bound(key: FilterKey, afterEqual: boolean): number {
    const position = this.#firstNotBelow(key);
    return afterEqual && position < this.keyCount && this.#compareAt(position, key) === 0 ? position + 1 : position;
  }

  #firstNotBelow(key: FilterKey): number {
    let low = 0;
    let high = this.keyCount;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#compareAt(middle, key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #compareAt(position: number, key: FilterKey): number {
    const { keyEnds } = this.sections;
    const start = position === 0 ? 0 : (keyEnds[position - 1] as number);
    return this.#keys.compare(key, 0, key.length, start, keyEnds[position] as number);
  }

  #addRows(from: number, to: number, into: Bitmap): void {
    const { rowEnds, rows } = this.sections;
    const start = from === 0 ? 0 : (rowEnds[from - 1] as number);
    const end = rowEnds[to - 1] as number;
    // The one owner of an index: a key's rows are there once each, so as many as there are rows are all rows.
    if (to - from === 1 && end - start === into.size) into.fill();
    else for (let i = start; i < end; i++) into.add(rows[i] as number);
  }
}

/** Entries come in ascending order of keys, each key once. */
export function sealPostings(
  entries: Iterable<readonly [key: Uint8Array, rows: ArrayLike<number>]>,
  existing: Bitmap,
): PostingsSections {
  const keys: Uint8Array[] = [];
  const rowsOfKeys: ArrayLike<number>[] = [];
  const keyEnds: number[] = [];
  const rowEnds: number[] = [];
  let keyEnd = 0;
  let rowEnd = 0;
  for (const [key, rows] of entries) {
    if (rows.length === 0) continue;
    keyEnd += key.length;
    rowEnd += rows.length;
    keys.push(key);
    rowsOfKeys.push(rows);
    keyEnds.push(keyEnd);
    rowEnds.push(rowEnd);
  }
  const keyBytes = new Uint8Array(keyEnd);
  const rows = new Uint32Array(rowEnd);
  for (const [i, key] of keys.entries()) {
    keyBytes.set(key, (keyEnds[i] as number) - key.length);
    const rowsOfKey = rowsOfKeys[i] as ArrayLike<number>;
    rows.set(rowsOfKey, (rowEnds[i] as number) - rowsOfKey.length);
  }
  return {
    keyBytes,
    keyEnds: Uint32Array.from(keyEnds),
    rowEnds: Uint32Array.from(rowEnds),
    rows,
    existing: existing.words,
  };
}

/** What is to become of the rows of one source: `newRow[old]`, or -1 for those that go. */
export interface MergeSource {
  readonly postings: SealedPostings;
  readonly newRow: Int32Array;
}

/** The postings of several sources as one, over `size` rows. */
export function mergePostings(sources: readonly MergeSource[], size: number): PostingsSections {
  const existing = new Bitmap(size);
  for (const { postings, newRow } of sources) {
    for (const row of new Bitmap(newRow.length, postings.sections.existing).rows()) {
      const to = newRow[row] as number;
      if (to >= 0) existing.add(to);
    }
  }
  return sealPostings(mergedEntries(sources), existing);
}

/** A k-way merge; k is small (the segments of one merge), so the lowest key is looked for in turn. */
function* mergedEntries(sources: readonly MergeSource[]): Generator<[Buffer, number[]]> {
  const cursors = sources.map(({ postings, newRow }) => ({ entries: postings.entries(), newRow }));
  const heads = cursors.map(({ entries }) => entries.next());
  for (;;) {
    let lowest: Buffer | undefined;
    for (const head of heads) {
      if (!head.done && (lowest === undefined || lowest.compare(head.value[0]) > 0)) lowest = head.value[0];
    }
    if (lowest === undefined) return;
    const rows: number[] = [];
    for (const [i, head] of heads.entries()) {
      if (head.done || !lowest.equals(head.value[0])) continue;
      const { entries, newRow } = cursors[i] as (typeof cursors)[number];
      for (const row of head.value[1]) if ((newRow[row] as number) >= 0) rows.push(newRow[row] as number);
      heads[i] = entries.next();
    }
    yield [lowest, rows.sort((a, b) => a - b)];
  }
}
