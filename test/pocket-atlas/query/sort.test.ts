import { Decimal128, Double, Long, MaxKey, MinKey, ObjectId } from 'bson';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BsonValue, type Doc, setMeta } from '../../../src/pocket-atlas/bson/values.js';
import { compileSort, sortDocuments } from '../../../src/pocket-atlas/query/sort.js';
import { failure } from './check.js';
import { document } from './values.arbitrary.js';

const order = (docs: Doc[], sort: Doc) => sortDocuments(docs, sort).map((doc) => doc.n);

function numbered(values: BsonValue[]): Doc[] {
  return values.map((a, n) => (a === undefined ? { n } : { n, a }));
}

describe('compileSort', () => {
  it('orders all types as BSON does', () => {
    const ascending: BsonValue[] = [
      new MinKey(),
      [],
      null,
      -Infinity,
      new Double(1),
      Long.fromNumber(2),
      Decimal128.fromString('2.5'),
      'a',
      'b',
      { x: 1 },
      { x: 2 },
      new ObjectId('000000000000000000000001'),
      false,
      true,
      new Date(0),
      new Date(1),
      new MaxKey(),
    ];
    const shuffled = numbered(ascending).reverse();
    expect(order(shuffled, { a: 1 })).toEqual(ascending.map((_, n) => n));
    expect(order(shuffled, { a: -1 })).toEqual(ascending.map((_, n) => n).reverse());
  });

  it('takes the least of an array ascending, the greatest descending', () => {
    const docs = numbered([[5, 1], [3, 4], 2]);
    expect(order(docs, { a: 1 })).toEqual([0, 2, 1]);
    expect(order(docs, { a: -1 })).toEqual([0, 1, 2]);
  });

  it('counts missing as null, and goes through arrays of documents', () => {
    const docs: Doc[] = [{ n: 0, a: [{ b: 3 }, { b: 1 }] }, { n: 1 }, { n: 2, a: { b: 2 } }, { n: 3, a: [{}] }];
    expect(order(docs, { 'a.b': 1 })).toEqual([1, 3, 0, 2]);
    expect(order(docs, { 'a.0.b': 1 })).toEqual([1, 2, 3, 0]);
  });

  it('goes field by field and leaves ties as they were', () => {
    const docs: Doc[] = [
      { n: 0, a: 1, b: 1 },
      { n: 1, a: 1, b: 2 },
      { n: 2, a: 0, b: 3 },
      { n: 3, a: 1, b: 2 },
    ];
    expect(order(docs, { a: 1, b: -1 })).toEqual([2, 1, 3, 0]);
  });

  it('orders by metadata from high to low', () => {
    const docs = [0.1, 0.9, 0.5].map((score, n) => setMeta({ n }, { searchScore: score }));
    expect(order(docs, { score: { $meta: 'searchScore' } })).toEqual([1, 2, 0]);
  });

  it('is a total preorder on any documents', () => {
    const sort = fc.constantFrom<Doc[]>({ a: 1 }, { a: -1 }, { 'a.b': 1, c: -1 }, { b: 1, a: 1 });
    fc.assert(
      fc.property(document, document, document, sort, (x, y, z, by) => {
        const compare = compileSort(by);
        expect(compare(x, x)).toBe(0);
        expect(Math.sign(compare(x, y))).toBe(-Math.sign(compare(y, x)) + 0);
        if (compare(x, y) <= 0 && compare(y, z) <= 0) expect(compare(x, z)).toBeLessThanOrEqual(0);
      }),
      { numRuns: 1000 },
    );
  });

  it.each<[Doc, number, string]>([
    [{ a: 2 }, 15975, '$sort key ordering must be 1 (for ascending) or -1 (for descending)'],
    [{ a: 'x' }, 15974, 'Illegal key in $sort specification: a: "x"'],
    [{ a: { $meta: 'nope' } }, 17308, 'Unsupported argument to $meta: nope'],
    [{ $a: 1 }, 16410, "FieldPath field names may not start with '$'. Consider using $getField or $setField."],
  ])('refuses %j', (sort, code, message) => {
    expect(failure(() => compileSort(sort))).toEqual({ code, message });
  });
});
