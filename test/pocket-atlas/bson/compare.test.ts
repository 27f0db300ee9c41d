import { Binary, BSONRegExp, BSONSymbol, Decimal128, Double, Long, MaxKey, MinKey, ObjectId, Timestamp } from 'bson';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compare, equals } from '../../../src/pocket-atlas/bson/compare.js';
import type { BsonValue } from '../../../src/pocket-atlas/bson/values.js';
import * as arbitrary from './arbitrary.js';

const long = (text: string) => Long.fromString(text);
const decimal = (text: string) => Decimal128.fromString(text);

describe('compare', () => {
  it('orders the types as the manual says, and values within each', () => {
    const ascending: BsonValue[] = [
      new MinKey(),
      undefined,
      null,
      NaN,
      -Infinity,
      decimal('-1E400'),
      -Number.MAX_VALUE,
      long('-9223372036854775808'),
      -1.5,
      decimal('-1E-400'),
      0,
      5e-324,
      decimal('0.1'),
      0.1,
      1,
      2 ** 53,
      long('9007199254740993'),
      decimal('9007199254740993.5'),
      long('9007199254740994'),
      long('9223372036854775807'),
      2 ** 63,
      Number.MAX_VALUE,
      decimal('1E400'),
      Infinity,
      '',
      'a',
      'a\0',
      'aa',
      '\u00e9',
      '\uffff',
      '\u{10000}',
      {},
      { a: 1 },
      { a: 1, b: 1 },
      { b: 1 },
      { a: 'x' },
      [],
      [1],
      [1, 1],
      [2],
      new Binary(new Uint8Array([]), 128),
      new Binary(new Uint8Array([9]), 0),
      new Binary(new Uint8Array([0]), 4),
      new Binary(new Uint8Array([0, 0]), 0),
      new ObjectId('000000000000000000000001'),
      new ObjectId('ff0000000000000000000000'),
      false,
      true,
      new Date(-5),
      new Date(3),
      new Timestamp({ t: 1, i: 0xffffffff }),
      new Timestamp({ t: 0xffffffff, i: 0 }),
      new BSONRegExp('a', 'i'),
      new BSONRegExp('a', 'm'),
      new BSONRegExp('b', ''),
      new MaxKey(),
    ];
    for (const [left, a] of ascending.entries()) {
      for (const [right, b] of ascending.entries()) {
        expect(Math.sign(compare(a, b)), `${left} against ${right}`).toBe(Math.sign(left - right));
      }
    }
  });

  it.each<[BsonValue, BsonValue]>([
    [0, -0],
    [1, new Double(1)],
    [1, Long.fromNumber(1)],
    [1, decimal('1.000')],
    [0.5, decimal('0.50')],
    [NaN, decimal('NaN')],
    [Infinity, decimal('Infinity')],
    [long('9223372036854775807'), decimal('9223372036854775807')],
    ['a', new BSONSymbol('a')],
    [new Date(1), new Date(1)],
    [{ a: undefined, b: 1 }, { b: new Double(1) }],
    [[undefined], [null]],
  ])('case %#: equal by value across types', (a, b) => {
    expect(equals(a, b)).toBe(true);
  });

  it('is an order: antisymmetric and transitive', () => {
    fc.assert(
      fc.property(arbitrary.value, arbitrary.value, arbitrary.value, (a, b, c) => {
        expect(Math.sign(compare(a, b))).toBe(-Math.sign(compare(b, a)) + 0);
        const sorted = [a, b, c].sort(compare);
        expect(compare(sorted[0], sorted[2])).toBeLessThanOrEqual(0);
      }),
      { numRuns: 2000 },
    );
  });

  it('compares any two numbers by exact value', () => {
    // Scaled to integers by the digits both can have; a check by other means than the code under test.
    const exact = (value: BsonValue): bigint | undefined => {
      const text = value instanceof Decimal128 ? value.toString() : String(value);
      return /^-?\d+$/.test(text) ? BigInt(text) : undefined;
    };
    const integers = fc.oneof(
      arbitrary.int32,
      arbitrary.long,
      fc.bigInt({ min: -(10n ** 34n) + 1n, max: 10n ** 34n - 1n }).map((n) => decimal(String(n))),
    );
    fc.assert(
      fc.property(integers, integers, (a, b) => {
        const [left, right] = [exact(a)!, exact(b)!];
        expect(Math.sign(compare(a, b))).toBe(left < right ? -1 : left > right ? 1 : 0);
      }),
    );
  });

  it('compares strings by their UTF-8 bytes', () => {
    fc.assert(
      fc.property(arbitrary.text, arbitrary.text, (a, b) => {
        expect(Math.sign(compare(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
    );
  });
});
