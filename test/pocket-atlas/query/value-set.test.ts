import { Decimal128, Double, Long } from 'bson';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { equals } from '../../../src/pocket-atlas/bson/compare.js';
import type { BsonValue } from '../../../src/pocket-atlas/bson/values.js';
import { ValueMap, ValueSet } from '../../../src/pocket-atlas/query/value-set.js';
import { value } from './values.arbitrary.js';

/** One number in every type that can hold it. */
const spellings = fc
  .constantFrom(0, 1, -3, 7, 2 ** 31, 2 ** 53)
  .chain((n) =>
    fc.constantFrom<BsonValue[]>(
      n,
      new Double(n),
      Long.fromNumber(n),
      Decimal128.fromString(String(n)),
      Decimal128.fromString(`${n}.00`),
    ),
  );

const odd = fc.constantFrom<BsonValue[]>(
  Number.NaN,
  Decimal128.fromString('NaN'),
  -0,
  0.1,
  Decimal128.fromString('0.1'),
  '1',
  Infinity,
);

describe('ValueSet', () => {
  it('holds what is equal to something in it, and nothing else', () => {
    const any = fc.oneof(
      value,
      spellings,
      odd,
      fc.array(spellings, { maxLength: 2 }),
      spellings.map((a): BsonValue => ({ a })),
    );
    fc.assert(
      fc.property(fc.array(any, { maxLength: 5 }), any, (items, sought) => {
        expect(new ValueSet(items).has(sought)).toBe(items.some((item) => equals(item, sought)));
      }),
      { numRuns: 2000 },
    );
  });

  it('keeps the first spelling, in the order of insertion', () => {
    const set = new ValueSet([2, new Double(2), 'x', Long.fromNumber(1), 1]);
    expect(set.values()).toStrictEqual([2, 'x', Long.fromNumber(1)]);
    expect([set.size, set.add(1), set.add('y')]).toEqual([3, false, true]);
  });
});

describe('ValueMap', () => {
  it('keeps missing apart from null', () => {
    const map = new ValueMap<string>();
    map.getOrInsert(null, () => 'null');
    expect([map.get(null), map.get(undefined)]).toEqual(['null', undefined]);
  });
});
