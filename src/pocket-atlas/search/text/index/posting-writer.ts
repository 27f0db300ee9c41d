import { Dictionary } from './dictionary.js';
import type { ExactField, WordsField } from './segment.js';
import { VarintReader } from './varint.js';

/** What a row of a source became: -1 for a deleted one. */
export type RowMap = Int32Array;

export interface Source<Field> {
  readonly field: Field;
  readonly rowMap: RowMap;
}

/**
 * Takes merged postings term by term. Every array has from the start the room of all sources together, so that nothing is
 * gathered in pieces and joined in one long go at the end.
 */
export class PostingWriter {
  readonly #termBytes: Buffer;
  readonly #termEnds: Uint32Array;
  readonly #postingStarts: Uint32Array;
  readonly #rows: Uint32Array;
  #terms = 0;
  #usedBytes = 0;
  #used = 0;

  constructor(sources: readonly Source<ExactField>[]) {
    const total = (length: (field: ExactField) => number) => sources.reduce((sum, { field }) => sum + length(field), 0);
    const terms = total(({ dictionary }) => dictionary.size);
    this.#termBytes = Buffer.alloc(total(({ dictionary }) => dictionary.bytes.length));
    this.#termEnds = new Uint32Array(terms + 1);
    this.#postingStarts = new Uint32Array(terms + 1);
    this.#rows = new Uint32Array(total(({ rows }) => rows.length));
  }

  /** Adds the live rows of a term in one source; returns how many. */
  addRows({ field, rowMap }: Source<ExactField>, ordinal: number): number {
    const from = this.#used;
    const end = field.postingStarts[ordinal + 1]!;
    for (let i = field.postingStarts[ordinal]!; i < end; i++) {
      const to = rowMap[field.rows[i]!]!;
      if (to >= 0) this.#rows[this.#used++] = to;
    }
    return this.#used - from;
  }

  /** Ends a term. When all its rows are gone, so is the term. */
  endTerm(term: Uint8Array): boolean {
    if (this.#used === this.#postingStarts[this.#terms]) return false;
    this.#termBytes.set(term, this.#usedBytes);
    this.#usedBytes += term.length;
    this.#terms++;
    this.#termEnds[this.#terms] = this.#usedBytes;
    this.#postingStarts[this.#terms] = this.#used;
    return true;
  }

  result(): ExactField {
    const bytes = Buffer.from(shortened(this.#termBytes, this.#usedBytes));
    return {
      dictionary: new Dictionary(bytes, shortened(this.#termEnds, this.#terms + 1)),
      postingStarts: shortened(this.#postingStarts, this.#terms + 1),
      rows: shortened(this.#rows, this.#used),
    };
  }
}

/** What words have beside rows, in the order of the merged postings. */
export class WordWriter {
  readonly #freqs: Uint16Array;
  readonly #positions: Uint8Array;
  readonly #positionStarts: Uint32Array;
  #terms = 0;
  #usedFreqs = 0;
  #usedPositions = 0;

  constructor(sources: readonly Source<WordsField>[]) {
    const total = (length: (field: WordsField) => number) => sources.reduce((sum, { field }) => sum + length(field), 0);
    this.#freqs = new Uint16Array(total(({ freqs }) => freqs.length));
    this.#positions = new Uint8Array(total(({ positions }) => positions.length));
    this.#positionStarts = new Uint32Array(total(({ dictionary }) => dictionary.size) + 1);
  }

  /** `whole`: all rows of the term are alive. */
  add({ field, rowMap }: Source<WordsField>, ordinal: number, whole: boolean): void {
    const start = field.postingStarts[ordinal]!;
    const end = field.postingStarts[ordinal + 1]!;
    if (whole) {
      this.#freqs.set(field.freqs.subarray(start, end), this.#usedFreqs);
      this.#usedFreqs += end - start;
      this.#addPositions(field.positions, field.positionStarts[ordinal]!, field.positionStarts[ordinal + 1]!);
      return;
    }
    const reader = new VarintReader(field.positions, field.positionStarts[ordinal]!);
    for (let i = start; i < end; i++) {
      const from = reader.at;
      reader.skip(field.freqs[i]!);
      if (rowMap[field.rows[i]!]! < 0) continue;
      this.#freqs[this.#usedFreqs++] = field.freqs[i]!;
      this.#addPositions(field.positions, from, reader.at);
    }
  }

  endTerm(): void {
    this.#positionStarts[++this.#terms] = this.#usedPositions;
  }

  result(): Pick<WordsField, 'freqs' | 'positions' | 'positionStarts'> {
    return {
      freqs: shortened(this.#freqs, this.#usedFreqs),
      positions: shortened(this.#positions, this.#usedPositions),
      positionStarts: shortened(this.#positionStarts, this.#terms + 1),
    };
  }

  #addPositions(positions: Uint8Array, from: number, to: number): void {
    this.#positions.set(positions.subarray(from, to), this.#usedPositions);
    this.#usedPositions += to - from;
  }
}

/** What is used of an array that may be too long; a copy, so that the rest is given back. */
function shortened<Items extends { readonly length: number; slice(start: number, end: number): Items }>(
  items: Items,
  length: number,
): Items {
  return items.length === length ? items : items.slice(0, length);
}
