import type { WordsField } from '../index/segment.js';
import { VarintReader } from '../index/varint.js';
import type { PhraseNode } from './node.js';

/** Tells every row that holds the phrase, with how often: a looser match counts 1 / (1 + its slop), as in Lucene. */
export function matchPhrase(field: WordsField, phrase: PhraseNode, visit: (row: number, freq: number) => void): void {
  const cursors: PostingCursor[] = [];
  for (const { term, position } of phrase.words) {
    const ordinal = field.dictionary.find(term);
    if (ordinal < 0) return;
    cursors.push(new PostingCursor(field, ordinal, position));
  }
  const lead = cursors[0];
  if (lead === undefined) return;
  while (lead.row !== END) {
    const row = lead.row;
    let agree = true;
    for (const cursor of cursors) {
      cursor.advanceTo(row);
      if (cursor.row === row) continue;
      agree = false;
      if (cursor.row === END) return;
      lead.advanceTo(cursor.row);
      break;
    }
    if (!agree) continue;
    const freq = phraseFrequency(
      cursors.map((cursor) => cursor.positions()),
      phrase.slop,
    );
    if (freq > 0) visit(row, freq);
    lead.next();
  }
}

/**
 * `lists`: for each word its positions less its place in the phrase, ascending; where all agree the phrase stands.
 * With slop the spread of one position from each list may be up to that much.
 */
export function phraseFrequency(lists: readonly (readonly number[])[], slop: number): number {
  const at = lists.map(() => 0);
  let freq = 0;
  for (;;) {
    let lowest = 0;
    let highest = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < lists.length; i++) {
      const value = lists[i]![at[i]!];
      if (value === undefined) return freq;
      if (value < lists[lowest]![at[lowest]!]!) lowest = i;
      highest = Math.max(highest, value);
    }
    const spread = highest - lists[lowest]![at[lowest]!]!;
    if (spread <= slop) freq += 1 / (1 + spread);
    at[lowest]!++;
  }
}

const END = 0xffffffff;

/** Walks one term's rows in order, decoding positions only where asked. */
class PostingCursor {
  private readonly field: WordsField;
  private readonly end: number;
  private readonly offset: number;
  private readonly reader: VarintReader;
  private at: number;
  /** Whether the positions of the current posting were read already. */
  private decoded: number[] | null = null;
  row: number;

  constructor(field: WordsField, ordinal: number, offset: number) {
    this.field = field;
    this.at = field.postingStarts[ordinal]!;
    this.end = field.postingStarts[ordinal + 1]!;
    this.offset = offset;
    this.reader = new VarintReader(field.positions, field.positionStarts[ordinal]!);
    this.row = this.at < this.end ? field.rows[this.at]! : END;
  }

  next(): void {
    if (this.decoded === null) this.reader.skip(this.field.freqs[this.at]!);
    this.decoded = null;
    this.at++;
    this.row = this.at < this.end ? this.field.rows[this.at]! : END;
  }

  advanceTo(row: number): void {
    while (this.row < row) this.next();
  }

  positions(): number[] {
    if (this.decoded !== null) return this.decoded;
    const positions: number[] = [];
    let position = 0;
    for (let left = this.field.freqs[this.at]!; left > 0; left--) {
      position += this.reader.read();
      positions.push(position - this.offset);
    }
    this.decoded = positions;
    return positions;
  }
}
