import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  DBRef,
  Decimal128,
  Double,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
} from 'bson';
import type { BsonValue } from '../bson/values.js';

/** A message shows what a value looks like, not a document's text: strings are cut here, whole values below. */
const STRING_LENGTH_MAX = 40;
const LENGTH_MAX = 200;

/** A value as the server prints it in its messages: `{ a: 1, b: "x" }`. */
export function describe(value: BsonValue): string {
  const text = print(value);
  return text.length > LENGTH_MAX ? `${text.slice(0, LENGTH_MAX)}…` : text;
}

function print(value: BsonValue): string {
  switch (typeof value) {
    case 'string':
      return `"${value.length > STRING_LENGTH_MAX ? `${value.slice(0, STRING_LENGTH_MAX)}…` : value}"`;
    case 'undefined':
      return 'MISSING';
    case 'number':
    case 'boolean':
      return Object.is(value, -0) ? '-0.0' : String(value);
    default:
  }
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `[ ${value.slice(0, 20).map(print).join(', ')} ]`;
  if (value instanceof Date) return `new Date(${value.getTime()})`;
  if (value instanceof RegExp) return String(value);
  if (value instanceof Double) return Number.isInteger(value.value) ? value.value.toFixed(1) : String(value.value);
  if (value instanceof Timestamp) return `Timestamp(${value.t}, ${value.i})`;
  if (value instanceof Long) return value.toString();
  if (value instanceof Decimal128) return value.toString();
  if (value instanceof ObjectId) return `ObjectId('${value.toHexString()}')`;
  if (value instanceof Binary) return `BinData(${value.sub_type}, ${value.length()} bytes)`;
  if (value instanceof BSONRegExp) return `/${value.pattern}/${value.options}`;
  if (value instanceof BSONSymbol) return `"${value.value}"`;
  if (value instanceof MinKey) return 'MinKey';
  if (value instanceof MaxKey) return 'MaxKey';
  if (value instanceof Code) return 'Code';
  if (value instanceof DBRef) return 'DBRef';
  const fields = Object.entries(value)
    .slice(0, 20)
    .map(([name, field]) => `${name}: ${print(field)}`);
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}
