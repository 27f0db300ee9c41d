import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compare } from '../../../src/pocket-atlas/bson/compare.js';
import type { BsonValue, Doc } from '../../../src/pocket-atlas/bson/values.js';
import { compileFilter } from '../../../src/pocket-atlas/query/filter.js';
import { planFilter } from '../../../src/pocket-atlas/query/plan.js';
import { compileSort } from '../../../src/pocket-atlas/query/sort.js';
import type { IndexInfo, KeyRange } from '../../../src/pocket-atlas/storage/engine.js';
import { keyExtractor } from '../../../src/pocket-atlas/storage/index-keys.js';
import { document, filter, scalar } from './values.arbitrary.js';

const variables = { now: new Date(0), vars: {} };

function index(key: IndexInfo['key'], options: Partial<IndexInfo> = {}): IndexInfo {
  const name = Object.entries(key).flat().join('_');
  return {
    id: 1,
    name,
    key,
    unique: false,
    sparse: false,
    partialFilterExpression: null,
    expireAfterSeconds: null,
    multikey: false,
    spec: { key, name },
    ...options,
  };
}

/** An index as the engine defines it, kept as a sorted list of keys. */
function entriesOf(
  info: IndexInfo,
  docs: readonly Doc[],
): { info: IndexInfo; entries: { values: readonly BsonValue[]; at: number }[] } {
  const matches = info.partialFilterExpression === null ? null : compileFilter(info.partialFilterExpression, variables);
  const keysOf = keyExtractor(info, matches);
  let multikey = false;
  const entries = docs.flatMap((doc, at) => {
    const found = keysOf(doc);
    multikey ||= found.multikey;
    return found.keys.map(({ values }) => ({ values, at }));
  });
  const directions = Object.values(info.key);
  entries.sort((a, b) => {
    for (const [part, direction] of directions.entries()) {
      const order = compare(a.values[part], b.values[part]) * direction;
      if (order !== 0) return order;
    }
    return a.at - b.at;
  });
  return { info: { ...info, multikey }, entries };
}

function isWithin(values: readonly BsonValue[], { lower, upper }: KeyRange): boolean {
  const order = (bound: readonly BsonValue[]) => {
    for (const [part, value] of bound.entries()) {
      const difference = compare(values[part], value);
      if (difference !== 0) return difference;
    }
    return 0;
  };
  const fits = (bound: KeyRange['lower'], sign: 1 | -1) => {
    if (bound === undefined) return true;
    const difference = order(bound.values) * sign;
    return difference > 0 || (difference === 0 && bound.inclusive);
  };
  return fits(lower, 1) && fits(upper, -1);
}

const indexInfo: fc.Arbitrary<IndexInfo> = fc.constantFrom<IndexInfo[]>(
  index({ a: 1 }),
  index({ a: -1 }),
  index({ 'a.b': 1 }),
  index({ a: 1, b: 1 }),
  index({ b: -1, a: 1 }),
  index({ 'a.b': 1, 'a.c': 1 }),
  index({ 'a.b': 1, c: -1 }),
  index({ a: 1 }, { sparse: true }),
  index({ b: 1, c: 1 }, { sparse: true }),
  index({ a: 1 }, { partialFilterExpression: { b: { $exists: true } } }),
  index({ b: 1 }, { partialFilterExpression: { a: { $gt: 0 } } }),
);

const sort: fc.Arbitrary<Doc | undefined> = fc.constantFrom<(Doc | undefined)[]>(
  undefined,
  { a: 1 },
  { a: -1 },
  { a: 1, b: 1 },
  { b: 1, a: -1 },
  { 'a.b': 1 },
  { c: 1 },
);

describe('planFilter', () => {
  it('proposes every record that matches, whatever the filter, the index and the documents', () => {
    let planned = 0;
    fc.assert(
      fc.property(fc.array(document, { maxLength: 12 }), filter, indexInfo, sort, (docs, wanted, bare, order) => {
        let built: ReturnType<typeof entriesOf>;
        try {
          built = entriesOf(bare, docs);
        } catch {
          return; // parallel arrays, which no index can hold
        }
        const { info, entries } = built;
        const plan = planFilter(wanted, order, [info]);
        if (plan.kind !== 'index') return;
        planned++;
        const proposed = new Set(
          plan.ranges.flatMap((range) => entries.filter(({ values }) => isWithin(values, range)).map(({ at }) => at)),
        );
        const matches = compileFilter(wanted, variables);
        docs.forEach((doc, at) => {
          if (matches(doc)) expect(proposed).toContain(at);
        });
      }),
      { numRuns: 1500 },
    );
    expect(planned).toBeGreaterThan(25);
  });

  it('proposes in the order of the sort when it says so', () => {
    let sorted = 0;
    fc.assert(
      fc.property(
        fc.array(fc.dictionary(fc.constantFrom('a', 'b', 'c'), scalar, { maxKeys: 3, noNullPrototype: true }), {
          maxLength: 12,
        }),
        fc.oneof(fc.constant<Doc>({}), filter),
        indexInfo,
        sort,
        (docs, wanted, bare, order) => {
          const { info, entries } = entriesOf(bare, docs);
          const plan = planFilter(wanted, order, [info]);
          if (plan.kind !== 'index' || !plan.providesSort) return;
          sorted++;
          const proposed = plan.ranges.flatMap((range) => entries.filter(({ values }) => isWithin(values, range)));
          if (plan.reverse) proposed.reverse();
          const ordered = compileSort(order!);
          for (let at = 1; at < proposed.length; at++) {
            expect(ordered(docs[proposed[at - 1]!.at]!, docs[proposed[at]!.at]!)).toBeLessThanOrEqual(0);
          }
        },
      ),
      { numRuns: 1000 },
    );
    expect(sorted).toBeGreaterThan(25);
  });

  it.each<[string, Doc, Doc | undefined, IndexInfo[], unknown]>([
    ['an equality on _id is a lookup', { _id: 1, a: 2 }, undefined, [index({ _id: 1 })], { kind: 'ids', ids: [1] }],
    ['so is $in', { _id: { $in: [2, 1, 2] } }, undefined, [index({ _id: 1 })], { kind: 'ids', ids: [1, 2] }],
    ['nothing fits: a scan', { b: 1 }, undefined, [index({ _id: 1 }), index({ a: 1 })], { kind: 'scan' }],
    ['a negation is not planned', { a: { $ne: 1 } }, undefined, [index({ a: 1 })], { kind: 'scan' }],
    ['an array may match as a whole', { a: [1] }, undefined, [index({ a: 1 })], { kind: 'scan' }],
  ])('%s', (_claim, wanted, order, indexes, expected) => {
    expect(planFilter(wanted, order, indexes)).toEqual(expected);
  });

  it.each<[string, Doc, Doc | undefined, IndexInfo, unknown]>([
    [
      'equalities, then a range within its type',
      { a: 1, b: { $gt: 5 } },
      undefined,
      index({ a: 1, b: 1 }),
      [{ lower: { values: [1, 5], inclusive: false }, upper: { values: [1, Infinity], inclusive: true } }],
    ],
    [
      'both ends where there is no array',
      { a: { $gte: 1, $lt: 5 } },
      undefined,
      index({ a: 1 }),
      [{ lower: { values: [1], inclusive: true }, upper: { values: [5], inclusive: false } }],
    ],
    [
      'one end where another element may meet the other',
      { a: { $gte: 1, $lt: 5 } },
      undefined,
      index({ a: 1 }, { multikey: true }),
      [{ lower: { values: [1], inclusive: true }, upper: { values: [Infinity], inclusive: true } }],
    ],
    [
      'both ends for one element',
      { a: { $elemMatch: { $gte: 1, $lt: 5 } } },
      undefined,
      index({ a: 1 }, { multikey: true }),
      [{ lower: { values: [1], inclusive: true }, upper: { values: [5], inclusive: false } }],
    ],
    [
      'two paths into one array use the first only',
      { 'a.b': 1, 'a.c': 2 },
      undefined,
      index({ 'a.b': 1, 'a.c': 1 }, { multikey: true }),
      [{ lower: { values: [1], inclusive: true }, upper: { values: [1], inclusive: true } }],
    ],
    [
      'the beginning of a pattern',
      { a: { $regex: '^ab.*' } },
      undefined,
      index({ a: 1 }),
      expect.arrayContaining([
        { lower: { values: ['ab'], inclusive: true }, upper: { values: ['ac'], inclusive: false } },
      ]),
    ],
  ])('%s', (_claim, wanted, order, info, ranges) => {
    const plan = planFilter(wanted, order, [info]);
    expect(plan.kind === 'index' && plan.ranges).toEqual(ranges);
  });
});
