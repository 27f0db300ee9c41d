import { Decimal128, Double, Long } from 'bson';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { equals } from '../../../../src/pocket-atlas/bson/compare.js';
import type { BsonValue } from '../../../../src/pocket-atlas/bson/values.js';
import { checkAll, evaluate, failure } from '../check.js';

const long = (value: string | number) => Long.fromString(String(value));
const decimal = (value: string) => Decimal128.fromString(value);
const double = (value: number) => new Double(value);

describe('arithmetic', () => {
  it('gives the wider of the operands’ types', () => {
    checkAll({ i: 7, l: long(7), d: double(7), f: 0.5, m: decimal('7') }, [
      [{ $add: ['$i', 1] }, 8],
      [{ $add: ['$i', '$l'] }, long(14)],
      [{ $add: ['$i', '$d'] }, double(14)],
      [{ $add: ['$l', '$f'] }, 7.5],
      [{ $add: ['$m', '$f'] }, decimal('7.5')],
      [{ $subtract: ['$i', '$l'] }, long(0)],
      [{ $multiply: ['$i', '$i'] }, 49],
      [{ $multiply: ['$l', '$m'] }, decimal('49')],
      [{ $divide: ['$i', 2] }, 3.5],
      [{ $divide: ['$i', 7] }, double(1)],
      [{ $divide: ['$m', 2] }, decimal('3.5')],
      [{ $mod: [-7, 3] }, -1],
      [{ $mod: ['$l', 4] }, long(3)],
      [{ $mod: [7.5, 2] }, 1.5],
      [{ $add: [] }, 0],
      [{ $multiply: [] }, 1],
    ]);
  });

  it('goes on in the next type where one is full', () => {
    checkAll({}, [
      [{ $add: [2147483647, 1] }, long('2147483648')],
      [{ $multiply: [2147483647, 2147483647] }, long('4611686014132420609')],
      [{ $add: [long('9223372036854775807'), 1] }, 2 ** 63],
      [{ $subtract: [-2147483648, 1] }, long('-2147483649')],
      [{ $abs: -2147483648 }, long('2147483648')],
      [{ $pow: [2, 10] }, 1024],
      [{ $pow: [2, 40] }, long(2 ** 40)],
      [{ $pow: [2, 64] }, 2 ** 64],
      [{ $pow: [2, -1] }, 0.5],
      [{ $pow: [-1, 1001] }, -1],
      [{ $add: [9007199254740992, long(1)] }, 9007199254740992],
      [{ $add: [long('9007199254740992'), 1] }, long('9007199254740993')],
    ]);
  });

  it('answers null for null and missing operands', () => {
    const operators = ['$add', '$multiply', '$subtract', '$divide', '$mod', '$pow', '$log'];
    for (const operator of operators) expect(evaluate({ [operator]: ['$nope', 1] }), operator).toBeNull();
    for (const operator of [
      '$abs',
      '$ceil',
      '$floor',
      '$round',
      '$trunc',
      '$sqrt',
      '$exp',
      '$ln',
      '$sigmoid',
      '$sin',
    ]) {
      expect(evaluate({ [operator]: null }), operator).toBeNull();
    }
  });

  it('rounds half to even, at any place', () => {
    checkAll({}, [
      [{ $round: 2.5 }, double(2)],
      [{ $round: 3.5 }, double(4)],
      [{ $round: -2.5 }, double(-2)],
      [{ $round: [1234.5678, 2] }, 1234.57],
      [{ $round: [2.675, 2] }, 2.68],
      [{ $round: [1250, -2] }, 1200],
      [{ $round: [1350, -2] }, 1400],
      [{ $round: [decimal('1.005'), 2] }, decimal('1.00')],
      [{ $trunc: [-1.789, 1] }, -1.7],
      [{ $trunc: 7.8 }, double(7)],
      [{ $ceil: -1.5 }, double(-1)],
      [{ $floor: -1.5 }, double(-2)],
      [{ $ceil: 3 }, 3],
    ]);
  });

  it('knows logarithms, roots, angles and the sigmoid', () => {
    checkAll({}, [
      [{ $sqrt: 9 }, double(3)],
      [{ $log10: 1000 }, double(3)],
      [{ $log: [8, 2] }, double(3)],
      [{ $ln: 1 }, double(0)],
      [{ $exp: 0 }, double(1)],
      [{ $sigmoid: 0 }, 0.5],
      [{ $sin: 0 }, double(0)],
      [{ $atan2: [0, 1] }, double(0)],
      [{ $degreesToRadians: 180 }, Math.PI],
    ]);
  });

  it('adds time to dates', () => {
    checkAll({ at: new Date(1000), later: new Date(4000) }, [
      [{ $add: ['$at', 500] }, new Date(1500)],
      [{ $subtract: ['$later', '$at'] }, long(3000)],
      [{ $subtract: ['$later', 500] }, new Date(3500)],
    ]);
  });

  it('works on bits', () => {
    checkAll({}, [
      [{ $bitAnd: [6, 3] }, 2],
      [{ $bitOr: [6, long(1)] }, long(7)],
      [{ $bitXor: [6, 3] }, 5],
      [{ $bitNot: 0 }, -1],
    ]);
  });

  it.each<[BsonValue, number, string]>([
    [{ $add: [1, 'x'] }, 14, '$add only supports numeric or date types, not string'],
    [{ $subtract: [1, 'x'] }, 14, "can't $subtract string from int"],
    [{ $multiply: [true] }, 14, '$multiply only supports numeric types, not bool'],
    [{ $divide: [1, 0] }, 2, "can't $divide by zero"],
    [{ $divide: ['x', 1] }, 14, '$divide only supports numeric types, not string and int'],
    [{ $mod: [1, 0] }, 16610, "can't $mod by zero"],
    [{ $abs: 'x' }, 28765, '$abs only supports numeric types, not string'],
    [{ $sqrt: -1 }, 28714, "$sqrt's argument must be greater than or equal to 0"],
    [{ $subtract: [1] }, 16020, 'Expression $subtract takes exactly 2 arguments. 1 were passed in.'],
    [
      { $round: [1, 2, 3] },
      28667,
      'Expression $round takes at least 1 arguments, and at most 2, but 3 were passed in.',
    ],
  ])('refuses %j', (expression, code, message) => {
    expect(failure(() => evaluate(expression))).toEqual({ code, message });
  });
});

describe('Decimal128', () => {
  it.each<[string, BsonValue, string]>([
    ['adds exactly', { $add: [decimal('0.1'), decimal('0.2')] }, '0.3'],
    ['keeps 34 digits', { $divide: [decimal('1'), decimal('3')] }, '0.3333333333333333333333333333333333'],
    [
      'rounds the last digit half to even',
      { $add: [decimal('9999999999999999999999999999999999'), decimal('0.5')] },
      '1.000000000000000000000000000000000E+34',
    ],
    ['multiplies the digits after the point', { $multiply: [decimal('1.50'), decimal('2.0')] }, '3.000'],
    ['divides exactly where it can', { $divide: [decimal('10'), decimal('4')] }, '2.5'],
    ['takes remainders with the dividend’s sign', { $mod: [decimal('-7.5'), decimal('2')] }, '-1.5'],
    ['converts doubles by 15 digits', { $add: [decimal('0'), 0.1] }, '0.1'],
    ['knows infinity', { $add: [decimal('Infinity'), decimal('1')] }, 'Infinity'],
    ['and what is none', { $subtract: [decimal('Infinity'), decimal('Infinity')] }, 'NaN'],
    ['overflows to infinity', { $multiply: [decimal('9E6144'), decimal('10')] }, 'Infinity'],
  ])('%s', (_claim, expression, expected) => {
    expect(String(evaluate(expression))).toBe(expected);
  });

  it('adds and multiplies exactly while the digits last', () => {
    const small = fc.record({
      digits: fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }),
      point: fc.integer({ min: 0, max: 10 }),
    });
    const text = ({ digits, point }: { digits: bigint; point: number }) => `${digits}E-${point}`;
    fc.assert(
      fc.property(small, small, (a, b) => {
        const [left, right] = [decimal(text(a)), decimal(text(b))];
        const point = Math.max(a.point, b.point);
        const sum = a.digits * 10n ** BigInt(point - a.point) + b.digits * 10n ** BigInt(point - b.point);
        expect(equals(evaluate({ $add: [left, right] }), decimal(`${sum}E-${point}`))).toBe(true);
        expect(
          equals(evaluate({ $multiply: [left, right] }), decimal(`${a.digits * b.digits}E-${a.point + b.point}`)),
        ).toBe(true);
        expect(equals(evaluate({ $subtract: [left, left] }), 0)).toBe(true);
      }),
    );
  });

  it('divides and multiplies back to within the last digit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000 }), fc.integer({ min: 1, max: 10_000 }), (a, b) => {
        const quotient = evaluate({ $divide: [decimal(String(a)), decimal(String(b))] });
        const error = evaluate({
          $abs: { $subtract: [{ $multiply: [quotient, decimal(String(b))] }, decimal(String(a))] },
        });
        expect(Number(String(error))).toBeLessThan(1e-28);
      }),
    );
  });
});
