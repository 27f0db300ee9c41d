import type { Binary, BSONRegExp, BSONSymbol, Code, DBRef, ObjectId, Timestamp } from 'bson';
import { type BsonNumber, compareExact, exactNumber } from './number.js';
import { regexParts, TYPE_ORDER, typeName } from './type.js';
import type { BsonValue, Doc } from './values.js';

/**
 * BSON comparison order over all types: by type first (numbers are one type, so are strings and symbols), then by value.
 * Undefined stands for a missing field: between MinKey and null; inside an array it counts as null, as it is stored.
 * Source: MongoDB manual, "Comparison/Sort Order".
 */
export function compare(a: BsonValue, b: BsonValue): number {
  if (typeof a === 'number' && typeof b === 'number') return compareExact(a, b);
  if (typeof a === 'string' && typeof b === 'string') return compareStrings(a, b);
  const order = TYPE_ORDER[typeName(a)];
  const difference = order - TYPE_ORDER[typeName(b)];
  return difference !== 0 ? difference : compareWithin(order, a, b);
}

export function equals(a: BsonValue, b: BsonValue): boolean {
  return a === b || compare(a, b) === 0;
}

/** The order of UTF-8 bytes, which is that of code points and not of UTF-16 units. */
export function compareStrings(a: string, b: string): number {
  if (a === b) return 0;
  const shorter = Math.min(a.length, b.length);
  for (let index = 0; index < shorter; index++) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right) return codePointPlace(left) - codePointPlace(right);
  }
  return a.length - b.length;
}

/** Surrogates (of code points above U+FFFF) go behind U+E000 to U+FFFF. */
function codePointPlace(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  return Buffer.compare(a, b);
}

/** `a` and `b` share the place `order` of TYPE_ORDER. */
function compareWithin(order: number, a: BsonValue, b: BsonValue): number {
  switch (order) {
    case TYPE_ORDER.double:
      return compareExact(exactNumber(a as BsonNumber), exactNumber(b as BsonNumber));
    case TYPE_ORDER.string:
      return compareStrings(textOf(a as string | BSONSymbol), textOf(b as string | BSONSymbol));
    case TYPE_ORDER.object:
      return compareDocuments(a as Doc, b as Doc);
    case TYPE_ORDER.array:
      return compareArrays(a as BsonValue[], b as BsonValue[]);
    case TYPE_ORDER.binData:
      return compareBinary(a as Binary, b as Binary);
    case TYPE_ORDER.objectId:
      return compareBytes((a as ObjectId).id, (b as ObjectId).id);
    case TYPE_ORDER.bool:
      return Number(a) - Number(b);
    case TYPE_ORDER.date:
      return compareExact((a as Date).getTime(), (b as Date).getTime());
    case TYPE_ORDER.timestamp:
      return compareTimestamps(a as Timestamp, b as Timestamp);
    case TYPE_ORDER.regex: {
      const [left, right] = [regexParts(a as RegExp | BSONRegExp), regexParts(b as RegExp | BSONRegExp)];
      return compareStrings(left.pattern, right.pattern) || compareStrings(left.options, right.options);
    }
    case TYPE_ORDER.dbPointer: {
      const [left, right] = [a as DBRef, b as DBRef];
      return (
        Buffer.byteLength(left.collection) - Buffer.byteLength(right.collection) ||
        compareStrings(left.collection, right.collection) ||
        compareBytes(left.oid.id, right.oid.id)
      );
    }
    case TYPE_ORDER.javascript:
      return compareStrings(String((a as Code).code), String((b as Code).code));
    case TYPE_ORDER.javascriptWithScope:
      return (
        compareStrings(String((a as Code).code), String((b as Code).code)) ||
        compareDocuments((a as Code).scope as Doc, (b as Code).scope as Doc)
      );
    default:
      // MinKey, MaxKey, null and missing have one value each.
      return 0;
  }
}

export function textOf(value: string | BSONSymbol): string {
  return typeof value === 'string' ? value : value.value;
}

function compareTimestamps(a: Timestamp, b: Timestamp): number {
  return (a.high >>> 0) - (b.high >>> 0) || (a.low >>> 0) - (b.low >>> 0);
}

function compareBinary(a: Binary, b: Binary): number {
  return (
    a.position - b.position ||
    a.sub_type - b.sub_type ||
    compareBytes(a.buffer.subarray(0, a.position), b.buffer.subarray(0, b.position))
  );
}

function compareArrays(a: readonly BsonValue[], b: readonly BsonValue[]): number {
  const shorter = Math.min(a.length, b.length);
  for (let index = 0; index < shorter; index++) {
    const difference = compare(a[index] ?? null, b[index] ?? null);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Field by field in their order: type, then name, then value; the one that ends first is smaller. */
function compareDocuments(a: Doc, b: Doc): number {
  const [left, right] = [storedNames(a), storedNames(b)];
  const shorter = Math.min(left.length, right.length);
  for (let index = 0; index < shorter; index++) {
    const [leftName, rightName] = [left[index]!, right[index]!];
    const [leftValue, rightValue] = [a[leftName], b[rightName]];
    const order = TYPE_ORDER[typeName(leftValue)];
    const difference =
      order - TYPE_ORDER[typeName(rightValue)] ||
      compareStrings(leftName, rightName) ||
      compareWithin(order, leftValue, rightValue);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** Undefined fields are not stored, so they do not take part. */
export function storedNames(doc: Doc): string[] {
  const names = Object.keys(doc);
  return names.every((name) => doc[name] !== undefined) ? names : names.filter((name) => doc[name] !== undefined);
}
