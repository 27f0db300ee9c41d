import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SegmentBuilder } from '../../../../src/pocket-atlas/search/text/index/segment-builder.js';
import { fuzzyTerms } from '../../../../src/pocket-atlas/search/text/query/fuzzy-terms.js';

const atOnce = async (): Promise<void> => {};

function segmentOf(terms: readonly string[], id: number) {
  const builder = new SegmentBuilder();
  builder.startRow(id);
  terms.forEach((term, position) => void builder.addWord('w:text', term, position));
  return builder.build(id);
}

/** Damerau-Levenshtein distance, optimal string alignment, by its recurrence. */
function distance(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return a.length + b.length;
  const [restA, restB] = [a.slice(1), b.slice(1)];
  if (a[0] === b[0]) return distance(restA, restB);
  const swapped = a.length > 1 && b.length > 1 && a[0] === b[1] && a[1] === b[0];
  return (
    1 +
    Math.min(
      distance(restA, b),
      distance(a, restB),
      distance(restA, restB),
      swapped ? distance(a.slice(2), b.slice(2)) : Number.POSITIVE_INFINITY,
    )
  );
}

const characters = fc.array(fc.constantFrom('a', 'b', 'c', 'ä', '語', '😀'), { minLength: 1, maxLength: 6 });

describe('the terms that stand for a misspelt word', () => {
  it('are those within reach, in whichever segment they are, and no others', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(characters, { maxLength: 30 }), { minLength: 1, maxLength: 3 }),
        characters,
        fc.constantFrom(1 as const, 2 as const),
        fc.integer({ min: 0, max: 2 }),
        async (dictionaries, word, maxEdits, prefixLength) => {
          const segments = dictionaries.map((terms, i) =>
            segmentOf(
              terms.map((term) => term.join('')),
              i + 1,
            ),
          );
          const fuzzy = { maxEdits, prefixLength, maxExpansions: 1_000 };
          const found = await fuzzyTerms(segments, 'w:text', word.join(''), fuzzy, atOnce);
          const expected = new Map<string, number>();
          for (const term of dictionaries.flat()) {
            const edits = distance(word, term);
            const boost = 1 - edits / Math.min(word.length, term.length);
            const isSamePrefix = term.slice(0, prefixLength).join('') === word.slice(0, prefixLength).join('');
            if (edits <= maxEdits && boost > 0 && isSamePrefix) expected.set(term.join(''), boost);
          }
          expect(new Map(found.map(({ term, boost }) => [term, boost]))).toEqual(expected);
          expect(found.map(({ boost }) => boost)).toEqual([...expected.values()].sort((a, b) => b - a));
        },
      ),
      { numRuns: 200 },
    );
  });

  it('pauses on the way through a large dictionary, and keeps the closest of many', async () => {
    const terms = Array.from({ length: 5_000 }, (_, i) => `w${i.toString(36).padStart(3, '0')}`);
    let pauses = 0;
    const pause = async (): Promise<void> => {
      pauses++;
    };
    const fuzzy = { maxEdits: 2 as const, prefixLength: 0, maxExpansions: 5 };
    const found = await fuzzyTerms([segmentOf(terms, 1)], 'w:text', 'w00a', fuzzy, pause);
    expect(found).toHaveLength(5);
    expect(found[0]).toEqual({ term: 'w00a', boost: 1 });
    expect(pauses).toBeGreaterThan(0);
  });
});
