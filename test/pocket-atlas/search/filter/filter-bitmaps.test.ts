import { Long, ObjectId } from 'bson';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BsonValue, Doc } from '../../../../src/pocket-atlas/bson/values.js';
import { Bitmap } from '../../../../src/pocket-atlas/search/bitmap.js';
import { matchingRows } from '../../../../src/pocket-atlas/search/filter/field-postings.js';
import { fieldValues } from '../../../../src/pocket-atlas/search/filter/field-values.js';
import { parseFilter } from '../../../../src/pocket-atlas/search/filter/filter-language.js';
import { LivePostings } from '../../../../src/pocket-atlas/search/filter/live-postings.js';
import {
  mergePostings,
  SealedPostings,
  sealPostings,
} from '../../../../src/pocket-atlas/search/filter/sealed-postings.js';
import { naiveMatch } from './naive-matcher.js';

/** Any of the fields may be missing; a plain object, as decoding makes them. */
const PLAIN = { requiredKeys: [] as [], noNullPrototype: true };
const PATHS = ['a', 'b', 'b.c', 'd'];

const number = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.constantFrom(0.5, -0.5, -0, 2 ** 53, 1e300, -1e300, Number.POSITIVE_INFINITY),
  fc
    .constantFrom(2n ** 53n, 2n ** 53n + 1n, 2n ** 62n + 1n, -(2n ** 53n) - 1n, 2n)
    .map((value) => Long.fromBigInt(value)),
);
const text = fc.constantFrom('', 'a', 'ab', 'b', 'é', '\u{1F600}', '\uFFFF', 'constructor', '__proto__');
const date = fc.constantFrom(-1, 0, 1, 2 ** 45).map((ms) => new Date(ms));
const id = fc.constantFrom('0', '1', 'f').map((digit) => new ObjectId(digit.repeat(24)));
const byType: fc.Arbitrary<BsonValue>[] = [number, text, date, id, fc.boolean()];
const value: fc.Arbitrary<BsonValue> = fc.oneof(...byType, fc.constant(null));
const stored = fc.oneof({ weight: 3, arbitrary: value }, { weight: 1, arbitrary: fc.array(value, { maxLength: 3 }) });
const inner = fc.oneof(
  stored,
  fc.record({ c: stored }, PLAIN),
  fc.array(fc.record({ c: stored }, PLAIN), { maxLength: 3 }),
);
const doc = fc.record({ a: stored, b: inner, d: stored }, PLAIN) as fc.Arbitrary<Doc>;

const oneType = fc.oneof(...byType.map((type) => fc.array(type, { minLength: 1, maxLength: 3 })));
const bound = fc.oneof(...byType);
const condition: fc.Arbitrary<Doc> = fc.oneof(
  fc.record({ $eq: value, $ne: value, $gt: bound, $gte: bound, $lt: bound, $lte: bound }, PLAIN),
  fc.record({ $in: oneType, $nin: oneType, $exists: fc.boolean() }, PLAIN),
);
const operators = condition.filter((conditions) => Object.keys(conditions).length > 0);
const clause = fc
  .tuple(
    fc.constantFrom(...PATHS),
    fc.oneof(
      value,
      operators,
      operators.map(($not) => ({ $not })),
    ),
  )
  .map(([path, operand]): Doc => ({ [path]: operand }));
const { filter } = fc.letrec<{ filter: Doc }>((tie) => ({
  filter: fc.oneof(
    { depthSize: 'small' },
    clause,
    fc.array(clause, { maxLength: 2 }).map((clauses): Doc => Object.assign({}, ...clauses)),
    fc
      .tuple(fc.constantFrom('$and', '$or', '$nor'), fc.array(tie('filter'), { minLength: 1, maxLength: 3 }))
      .map(([name, clauses]): Doc => ({ [name]: clauses })),
  ),
}));

/** Rows of documents as an index keeps them: live, sealed, and sealed in two parts that were merged without some rows. */
function live(docs: readonly Doc[]): Map<string, LivePostings> {
  const postings = new Map(PATHS.map((path) => [path, new LivePostings()]));
  for (const [row, one] of docs.entries()) {
    for (const path of PATHS) postings.get(path)!.add(row, fieldValues(one, path.split('.')));
  }
  return postings;
}

function sealed(postings: LivePostings, size: number): SealedPostings {
  const existing = new Bitmap(size);
  for (const row of postings.existing) existing.add(row);
  const entries = postings.entries().map(([key, rows]) => [Buffer.from(key, 'latin1'), rows] as const);
  return new SealedPostings(sealPostings(entries, existing));
}

async function rowsOf(filterDoc: Doc, postings: Parameters<typeof matchingRows>[1], size: number): Promise<number[]> {
  return [...(await matchingRows(parseFilter(filterDoc), postings, size, async () => {})).rows()];
}

describe('filter bitmaps', () => {
  it('hold the rows that a naive matcher finds, live, sealed and merged', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(doc, { maxLength: 12 }),
        fc.array(doc, { maxLength: 12 }),
        filter,
        async (first, second, where) => {
          const all = [...first, ...second];
          const expected = all.flatMap((one, row) => (naiveMatch(one, where) ? [row] : []));
          expect(await rowsOf(where, live(all), all.length)).toEqual(expected);

          const whole = new Map([...live(all)].map(([path, postings]) => [path, sealed(postings, all.length)]));
          expect(await rowsOf(where, whole, all.length)).toEqual(expected);

          // Merged without every third row.
          const kept = all.filter((_, row) => row % 3 !== 2);
          const parts = [first, second].map((docs) => ({
            docs,
            postings: live(docs),
            newRow: new Int32Array(docs.length),
          }));
          let next = 0;
          let row = 0;
          for (const { docs, newRow } of parts) {
            for (const position of docs.keys()) newRow[position] = row++ % 3 === 2 ? -1 : next++;
          }
          const merged = new Map(
            PATHS.map((path) => {
              const sources = parts.map(({ docs, postings, newRow }) => ({
                postings: sealed(postings.get(path)!, docs.length),
                newRow,
              }));
              return [path, new SealedPostings(mergePostings(sources, kept.length))];
            }),
          );
          const expectedKept = kept.flatMap((one, position) => (naiveMatch(one, where) ? [position] : []));
          expect(await rowsOf(where, merged, kept.length)).toEqual(expectedKept);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('tells null from missing, unlike MQL', async () => {
    const docs = [{ a: null }, {}, { a: 1 }];
    expect(await rowsOf({ a: null }, live(docs), 3)).toEqual([0]);
    expect(await rowsOf({ a: { $ne: null } }, live(docs), 3)).toEqual([1, 2]);
    expect(await rowsOf({ a: { $exists: false } }, live(docs), 3)).toEqual([1]);
  });

  it('compares only as many bytes of a string as Lucene keeps of a term', async () => {
    const long = 'x'.repeat(32_766);
    expect(await rowsOf({ a: `${long}1` }, live([{ a: `${long}2` }]), 1)).toEqual([0]);
  });
});
