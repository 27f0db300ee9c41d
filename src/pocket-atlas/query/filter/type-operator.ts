import { type BsonTypeName, typeName } from '../../bson/type.js';
import type { BsonValue } from '../../bson/values.js';
import { badValue, failedToParse, typeMismatch } from '../errors.js';
import { isNumeric, wholeNumber } from '../numeric.js';
import type { ValueTest } from '../path.js';

/** `$type` by number. Source: MongoDB manual, "BSON Types". */
const BY_NUMBER: Readonly<Record<number, BsonTypeName>> = {
  1: 'double',
  2: 'string',
  3: 'object',
  4: 'array',
  5: 'binData',
  6: 'undefined',
  7: 'objectId',
  8: 'bool',
  9: 'date',
  10: 'null',
  11: 'regex',
  12: 'dbPointer',
  13: 'javascript',
  14: 'symbol',
  15: 'javascriptWithScope',
  16: 'int',
  17: 'timestamp',
  18: 'long',
  19: 'decimal',
  [-1]: 'minKey',
  127: 'maxKey',
};

const NAMES: ReadonlySet<string> = new Set(Object.values(BY_NUMBER));
const NUMBER: readonly BsonTypeName[] = ['int', 'long', 'double', 'decimal'];

/** The types that a `$type` or `bsonType` argument names: an alias, a number, `number`, or an array of these. */
export function typesOf(argument: BsonValue): ReadonlySet<BsonTypeName> {
  const items = Array.isArray(argument) ? argument : [argument];
  if (items.length === 0) throw failedToParse('$type must match at least one type');
  return new Set(items.flatMap(typesOfOne));
}

function typesOfOne(item: BsonValue): readonly BsonTypeName[] {
  if (item === 'number') return NUMBER;
  if (typeof item === 'string') {
    if (!NAMES.has(item)) throw badValue(`Unknown type name alias: ${item}`);
    return [item as BsonTypeName];
  }
  if (!isNumeric(item)) throw typeMismatch('type must be represented as a number or a string');
  const whole = wholeNumber(item);
  const name = whole === undefined ? undefined : BY_NUMBER[Number(whole)];
  if (name === undefined) throw badValue(`Invalid numerical type code: ${String(item)}`);
  return [name];
}

export function hasType(argument: BsonValue): ValueTest {
  const types = typesOf(argument);
  return (value) => value !== undefined && types.has(typeName(value));
}
