import { Binary, Decimal128, ObjectId } from 'bson';
import type { BsonValue } from '../../bson/values.js';
import { numericType, toDouble } from '../numeric.js';

/** A number as `$toString` prints it: 1.0 is "1", exponents as in C. */
export function numberText(value: BsonValue): string {
  if (value instanceof Decimal128) return value.toString();
  const type = numericType(value);
  return type === 'double' ? doubleText(toDouble(value)) : String(value);
}

function doubleText(value: number): string {
  if (Object.is(value, -0)) return '-0';
  const text = String(value);
  // C writes at least two digits of exponent
  return text.replace(/e([+-])(\d)$/, 'e$10$2');
}

/** What `$toString` makes of a value; undefined where it makes nothing. */
export function textOf(value: BsonValue): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (numericType(value) !== undefined) return numberText(value);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof ObjectId) return value.toHexString();
  if (value instanceof Binary) {
    const isUuid = value.sub_type === Binary.SUBTYPE_UUID && value.length() === 16;
    return isUuid ? value.toUUID().toString() : value.toString('base64');
  }
  return undefined;
}
