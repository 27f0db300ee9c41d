import { Binary, Decimal128, ObjectId, Timestamp, UUID } from 'bson';
import { isInt32 } from '../../bson/type.js';
import type { BsonValue } from '../../bson/values.js';
import { toDecimal } from '../arithmetic.js';
import { truncateDecimal } from '../decimal.js';
import { location } from '../errors.js';
import { double, integer, integerOf, isNumeric, numericType, toDouble } from '../numeric.js';
import { isDocument } from '../path.js';
import { compileArguments, namedArguments } from './arguments.js';
import { isNullish, type Operator, type OperatorTable, typeOf, unary } from './operator.js';
import { parseDate } from './parse-date.js';
import { parseDecimal, parseDouble, parseInteger } from './parse-number.js';
import { textOf } from './text-of.js';

export const CONVERSION: OperatorTable = {
  $convert: convert,
  $toDouble: to('double'),
  $toString: to('string'),
  $toObjectId: to('objectId'),
  $toBool: to('bool'),
  $toDate: to('date'),
  $toInt: to('int'),
  $toLong: to('long'),
  $toDecimal: to('decimal'),
  $toUUID: unary((value) => (isNullish(value) ? null : converted(value, 'binData', 'uuid'))),
  $type: unary(typeOf),
  $isNumber: unary(isNumeric),
};

/** Undefined: there is no such conversion, or this value has none. */
type Conversion = (value: BsonValue, format: string | undefined) => BsonValue;

const CONVERSIONS: Readonly<Record<string, Conversion>> = {
  double: toDoubleValue,
  string: toStringValue,
  objectId: toObjectId,
  bool: toBool,
  date: toDate,
  int: (value) => toWhole(value, 'int'),
  long: (value) => toWhole(value, 'long'),
  decimal: toDecimalValue,
  binData: toBinary,
};

const TYPE_NUMBERS: Readonly<Record<number, string>> = {
  1: 'double',
  2: 'string',
  5: 'binData',
  7: 'objectId',
  8: 'bool',
  9: 'date',
  16: 'int',
  18: 'long',
  19: 'decimal',
};

function to(type: string): Operator {
  return unary((value) => (isNullish(value) ? null : converted(value, type, undefined)));
}

/** @throws CommandError 241 ConversionFailure. */
function converted(value: BsonValue, type: string, format: string | undefined): BsonValue {
  if (typeOf(value) === type && type !== 'binData') return value;
  const result = CONVERSIONS[type]!(value, format);
  if (result !== undefined) return result;
  throw location(
    241,
    typeof value === 'string' || isNumeric(value)
      ? `Failed to convert a value of type ${typeOf(value)} to ${type} in $convert with no onError value`
      : `Unsupported conversion from ${typeOf(value)} to ${type} in $convert with no onError value`,
  );
}

function convert(...[argument, context, name]: Parameters<Operator>): ReturnType<Operator> {
  const given = namedArguments(name, argument, ['input', 'to'], ['onError', 'onNull', 'format', 'byteOrder']);
  const parts = compileArguments(given, context);
  return (current) => {
    const value = parts.input!(current);
    if (isNullish(value)) return parts.onNull === undefined ? null : parts.onNull(current);
    const target = parts.to!(current);
    if (isNullish(target)) return null;
    const type = targetType(target);
    const format = parts.format?.(current);
    try {
      return converted(value, type, typeof format === 'string' ? format : undefined);
    } catch (error) {
      if (parts.onError === undefined) throw error;
      return parts.onError(current);
    }
  };
}

function targetType(target: BsonValue): string {
  const wanted = isDocument(target) ? target.type : target;
  const type = typeof wanted === 'number' ? TYPE_NUMBERS[wanted] : wanted;
  if (typeof type !== 'string' || !Object.hasOwn(CONVERSIONS, type)) {
    throw location(2, `Unknown type name or unsupported conversion target in $convert: ${String(wanted)}`);
  }
  return type;
}

function toDoubleValue(value: BsonValue): BsonValue {
  if (typeof value === 'string') return parseDouble(value);
  if (typeof value === 'boolean') return double(Number(value));
  if (value instanceof Date) return double(value.getTime());
  if (!isNumeric(value)) return undefined;
  const result = toDouble(value);
  const overflows = value instanceof Decimal128 && !Number.isFinite(result) && /^-?\d/.test(value.toString());
  return overflows ? undefined : double(result);
}

function toStringValue(value: BsonValue, format: string | undefined): BsonValue {
  if (!(value instanceof Binary) || format === undefined) return textOf(value);
  switch (format) {
    case 'base64':
    case 'hex':
      return value.toString(format);
    case 'base64url':
      return Buffer.from(value.value()).toString('base64url');
    case 'utf8':
      return Buffer.from(value.value()).toString('utf8');
    case 'auto':
      return textOf(value);
    default:
      return value.sub_type === Binary.SUBTYPE_UUID && format === 'uuid' ? value.toUUID().toString() : undefined;
  }
}

function toObjectId(value: BsonValue): BsonValue {
  return typeof value === 'string' && /^[0-9a-f]{24}$/i.test(value) ? new ObjectId(value) : undefined;
}

function toBool(value: BsonValue): BsonValue {
  return isNumeric(value) ? toDouble(value) !== 0 : true;
}

function toDate(value: BsonValue): BsonValue {
  if (typeof value === 'string') return parseDate(value);
  if (value instanceof ObjectId) return value.getTimestamp();
  if (value instanceof Timestamp) return new Date(value.t * 1000);
  const type = numericType(value);
  if (type === undefined || type === 'int') return undefined;
  const date = new Date(Math.trunc(toDouble(value)));
  return Number.isNaN(date.getTime()) ? undefined : date;
}

function toWhole(value: BsonValue, type: 'int' | 'long'): BsonValue {
  if (typeof value === 'string') return parseInteger(value, type);
  if (typeof value === 'boolean') return integer(BigInt(value), type);
  if (value instanceof Date) return type === 'long' ? integer(BigInt(value.getTime()), 'long') : undefined;
  const whole = truncated(value);
  if (whole === undefined || (type === 'int' && !isInt32(Number(whole)))) return undefined;
  return integer(whole, type);
}

function truncated(value: BsonValue): bigint | undefined {
  switch (numericType(value)) {
    case undefined:
      return undefined;
    case 'decimal':
      return truncateDecimal(value as Decimal128);
    case 'double': {
      const number = Math.trunc(toDouble(value));
      return Number.isFinite(number) ? BigInt(number) : undefined;
    }
    default:
      return integerOf(value);
  }
}

function toDecimalValue(value: BsonValue): BsonValue {
  if (typeof value === 'string') return parseDecimal(value);
  if (typeof value === 'boolean') return toDecimal(Number(value));
  if (value instanceof Date) return toDecimal(integer(BigInt(value.getTime()), 'long'));
  return isNumeric(value) ? toDecimal(value) : undefined;
}

function toBinary(value: BsonValue, format: string | undefined): BsonValue {
  if (value instanceof Binary) return value;
  if (typeof value !== 'string') return undefined;
  switch (format) {
    case 'uuid':
      return UUID.isValid(value) ? new UUID(value).toBinary() : undefined;
    case 'base64':
    case 'base64url':
      return /^[A-Za-z0-9+/_=-]*$/.test(value) ? new Binary(Buffer.from(value, format)) : undefined;
    case 'hex':
      return /^([0-9a-f]{2})*$/i.test(value) ? new Binary(Buffer.from(value, 'hex')) : undefined;
    case 'utf8':
      return new Binary(Buffer.from(value, 'utf8'));
    default:
      return undefined;
  }
}
