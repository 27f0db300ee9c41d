import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  DBRef,
  Decimal128,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
  UUID,
} from 'bson';
import type { BsonValue } from './values.js';

/** The aliases of `$type`. Source: MongoDB manual, "BSON Types". */
export type BsonTypeName =
  | 'minKey'
  | 'undefined'
  | 'null'
  | 'double'
  | 'int'
  | 'long'
  | 'decimal'
  | 'string'
  | 'symbol'
  | 'object'
  | 'array'
  | 'binData'
  | 'objectId'
  | 'bool'
  | 'date'
  | 'timestamp'
  | 'regex'
  | 'dbPointer'
  | 'javascript'
  | 'javascriptWithScope'
  | 'maxKey';

/** By prototype and not by `_bsontype`: a stored document may have a field of that name. */
const BY_PROTOTYPE: ReadonlyMap<object | null, BsonTypeName> = new Map<object | null, BsonTypeName>([
  [null, 'object'],
  [Object.prototype, 'object'],
  [Array.prototype, 'array'],
  [Date.prototype, 'date'],
  [RegExp.prototype, 'regex'],
  [ObjectId.prototype, 'objectId'],
  [Binary.prototype, 'binData'],
  [UUID.prototype, 'binData'],
  [Long.prototype, 'long'],
  [Double.prototype, 'double'],
  [Int32.prototype, 'int'],
  [Decimal128.prototype, 'decimal'],
  [Timestamp.prototype, 'timestamp'],
  [BSONRegExp.prototype, 'regex'],
  [BSONSymbol.prototype, 'symbol'],
  [DBRef.prototype, 'dbPointer'],
  [MinKey.prototype, 'minKey'],
  [MaxKey.prototype, 'maxKey'],
]);

/** Whether a plain number is stored as Int32: an integer within int32, and not -0. */
export function isInt32(value: number): boolean {
  return value === (value | 0) && (value !== 0 || 1 / value > 0);
}

export function typeName(value: BsonValue): BsonTypeName {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'number':
      return isInt32(value) ? 'int' : 'double';
    case 'boolean':
      return 'bool';
    case 'undefined':
      return 'undefined';
    default:
  }
  if (value === null) return 'null';
  const known = BY_PROTOTYPE.get(Object.getPrototypeOf(value));
  if (known !== undefined) return known;
  if (value instanceof Code) return value.scope ? 'javascriptWithScope' : 'javascript';
  if (Array.isArray(value)) return 'array';
  // Read as a document, it would be stored as something else than was meant.
  throw new TypeError(`Not a BSON value: an object of class ${value.constructor?.name ?? 'unknown'}`);
}

/**
 * Place of each type in the comparison order; equal places compare by value. Missing sorts between MinKey and null.
 * Source: MongoDB manual, "Comparison/Sort Order".
 */
export const TYPE_ORDER: Readonly<Record<BsonTypeName, number>> = {
  minKey: 2,
  undefined: 3,
  null: 5,
  int: 10,
  long: 10,
  double: 10,
  decimal: 10,
  string: 15,
  symbol: 15,
  object: 20,
  array: 25,
  binData: 30,
  objectId: 35,
  bool: 40,
  date: 45,
  timestamp: 47,
  regex: 50,
  dbPointer: 55,
  javascript: 60,
  javascriptWithScope: 65,
  maxKey: 127,
};

/** Pattern and sorted BSON options of a regular expression in either form. */
export function regexParts(value: RegExp | BSONRegExp): { pattern: string; options: string } {
  if (value instanceof RegExp) return { pattern: value.source, options: value.flags.replace(/[^imsu]/g, '') };
  return value;
}
