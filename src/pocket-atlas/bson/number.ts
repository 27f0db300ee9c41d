import type { Decimal128, Double, Int32, Long } from 'bson';

/**
 * Numbers of all four BSON types by their exact value: a double as number, an Int64 beyond 2^53 as bigint (JavaScript
 * compares the two exactly), a finite Decimal128 as coefficient × 10^exponent.
 */
export type ExactNumber = number | bigint | ExactDecimal;

export interface ExactDecimal {
  readonly coefficient: bigint;
  readonly exponent: number;
  /** The nearest double: rounding keeps order, so only decimals of equal `nearest` need exact work. */
  readonly nearest: number;
}

export type BsonNumber = number | Double | Int32 | Long | Decimal128;

export function exactNumber(value: BsonNumber): ExactNumber {
  if (typeof value === 'number') return value;
  if ('bytes' in value) return exactDecimal(value);
  if ('high' in value) {
    // Below 2^53 in magnitude a double holds the Int64 exactly.
    if (value.high >= -0x20_0000 && value.high < 0x20_0000) return value.high * 0x1_0000_0000 + (value.low >>> 0);
    return (BigInt(value.high) << 32n) | BigInt(value.low >>> 0);
  }
  return value.valueOf();
}

/** NaN is equal to itself and below every other number; 0 and -0 are equal. */
export function compareExact(a: ExactNumber, b: ExactNumber): number {
  if (typeof a === 'number' && typeof b === 'number') {
    if (a < b) return -1;
    if (a > b) return 1;
    if (a === b) return 0;
    return Number.isNaN(a) ? (Number.isNaN(b) ? 0 : -1) : 1;
  }
  if (Number.isNaN(a)) return -1;
  if (Number.isNaN(b)) return 1;
  if (typeof a !== 'object' && typeof b !== 'object') return a < b ? -1 : a > b ? 1 : 0;
  const nearestA = typeof a === 'object' ? a.nearest : Number(a);
  const nearestB = typeof b === 'object' ? b.nearest : Number(b);
  if (nearestA !== nearestB) return nearestA < nearestB ? -1 : 1;
  // A finite decimal may round to an infinity that it does not reach.
  if (!Number.isFinite(a) && typeof a === 'number') return Math.sign(a);
  if (!Number.isFinite(b) && typeof b === 'number') return -Math.sign(b);
  return compareDecimals(toDecimal(a), toDecimal(b));
}

function compareDecimals(a: ExactDecimal, b: ExactDecimal): number {
  const exponent = Math.min(a.exponent, b.exponent);
  const left = a.coefficient * 10n ** BigInt(a.exponent - exponent);
  const right = b.coefficient * 10n ** BigInt(b.exponent - exponent);
  return left < right ? -1 : left > right ? 1 : 0;
}

/** `value` must be finite. */
export function toDecimal(value: ExactNumber): ExactDecimal {
  if (typeof value === 'object') return value;
  if (typeof value === 'bigint') return { coefficient: value, exponent: 0, nearest: Number(value) };
  if (Number.isInteger(value)) return { coefficient: BigInt(value), exponent: 0, nearest: value };
  // mantissa × 2^-shift = mantissa × 5^shift × 10^-shift
  let mantissa = value;
  let shift = 0;
  while (!Number.isInteger(mantissa)) {
    mantissa *= 2;
    shift++;
  }
  return { coefficient: BigInt(mantissa) * 5n ** BigInt(shift), exponent: -shift, nearest: value };
}

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:E([+-]?\d+))?$/;

function exactDecimal(value: Decimal128): ExactNumber {
  const text = value.toString();
  const match = DECIMAL.exec(text);
  if (match === null) return Number(text);
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const coefficient = BigInt(whole + fraction);
  return {
    coefficient: sign === '-' ? -coefficient : coefficient,
    exponent: Number(exponent) - fraction.length,
    nearest: Number(text),
  };
}
