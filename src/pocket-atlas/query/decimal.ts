import { Decimal128 } from 'bson';

/**
 * Decimal128 arithmetic, which the bson package leaves out: 34 significant digits, rounding half to even (IEEE 754-2008).
 * A finite value is coefficient × 10^exponent.
 */
type Parts =
  | { readonly kind: 'finite'; readonly coefficient: bigint; readonly exponent: number }
  | { readonly kind: 'infinite'; readonly sign: 1 | -1 }
  | { readonly kind: 'nan' };

const DIGITS = 34;
const EXPONENT_MIN = -6176;
const EXPONENT_MAX = 6111;

const NAN = Decimal128.fromString('NaN');

function partsOf(value: Decimal128): Parts {
  const text = value.toString();
  if (text === 'NaN') return { kind: 'nan' };
  if (text.endsWith('Infinity')) return { kind: 'infinite', sign: text.startsWith('-') ? -1 : 1 };
  const [, sign, whole, fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d*))?(?:E([+-]?\d+))?$/.exec(text)!;
  const coefficient = BigInt(whole + fraction);
  return {
    kind: 'finite',
    coefficient: sign === '-' ? -coefficient : coefficient,
    exponent: Number(exponent) - fraction.length,
  };
}

function fromParts(coefficient: bigint, exponent: number): Decimal128 {
  let digits = coefficient;
  let power = exponent;
  const excess = Math.max(digitsOf(digits) - DIGITS, EXPONENT_MIN - power);
  if (excess > 0) {
    digits = divideHalfEven(digits, 10n ** BigInt(excess));
    power += excess;
    if (digitsOf(digits) > DIGITS) {
      digits /= 10n;
      power++;
    }
  }
  if (digits === 0n) power = Math.max(EXPONENT_MIN, Math.min(EXPONENT_MAX, power));
  while (power > EXPONENT_MAX && digitsOf(digits) < DIGITS) {
    digits *= 10n;
    power--;
  }
  if (power > EXPONENT_MAX) return Decimal128.fromString(digits < 0n ? '-Infinity' : 'Infinity');
  return Decimal128.fromString(`${digits}E${power}`);
}

function digitsOf(value: bigint): number {
  return (value < 0n ? -value : value).toString().length;
}

function divideHalfEven(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  const rest = dividend - quotient * divisor;
  const twice = (rest < 0n ? -rest : rest) * 2n;
  const size = divisor < 0n ? -divisor : divisor;
  const isUp = twice > size || (twice === size && (quotient & 1n) === 1n);
  if (!isUp) return quotient;
  return dividend < 0n === divisor < 0n ? quotient + 1n : quotient - 1n;
}

export function decimalFromBigint(value: bigint): Decimal128 {
  return fromParts(value, 0);
}

/** A double becomes the decimal of its 15 significant digits, as the server converts it. */
export function decimalFromDouble(value: number): Decimal128 {
  if (Number.isNaN(value)) return NAN;
  if (!Number.isFinite(value)) return Decimal128.fromString(value < 0 ? '-Infinity' : 'Infinity');
  const [mantissa, exponent] = value.toExponential(14).split('e');
  const trimmed = mantissa!.replace(/\.?0+$/, '');
  const fraction = trimmed.split('.')[1]?.length ?? 0;
  const coefficient = BigInt(trimmed.replace('.', ''));
  const power = Number(exponent) - fraction;
  // whole numbers without an exponent: 100 and not 1E+2
  return power > 0 && power < DIGITS ? fromParts(coefficient * 10n ** BigInt(power), 0) : fromParts(coefficient, power);
}

export function isDecimalZero(value: Decimal128): boolean {
  const parts = partsOf(value);
  return parts.kind === 'finite' && parts.coefficient === 0n;
}

export function addDecimals(a: Decimal128, b: Decimal128): Decimal128 {
  const [left, right] = [partsOf(a), partsOf(b)];
  if (left.kind === 'nan' || right.kind === 'nan') return NAN;
  if (left.kind === 'infinite') return right.kind === 'infinite' && right.sign !== left.sign ? NAN : a;
  if (right.kind === 'infinite') return b;
  const exponent = Math.min(left.exponent, right.exponent);
  const scaled = (parts: { coefficient: bigint; exponent: number }) =>
    parts.coefficient * 10n ** BigInt(parts.exponent - exponent);
  return fromParts(scaled(left) + scaled(right), exponent);
}

export function negateDecimal(value: Decimal128): Decimal128 {
  const text = value.toString();
  if (text === 'NaN') return value;
  return Decimal128.fromString(text.startsWith('-') ? text.slice(1) : `-${text}`);
}

export function multiplyDecimals(a: Decimal128, b: Decimal128): Decimal128 {
  const [left, right] = [partsOf(a), partsOf(b)];
  if (left.kind === 'nan' || right.kind === 'nan') return NAN;
  if (left.kind === 'finite' && right.kind === 'finite') {
    return fromParts(left.coefficient * right.coefficient, left.exponent + right.exponent);
  }
  const sign = signOf(left) * signOf(right);
  return sign === 0 ? NAN : Decimal128.fromString(sign < 0 ? '-Infinity' : 'Infinity');
}

function signOf(parts: Parts): number {
  if (parts.kind === 'nan') return Number.NaN;
  if (parts.kind === 'infinite') return parts.sign;
  return parts.coefficient === 0n ? 0 : parts.coefficient < 0n ? -1 : 1;
}

/** The caller has refused a zero divisor. */
export function divideDecimals(a: Decimal128, b: Decimal128): Decimal128 {
  const [left, right] = [partsOf(a), partsOf(b)];
  if (left.kind === 'nan' || right.kind === 'nan') return NAN;
  if (left.kind === 'infinite') {
    if (right.kind === 'infinite') return NAN;
    return Decimal128.fromString(left.sign * (right.coefficient < 0n ? -1 : 1) < 0 ? '-Infinity' : 'Infinity');
  }
  if (right.kind === 'infinite') return fromParts(0n, 0);
  const shift = Math.max(0, DIGITS + 2 + digitsOf(right.coefficient) - digitsOf(left.coefficient));
  const dividend = left.coefficient * 10n ** BigInt(shift);
  let coefficient = dividend / right.coefficient;
  let exponent = left.exponent - right.exponent - shift;
  const isExact = coefficient * right.coefficient === dividend;
  if (isExact) {
    // the exponent nearest to the operands' own difference, as IEEE 754 prefers it
    while (exponent < left.exponent - right.exponent && coefficient % 10n === 0n) {
      coefficient /= 10n;
      exponent++;
    }
  } else {
    // a sticky digit: what was cut off must not look like a tie
    coefficient = coefficient * 10n + (dividend < 0n === right.coefficient < 0n ? 1n : -1n);
    exponent--;
  }
  return fromParts(coefficient, exponent);
}

/** Remainder with the sign of the dividend. The caller has refused a zero divisor. */
export function remainderDecimals(a: Decimal128, b: Decimal128): Decimal128 {
  const [left, right] = [partsOf(a), partsOf(b)];
  if (left.kind !== 'finite' || right.kind === 'nan') return NAN;
  if (right.kind === 'infinite') return a;
  const exponent = Math.min(left.exponent, right.exponent);
  const dividend = left.coefficient * 10n ** BigInt(left.exponent - exponent);
  const divisor = right.coefficient * 10n ** BigInt(right.exponent - exponent);
  return fromParts(dividend % divisor, exponent);
}

export type Rounding = 'halfEven' | 'floor' | 'ceil' | 'trunc';

/** Rounds to `place` digits behind the point (negative: before it). */
export function roundDecimal(value: Decimal128, place: number, rounding: Rounding): Decimal128 {
  const parts = partsOf(value);
  if (parts.kind !== 'finite' || parts.exponent >= -place) return value;
  const unit = 10n ** BigInt(-place - parts.exponent);
  const rest = parts.coefficient % unit;
  let quotient = parts.coefficient / unit;
  if (rounding === 'halfEven') quotient = divideHalfEven(parts.coefficient, unit);
  else if (rounding === 'floor' && rest < 0n) quotient -= 1n;
  else if (rounding === 'ceil' && rest > 0n) quotient += 1n;
  return fromParts(quotient, -place);
}

/** The whole number nearest to zero, undefined when it is no number. */
export function truncateDecimal(value: Decimal128): bigint | undefined {
  const parts = partsOf(value);
  if (parts.kind !== 'finite') return undefined;
  return parts.exponent >= 0
    ? parts.coefficient * 10n ** BigInt(parts.exponent)
    : parts.coefficient / 10n ** BigInt(-parts.exponent);
}

/** The value when it is a whole number, else undefined. */
export function wholeDecimal(value: Decimal128): bigint | undefined {
  const parts = partsOf(value);
  if (parts.kind !== 'finite') return undefined;
  if (parts.exponent >= 0) return parts.coefficient * 10n ** BigInt(parts.exponent);
  const unit = 10n ** BigInt(-parts.exponent);
  return parts.coefficient % unit === 0n ? parts.coefficient / unit : undefined;
}
