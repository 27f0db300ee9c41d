import { Decimal128, Double, Long } from 'bson';
import { isInt32 } from '../bson/type.js';
import type { BsonValue } from '../bson/values.js';
import { wholeDecimal } from './decimal.js';

/** In promotion order: an operation's result has the wider of its operands' types. */
export type NumericType = 'int' | 'long' | 'double' | 'decimal';

export function numericType(value: BsonValue): NumericType | undefined {
  if (typeof value === 'number') return isInt32(value) ? 'int' : 'double';
  if (typeof value !== 'object' || value === null) return undefined;
  switch (Object.getPrototypeOf(value)) {
    case Double.prototype:
      return 'double';
    case Long.prototype:
      return 'long';
    case Decimal128.prototype:
      return 'decimal';
    default:
      return undefined;
  }
}

export function isNumeric(value: BsonValue): boolean {
  return numericType(value) !== undefined;
}

const RANK: Readonly<Record<NumericType, number>> = { int: 0, long: 1, double: 2, decimal: 3 };

export function wider(a: NumericType, b: NumericType): NumericType {
  return RANK[a] >= RANK[b] ? a : b;
}

/** The nearest double of any numeric value; NaN for what is no number. */
export function toDouble(value: BsonValue): number {
  if (typeof value === 'number') return value;
  if (value instanceof Double) return value.value;
  if (value instanceof Long) return value.toNumber();
  if (value instanceof Decimal128) return decimalToDouble(value);
  return Number.NaN;
}

function decimalToDouble(value: Decimal128): number {
  const text = value.toString();
  return text.includes('Infinity') ? (text.startsWith('-') ? -Infinity : Infinity) : Number(text);
}

/** A BSON double: wrapped where a plain number would be read as an Int32. */
export function double(value: number): BsonValue {
  return isInt32(value) ? new Double(value) : value;
}

export const INT64_MIN = -(2n ** 63n);
export const INT64_MAX = 2n ** 63n - 1n;

export function long(value: bigint): Long {
  return Long.fromBigInt(value);
}

/** The value of an int or long. */
export function integerOf(value: BsonValue): bigint {
  return value instanceof Long ? value.toBigInt() : BigInt(value as number);
}

/** An int result stays an int where it fits, else becomes a long; undefined beyond int64. */
export function integer(value: bigint, type: 'int' | 'long'): BsonValue {
  if (value < INT64_MIN || value > INT64_MAX) return undefined;
  const small = Number(value);
  return type === 'int' && isInt32(small) ? small : long(value);
}

/** The value as a whole number when it is one within int64 (2.0 counts), else undefined. For arguments such as $slice's. */
export function wholeNumber(value: BsonValue): bigint | undefined {
  const type = numericType(value);
  if (type === undefined) return undefined;
  if (type === 'int' || type === 'long') return integerOf(value);
  if (type === 'decimal') {
    const whole = wholeDecimal(value as Decimal128);
    return whole !== undefined && whole >= INT64_MIN && whole <= INT64_MAX ? whole : undefined;
  }
  const number = toDouble(value);
  return Number.isInteger(number) && number >= -(2 ** 63) && number < 2 ** 63 ? BigInt(number) : undefined;
}

/** `wholeNumber` as a plain number, clamped to ±2^53: what counts, limits and positions need. */
export function count(value: BsonValue): number | undefined {
  const whole = wholeNumber(value);
  if (whole === undefined) return undefined;
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, Number(whole)));
}
