import { Bitmap } from '../../bitmap.js';
import { Dictionary } from './dictionary.js';
import { EXISTS, type ExactField, MAX_FREQ, type NumericField, type Segment, type WordsField } from './segment.js';
import { VarintWriter } from './varint.js';

/** Collects rows and makes a segment of them. Meant for up to a thousand rows at a time: larger ones come from merging. */
export class SegmentBuilder {
  private readonly recordIds: number[] = [];
  private readonly known = new Set<number>();
  private readonly words = new Map<string, WordsBuilder>();
  private readonly exact = new Map<string, Map<string, number[]>>();
  private readonly numeric = new Map<string, { value: number; row: number }[]>();

  get rowCount(): number {
    return this.recordIds.length;
  }

  /** How much work building will be. */
  get wordCount(): number {
    let total = 0;
    for (const field of this.words.values()) total += field.wordCount;
    return total;
  }

  hasRecord(recordId: number): boolean {
    return this.known.has(recordId);
  }

  /** Begins the next row; what is added after it belongs to it. */
  startRow(recordId: number): void {
    this.recordIds.push(recordId);
    this.known.add(recordId);
  }

  addWord(key: string, term: string, position: number): void {
    let field = this.words.get(key);
    if (field === undefined) {
      field = new WordsBuilder();
      this.words.set(key, field);
    }
    field.add(this.row, term, position);
  }

  addExact(key: string, value: string): void {
    let terms = this.exact.get(key);
    if (terms === undefined) {
      terms = new Map();
      this.exact.set(key, terms);
    }
    const rows = terms.get(value);
    if (rows === undefined) terms.set(value, [this.row]);
    else if (rows[rows.length - 1] !== this.row) rows.push(this.row);
  }

  addNumber(key: string, value: number): void {
    const pairs = this.numeric.get(key);
    if (pairs === undefined) this.numeric.set(key, [{ value, row: this.row }]);
    else pairs.push({ value, row: this.row });
  }

  addPath(path: string): void {
    this.addExact(EXISTS, path);
  }

  build(id: number): Segment {
    const rowCount = this.recordIds.length;
    return {
      id,
      rowCount,
      recordIds: Float64Array.from(this.recordIds),
      deleted: new Bitmap(rowCount),
      words: mapValues(this.words, (field) => field.build(rowCount)),
      exact: mapValues(this.exact, buildExact),
      numeric: mapValues(this.numeric, buildNumeric),
    };
  }

  private get row(): number {
    return this.recordIds.length - 1;
  }
}

/** The words of one field as they come, in parallel arrays: a text has too many words for an object each. */
class WordsBuilder {
  private readonly ids = new Map<string, number>();
  private readonly terms: number[] = [];
  private readonly rows: number[] = [];
  private readonly positions: number[] = [];

  add(row: number, term: string, position: number): void {
    let id = this.ids.get(term);
    if (id === undefined) {
      id = this.ids.size;
      this.ids.set(term, id);
    }
    this.terms.push(id);
    this.rows.push(row);
    this.positions.push(position);
  }

  /** A counting sort by term: words came in order of rows and positions, and stay so within a term. */
  build(rowCount: number): WordsField {
    const names = [...this.ids.keys()];
    const sorted = sortedByBytes(names);
    const rankOf = new Uint32Array(names.length);
    sorted.forEach((name, rank) => {
      rankOf[this.ids.get(name)!] = rank;
    });
    const ends = new Uint32Array(names.length + 1);
    for (const id of this.terms) ends[rankOf[id]! + 1]!++;
    for (let rank = 0; rank < names.length; rank++) ends[rank + 1]! += ends[rank]!;
    const next = ends.slice();
    const order = new Uint32Array(this.terms.length);
    this.terms.forEach((id, word) => {
      order[next[rankOf[id]!]!++] = word;
    });
    return {
      dictionary: Dictionary.of(sorted.map((name) => Buffer.from(name))),
      ...this.postings(order, ends),
      ...this.lengths(rowCount),
    };
  }

  private postings(
    order: Uint32Array,
    ends: Uint32Array,
  ): Pick<WordsField, 'postingStarts' | 'rows' | 'freqs' | 'positionStarts' | 'positions'> {
    const rows = new Uint32Array(order.length);
    const freqs = new Uint16Array(order.length);
    const positions = new VarintWriter();
    const postingStarts = new Uint32Array(ends.length);
    const positionStarts = new Uint32Array(ends.length);
    let used = 0;
    for (let rank = 0; rank + 1 < ends.length; rank++) {
      let last = 0;
      for (let i = ends[rank]!; i < ends[rank + 1]!; i++) {
        const word = order[i]!;
        const row = this.rows[word]!;
        const position = this.positions[word]!;
        if (i > ends[rank]! && rows[used - 1] === row) {
          if (freqs[used - 1]! >= MAX_FREQ) continue;
          freqs[used - 1]!++;
          positions.write(position - last);
        } else {
          rows[used] = row;
          freqs[used++] = 1;
          positions.write(position);
        }
        last = position;
      }
      postingStarts[rank + 1] = used;
      positionStarts[rank + 1] = positions.length;
    }
    return {
      postingStarts,
      rows: rows.slice(0, used),
      freqs: freqs.slice(0, used),
      positionStarts,
      positions: positions.result(),
    };
  }

  private lengths(rowCount: number): Pick<WordsField, 'lengths' | 'fieldRows' | 'totalLength'> {
    const lengths = new Uint32Array(rowCount);
    for (const row of this.rows) lengths[row]!++;
    return {
      lengths,
      fieldRows: lengths.reduce((sum, length) => sum + (length > 0 ? 1 : 0), 0),
      totalLength: this.rows.length,
    };
  }

  get wordCount(): number {
    return this.terms.length;
  }
}

function buildExact(terms: ReadonlyMap<string, number[]>): ExactField {
  return flattenRows(sortTerms(terms).map(({ bytes, value }) => ({ bytes, rows: value })));
}

function buildNumeric(pairs: readonly { value: number; row: number }[]): NumericField {
  const sorted = [...pairs].sort((a, b) => a.value - b.value || a.row - b.row);
  return {
    values: Float64Array.from(sorted, (pair) => pair.value),
    rows: Uint32Array.from(sorted, (pair) => pair.row),
  };
}

function sortTerms<T>(terms: ReadonlyMap<string, T>): { bytes: Buffer; value: T }[] {
  return sortedByBytes([...terms.keys()]).map((term) => ({ bytes: Buffer.from(term), value: terms.get(term)! }));
}

const SURROGATE = /[\ud800-\udfff]/;

/** In the order of their UTF-8 bytes. UTF-16 order, which sorts faster, is the same where no surrogate pair is. */
function sortedByBytes(terms: readonly string[]): string[] {
  if (!terms.some((term) => SURROGATE.test(term))) return [...terms].sort();
  return [...terms].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

function flattenRows(terms: readonly { bytes: Buffer; rows: readonly number[] }[]): ExactField {
  return {
    dictionary: Dictionary.of(terms.map(({ bytes }) => bytes)),
    postingStarts: startsOf(terms.map(({ rows }) => rows.length)),
    rows: Uint32Array.from(terms.flatMap(({ rows }) => rows)),
  };
}

/** Running sums: where each of the parts begins, and the end of the last. */
export function startsOf(lengths: readonly number[]): Uint32Array {
  const starts = new Uint32Array(lengths.length + 1);
  lengths.forEach((length, i) => {
    starts[i + 1] = starts[i]! + length;
  });
  return starts;
}

function mapValues<A, B>(map: ReadonlyMap<string, A>, convert: (value: A) => B): Map<string, B> {
  return new Map(Array.from(map, ([key, value]) => [key, convert(value)]));
}
