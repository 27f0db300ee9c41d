import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compare } from '../../../src/pocket-atlas/bson/compare.js';
import {
  encodeKey,
  isShortened,
  KEY_PREFIX_BYTES,
  keyPrefix,
  prefixEnd,
  STORED_KEY_BYTES_MAX,
  storedKey,
} from '../../../src/pocket-atlas/bson/key.js';
import type { BsonValue } from '../../../src/pocket-atlas/bson/values.js';
import * as arbitrary from './arbitrary.js';

const direction = fc.constantFrom<1 | -1>(1, -1);
/** Pairs that are often equal, or equal but for their type. */
const pair = (value: fc.Arbitrary<BsonValue>) =>
  fc.oneof(
    fc.tuple(value, value),
    value.map((same) => [same, same]),
  );

function expectSameOrder(left: readonly BsonValue[], right: readonly BsonValue[], directions: (1 | -1)[]): void {
  let expected = 0;
  for (const [part, value] of left.entries()) {
    expected = compare(value, right[part]) * directions[part]!;
    if (expected !== 0) break;
  }
  expect(Buffer.compare(encodeKey(left, directions), encodeKey(right, directions))).toBe(Math.sign(expected) + 0);
}

describe('keys', () => {
  it('sort as the values compare', () => {
    fc.assert(
      fc.property(pair(arbitrary.value), direction, ([a, b], way) => expectSameOrder([a], [b], [way])),
      { numRuns: 1500 },
    );
  });

  it('sort as numbers compare, whatever their types', () => {
    fc.assert(
      fc.property(arbitrary.number, arbitrary.number, direction, (a, b, way) => expectSameOrder([a], [b], [way])),
      { numRuns: 1500 },
    );
  });

  it('of several values sort part by part, each in its direction', () => {
    fc.assert(
      fc.property(
        pair(arbitrary.value),
        pair(arbitrary.scalar),
        direction,
        direction,
        ([a, b], [c, d], first, second) => expectSameOrder([a, c], [b, d], [first, second]),
      ),
      { numRuns: 1000 },
    );
  });

  it('of several values lie between the ends of their first value', () => {
    fc.assert(
      fc.property(arbitrary.value, arbitrary.value, direction, direction, (a, b, first, second) => {
        const prefix = encodeKey([a], [first]);
        const key = encodeKey([a, b], [first, second]);
        expect(Buffer.compare(key, prefix)).toBeGreaterThanOrEqual(0);
        expect(Buffer.compare(key, prefixEnd(prefix)!)).toBe(-1);
      }),
    );
  });

  it('beyond the limit are stored shortened: distinct, and within the ends of their prefix', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: KEY_PREFIX_BYTES - 10, max: 3000 }),
        arbitrary.text,
        arbitrary.text,
        (length, a, b) => {
          const long = 'x'.repeat(length);
          const [left, right] = [encodeKey([long + a], [1]), encodeKey([long + b], [1])];
          const [one, two] = [storedKey(left), storedKey(right)];
          expect(one.length).toBeLessThanOrEqual(STORED_KEY_BYTES_MAX);
          expect(isShortened(one)).toBe(left.length > KEY_PREFIX_BYTES);
          expect(Buffer.compare(one, two) === 0).toBe(a === b);
          expect(Buffer.compare(one, keyPrefix(left))).toBeGreaterThanOrEqual(0);
          expect(Buffer.compare(one, prefixEnd(keyPrefix(left))!)).toBe(-1);
        },
      ),
    );
  });
});
