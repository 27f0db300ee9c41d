import { Decimal128 } from 'bson';
import type { BsonValue } from '../../bson/values.js';
import { double, integer } from '../numeric.js';

// Texts that conversions take for numbers: the whole text, no white space, decimal digits.

export function parseInteger(text: string, type: 'int' | 'long'): BsonValue {
  if (!/^[+-]?\d+$/.test(text)) return undefined;
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
  if (type === 'int' && (value > 2147483647n || value < -2147483648n)) return undefined;
  return integer(value, type);
}

export function parseDouble(text: string): BsonValue {
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return double(Number(text));
  const special = /^([+-]?)(?:(nan)|inf(?:inity)?)$/i.exec(text);
  if (special === null) return undefined;
  if (special[2] !== undefined) return Number.NaN;
  return special[1] === '-' ? -Infinity : Infinity;
}

export function parseDecimal(text: string): BsonValue {
  if (/\s/.test(text) || text === '') return undefined;
  try {
    return Decimal128.fromStringWithRounding(text);
  } catch {
    // no decimal number: the caller says what was asked for
    return undefined;
  }
}
