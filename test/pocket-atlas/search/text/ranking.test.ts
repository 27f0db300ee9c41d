import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Bitmap } from '../../../../src/pocket-atlas/search/bitmap.js';
import { SegmentBuilder } from '../../../../src/pocket-atlas/search/text/index/segment-builder.js';
import { Ranking, type Result } from '../../../../src/pocket-atlas/search/text/query/ranking.js';
import type { SortField } from '../../../../src/pocket-atlas/search/text/query/sort.js';

const row = fc.record({ score: fc.integer({ min: 0, max: 4 }), n: fc.option(fc.integer({ min: 0, max: 3 })) });

function resultsOf(parts: readonly (readonly { score: number; n: number | null }[])[]): Result[] {
  let recordId = 0;
  return parts.map((rows, i) => {
    const builder = new SegmentBuilder();
    for (const { n } of rows) {
      builder.startRow(++recordId);
      if (n !== null) builder.addNumber('n:n', n);
    }
    const scores = Float32Array.from(rows, ({ score }) => score);
    return { segment: builder.build(i), matches: { rows: new Bitmap(rows.length).fill(), scores } };
  });
}

const SORTS: Readonly<Record<string, readonly SortField[] | null>> = {
  score: null,
  'a field': [{ path: 'n', order: 1, noData: 'lowest' }],
  'a field backwards, then the score': [
    { path: 'n', order: -1, noData: 'highest' },
    { path: null, order: -1, noData: 'lowest' },
  ],
};

describe('pages of a ranking', () => {
  it.each(Object.entries(SORTS))('that are selected are those of the whole order by %s', (_, sort) => {
    fc.assert(
      fc.property(
        fc.array(fc.array(row, { maxLength: 40 }), { maxLength: 3 }),
        fc.integer({ min: 1, max: 9 }),
        (parts, length) => {
          const results = resultsOf(parts);
          const whole = new Ranking(results, sort).slice(0, 1_000_000);
          const paged = new Ranking(results, sort);
          const pages = Array.from({ length: Math.ceil(whole.length / length) }, (_, page) =>
            paged.slice(page * length, (page + 1) * length),
          );
          expect(pages.flat()).toEqual(whole);
        },
      ),
    );
  });
});
