import { Decimal128, Long } from 'bson';
import { isInt32 } from '../bson/type.js';
import type { BsonValue } from '../bson/values.js';
import { addDecimals, decimalFromBigint, decimalFromDouble, multiplyDecimals } from './decimal.js';
import { double, integer, integerOf, type NumericType, numericType, toDouble, wider } from './numeric.js';

/** A numeric value as a decimal. */
export function toDecimal(value: BsonValue): Decimal128 {
  if (value instanceof Decimal128) return value;
  const type = numericType(value);
  return type === 'int' || type === 'long' ? decimalFromBigint(integerOf(value)) : decimalFromDouble(toDouble(value));
}

/** `onOverflow` decides about whole numbers beyond int64: expressions go on in double, update operators fail. */
export type OnOverflow = (a: BsonValue, b: BsonValue) => BsonValue;

/** Sum of two numeric values in the wider type; an int sum that does not fit becomes a long. */
export function addNumbers(a: BsonValue, b: BsonValue, onOverflow: OnOverflow = addAsDoubles): BsonValue {
  if (typeof a === 'number' && typeof b === 'number') {
    // the usual case without BigInt; two ints never leave the safe integers
    const isDouble = !isInt32(a) || !isInt32(b);
    const sum = a + b;
    if (isDouble) return double(sum);
    return isInt32(sum) ? sum : Long.fromNumber(sum);
  }
  const type = wider(numericType(a)!, numericType(b)!);
  switch (type) {
    case 'decimal':
      return addDecimals(toDecimal(a), toDecimal(b));
    case 'double':
      return double(toDouble(a) + toDouble(b));
    default:
      return whole(integerOf(a) + integerOf(b), type, a, b, onOverflow);
  }
}

export function multiplyNumbers(a: BsonValue, b: BsonValue, onOverflow: OnOverflow = multiplyAsDoubles): BsonValue {
  const type = wider(numericType(a)!, numericType(b)!);
  switch (type) {
    case 'decimal':
      return multiplyDecimals(toDecimal(a), toDecimal(b));
    case 'double':
      return double(toDouble(a) * toDouble(b));
    default:
      return whole(integerOf(a) * integerOf(b), type, a, b, onOverflow);
  }
}

function whole(
  result: bigint,
  type: Extract<NumericType, 'int' | 'long'>,
  a: BsonValue,
  b: BsonValue,
  onOverflow: OnOverflow,
): BsonValue {
  return integer(result, type) ?? onOverflow(a, b);
}

function addAsDoubles(a: BsonValue, b: BsonValue): BsonValue {
  return double(toDouble(a) + toDouble(b));
}

function multiplyAsDoubles(a: BsonValue, b: BsonValue): BsonValue {
  return double(toDouble(a) * toDouble(b));
}
