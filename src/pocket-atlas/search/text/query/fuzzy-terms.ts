import type { Dictionary } from '../index/dictionary.js';
import type { Segment } from '../index/segment.js';
import type { Fuzzy } from './node.js';

/** An index term that stands for a query word; `boost` below 1 for a fuzzy one. */
export interface ExpandedTerm {
  readonly term: string;
  readonly boost: number;
}

/** Terms looked at between two looks at the clock. */
const TERMS_PER_LOOK = 256;

/**
 * Index terms within `maxEdits` of a word (a swap of neighbours counts as one edit), the closest first. The boost is
 * 1 − edits / the shorter length, as in Lucene's FuzzyTermsEnum.
 */
export async function fuzzyTerms(
  segments: readonly Segment[],
  key: string,
  word: string,
  fuzzy: Fuzzy,
  pause: () => Promise<void>,
): Promise<ExpandedTerm[]> {
  const characters = [...word];
  const prefix = characters.slice(0, fuzzy.prefixLength).join('');
  const found = new Map<string, number>();
  for (const segment of segments) {
    const dictionary = segment.words.get(key)?.dictionary;
    if (dictionary === undefined) continue;
    const walk = new DistanceWalk(dictionary, characters, fuzzy.maxEdits);
    const { start, end } = dictionary.prefixRange(prefix);
    let looked = 0;
    for (let ordinal = start; ordinal < end; ordinal = walk.next(ordinal, end)) {
      if (++looked % TERMS_PER_LOOK === 0) await pause();
      const edits = walk.distanceOf(ordinal);
      if (edits > fuzzy.maxEdits) continue;
      const shorter = Math.min(characters.length, walk.length);
      found.set(dictionary.term(ordinal), edits === 0 ? 1 : 1 - edits / shorter);
    }
  }
  return Array.from(found, ([term, boost]) => ({ term, boost }))
    .filter(({ boost }) => boost > 0)
    .sort((a, b) => b.boost - a.boost || (a.term < b.term ? -1 : 1))
    .slice(0, fuzzy.maxExpansions);
}

/**
 * Distances (Damerau-Levenshtein, optimal string alignment) from one word to the terms of a sorted dictionary. Neighbours
 * begin alike, so the rows of the table for what they share are kept; and where a beginning alone is too far away, all terms
 * that have it are passed over.
 */
class DistanceWalk {
  /** Characters of the term last looked at. */
  length = 0;
  readonly #dictionary: Dictionary;
  readonly #word: Int32Array;
  readonly #most: number;
  /** Row d: distances from the first d characters of the term to the first j of the word. */
  readonly #rows: Int32Array[];
  /** Of the term: its characters, and where each ends in bytes. */
  readonly #characters: number[] = [];
  readonly #ends: number[] = [];
  /** Rows that hold for the term last looked at. */
  #depth = 0;
  #last = -1;
  /** Bytes of the beginning that was too far; 0: none was. */
  #tooFar = 0;

  constructor(dictionary: Dictionary, word: readonly string[], most: number) {
    this.#dictionary = dictionary;
    this.#word = Int32Array.from(word, (character) => character.codePointAt(0)!);
    this.#most = most;
    this.#rows = [Int32Array.from({ length: word.length + 1 }, (_, j) => j)];
  }

  /** Anything above `most` is some number above it. */
  distanceOf(ordinal: number): number {
    const shared = this.#last < 0 ? 0 : this.#sharedBytes(ordinal);
    while (this.#depth > 0 && this.#ends[this.#depth - 1]! > shared) this.#depth--;
    const { bytes, offsets } = this.#dictionary;
    const from = offsets[ordinal]!;
    const length = offsets[ordinal + 1]! - from;
    this.#last = ordinal;
    this.#tooFar = 0;
    let at = this.#depth === 0 ? 0 : this.#ends[this.#depth - 1]!;
    while (at < length) {
      const size = characterBytes(bytes[from + at]!);
      this.#characters[this.#depth] = characterAt(bytes, from + at, size);
      at += size;
      this.#ends[this.#depth] = at;
      this.#depth++;
      if (this.#addRow(this.#depth) > this.#most) {
        this.#tooFar = at;
        return this.#most + 1;
      }
    }
    this.length = this.#depth;
    return this.#rows[this.#depth]![this.#word.length]!;
  }

  /** The ordinal after this one that is worth looking at, at most `end`. */
  next(ordinal: number, end: number): number {
    if (this.#tooFar === 0) return ordinal + 1;
    const has = (other: number) => this.#sharedBytes(other) >= this.#tooFar;
    let low = ordinal;
    let step = 1;
    while (low + step < end && has(low + step)) {
      low += step;
      step *= 2;
    }
    let high = Math.min(end, low + step);
    // `low` has the beginning, `high` has not.
    while (low + 1 < high) {
      const middle = (low + high) >>> 1;
      if (has(middle)) low = middle;
      else high = middle;
    }
    return high;
  }

  /** Makes the row of a depth; returns its least. */
  #addRow(depth: number): number {
    const word = this.#word;
    this.#rows[depth] ??= new Int32Array(word.length + 1);
    const [row, above, second] = [this.#rows[depth]!, this.#rows[depth - 1]!, this.#rows[depth - 2]];
    const character = this.#characters[depth - 1]!;
    const before = this.#characters[depth - 2];
    row[0] = depth;
    let least = depth;
    for (let j = 1; j < row.length; j++) {
      const same = word[j - 1] === character;
      let cost = Math.min(above[j]! + 1, row[j - 1]! + 1, above[j - 1]! + (same ? 0 : 1));
      if (second !== undefined && j > 1 && word[j - 2] === character && word[j - 1] === before) {
        cost = Math.min(cost, second[j - 2]! + 1);
      }
      row[j] = cost;
      if (cost < least) least = cost;
    }
    return least;
  }

  /** How many bytes a term shares with the one last looked at. */
  #sharedBytes(ordinal: number): number {
    const { bytes, offsets } = this.#dictionary;
    const a = offsets[this.#last]!;
    const b = offsets[ordinal]!;
    const most = Math.min(offsets[this.#last + 1]! - a, offsets[ordinal + 1]! - b);
    let shared = 0;
    while (shared < most && bytes[a + shared] === bytes[b + shared]) shared++;
    return shared;
  }
}

/** Of a character in UTF-8, from its first byte. */
function characterBytes(first: number): number {
  if (first < 0x80) return 1;
  if (first < 0xe0) return 2;
  return first < 0xf0 ? 3 : 4;
}

function characterAt(bytes: Uint8Array, at: number, size: number): number {
  const first = bytes[at]!;
  if (size === 1) return first;
  let code = first & (0xff >> (size + 1));
  for (let i = 1; i < size; i++) code = (code << 6) | (bytes[at + i]! & 0x3f);
  return code;
}
