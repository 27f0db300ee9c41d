import { Binary, Double, Int32, Long, ObjectId } from 'bson';
import type { BsonValue } from '../../bson/values.js';

/**
 * A filter value as bytes: a tag for its type, then a payload that compares byte by byte in the order of the values. So
 * equality is equality of bytes, a range is a run of keys, and a range never leaves its type (ATLAS.md §1.6).
 */
export type FilterKey = Buffer;

export const TAG = { null: 1, boolean: 2, nan: 3, number: 4, string: 5, objectId: 6, date: 7, uuid: 8 } as const;
export type FilterValueType = keyof typeof TAG;

/** Lucene's longest term, in UTF-8 bytes: longer strings are cut there, in documents and in queries alike. */
const MAX_STRING_BYTES = 32_766;
const SUBTYPE_UUID = 4;

/** undefined for values that no filter can name: documents, arrays, Decimal128, regular expressions… */
export function filterKey(value: BsonValue): FilterKey | undefined {
  switch (typeof value) {
    case 'string':
      return stringKey(value);
    case 'number':
      return numberKey(value, 0);
    case 'boolean':
      return Buffer.from([TAG.boolean, value ? 1 : 0]);
    case 'undefined':
      return undefined;
    default:
  }
  if (value === null) return NULL_KEY;
  if (value instanceof Date) return dateKey(value.getTime());
  if (value instanceof ObjectId) return Buffer.concat([Buffer.from([TAG.objectId]), value.id]);
  if (value instanceof Long) return longKey(value);
  if (value instanceof Double || value instanceof Int32) return numberKey(value.value, 0);
  if (value instanceof Binary && value.sub_type === SUBTYPE_UUID) {
    return Buffer.concat([Buffer.from([TAG.uuid]), value.buffer.subarray(0, value.position)]);
  }
  return undefined;
}

export const NULL_KEY: FilterKey = Buffer.from([TAG.null]);

export function typeOfKey(key: FilterKey): FilterValueType {
  const type = TYPES.find((name) => TAG[name] === key[0]);
  if (type === undefined) throw new Error(`Expected a filter key, got one with tag ${key[0]}`);
  return type === 'nan' ? 'number' : type;
}

const TYPES = Object.keys(TAG) as FilterValueType[];

function stringKey(value: string): FilterKey {
  const key = Buffer.allocUnsafe(1 + Buffer.byteLength(value));
  key[0] = TAG.string;
  key.write(value, 1);
  return key.length > MAX_STRING_BYTES + 1 ? key.subarray(0, MAX_STRING_BYTES + 1) : key;
}

/**
 * A double in byte order, then how far an Int64 lies from it: integers beyond 2^53 keep their own place. At most 1 024
 * away, as doubles below 2^63 are never further apart than that.
 */
function numberKey(value: number, offset: number): FilterKey {
  if (Number.isNaN(value)) return Buffer.from([TAG.nan]);
  const key = Buffer.allocUnsafe(11);
  key[0] = TAG.number;
  // + 0 makes one zero of both.
  key.writeDoubleBE(value + 0, 1);
  if ((key[1] as number) & 0x80) for (let i = 1; i < 9; i++) key[i] = ~(key[i] as number);
  else key[1] = (key[1] as number) ^ 0x80;
  key.writeUInt16BE(offset + 0x8000, 9);
  return key;
}

function longKey(value: Long): FilterKey {
  const nearest = value.toNumber();
  if (Number.isSafeInteger(nearest)) return numberKey(nearest, 0);
  return numberKey(nearest, Number(value.toBigInt() - BigInt(nearest)));
}

function dateKey(milliseconds: number): FilterKey {
  const key = Buffer.allocUnsafe(9);
  key[0] = TAG.date;
  key.writeBigUInt64BE(BigInt.asUintN(64, BigInt(milliseconds) ^ -(2n ** 63n)), 1);
  return key;
}
