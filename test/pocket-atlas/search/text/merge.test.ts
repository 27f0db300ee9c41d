import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeSegments } from '../../../../src/pocket-atlas/search/text/index/merge.js';
import { rowOf, type Segment } from '../../../../src/pocket-atlas/search/text/index/segment.js';
import { SegmentBuilder } from '../../../../src/pocket-atlas/search/text/index/segment-builder.js';
import { memoryEngine, store } from './text-index-support.js';

interface Row {
  readonly words: readonly string[];
  readonly numbers: readonly number[];
}

const atOnce = async (): Promise<void> => {};

function built(rows: readonly (Row & { recordId: number })[], id = 1): Segment {
  const builder = new SegmentBuilder();
  for (const { recordId, words, numbers } of rows) {
    builder.startRow(recordId);
    words.forEach((word, position) => {
      builder.addWord('w:text', word, position);
      builder.addExact('x:text', word);
    });
    for (const number of numbers) builder.addNumber('n:number', number);
  }
  return builder.build(id);
}

/** Fields without those that nothing is left of: a merge keeps them empty, a builder never had them. */
function contentOf({ rowCount, recordIds, words, exact, numeric }: Segment) {
  const filled = <Field extends { rows: Uint32Array }>(fields: ReadonlyMap<string, Field>) =>
    new Map([...fields].filter(([, { rows }]) => rows.length > 0));
  const plain = (array: ArrayLike<number>) => Array.from(array);
  const postings = ({ dictionary, postingStarts, rows }: ReturnType<Segment['exact']['get']> & object) => ({
    terms: Array.from({ length: dictionary.size }, (_, i) => dictionary.term(i)),
    postingStarts: plain(postingStarts),
    rows: plain(rows),
  });
  const mapped = <A, B>(fields: ReadonlyMap<string, A>, convert: (field: A) => B) =>
    [...fields].map(([key, field]) => [key, convert(field)]);
  return {
    rowCount,
    recordIds: plain(recordIds),
    words: mapped(filled(words), (field) => ({
      ...postings(field),
      freqs: plain(field.freqs),
      positions: plain(field.positions),
      positionStarts: plain(field.positionStarts),
      lengths: plain(field.lengths),
      fieldRows: field.fieldRows,
      totalLength: field.totalLength,
    })),
    exact: mapped(filled(exact), postings),
    numeric: mapped(filled(numeric), ({ values, rows }) => ({ values: plain(values), rows: plain(rows) })),
  };
}

const word = fc.constantFrom('a', 'b', 'c', 'ä', '語', '😀', 'long word');
const row = fc.record({
  words: fc.array(word, { maxLength: 6 }),
  // Few values, so that many rows share one.
  numbers: fc.array(fc.integer({ min: -2, max: 2 }), { maxLength: 2 }),
  isDead: fc.boolean(),
});

describe('merging segments of texts', () => {
  it('gives the segment that the living rows would have made at once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(row, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 4 }),
        async (parts) => {
          let recordId = 0;
          const numbered = parts.map((rows) => rows.map((each) => ({ ...each, recordId: ++recordId })));
          const segments = numbered.map((rows, i) => {
            const segment = built(rows, i);
            rows.forEach(({ isDead }, at) => {
              if (isDead) segment.deleted.add(at);
            });
            return segment;
          });
          const merged = await mergeSegments(9, segments, atOnce);
          expect(contentOf(merged)).toEqual(contentOf(built(numbered.flat().filter(({ isDead }) => !isDead))));
        },
      ),
    );
  });

  it('finds the row of every record where replaced ones are out of order', async () => {
    const none = { words: [], numbers: [] };
    const first = built(
      [1, 2, 3, 4].map((recordId) => ({ recordId, ...none })),
      1,
    );
    const second = built(
      [2, 5].map((recordId) => ({ recordId, ...none })),
      2,
    );
    first.deleted.add(1);
    const merged = await mergeSegments(3, [first, second], atOnce);
    expect([1, 2, 3, 4, 5, 6, 0].map((recordId) => rowOf(merged, recordId))).toEqual([0, 3, 1, 2, 4, -1, -1]);
  });
});

describe('a stored segment of several parts', () => {
  it('comes back as it was', async () => {
    const engine = memoryEngine();
    const words = Array.from({ length: 30_000 }, (_, i) => `word ${i}`);
    const segment = built([{ recordId: 1, words, numbers: [1] }]);
    await store(engine).save(7, [segment], atOnce);
    expect([...engine.entries.keys()].filter((key) => key.includes('/s1/')).length).toBeGreaterThan(1);
    const { checkpoint, segments } = await store(engine).load(atOnce);
    expect(checkpoint).toBe(7);
    expect(contentOf(segments[0]!)).toEqual(contentOf(segment));
  });
});
