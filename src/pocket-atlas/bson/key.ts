import { createHash } from 'node:crypto';
import type { Binary, BSONRegExp, BSONSymbol, Code, DBRef, ObjectId, Timestamp } from 'bson';
import { storedNames, textOf } from './compare.js';
import { MAX_DEPTH, tooDeep } from './decode.js';
import { type BsonNumber, compareExact, type ExactNumber, exactNumber, toDecimal } from './number.js';
import { regexParts, TYPE_ORDER, typeName } from './type.js';
import type { BsonValue, Doc } from './values.js';

/**
 * Order-preserving bytes of BSON values: comparing two keys byte by byte gives the order of `compare`, and values that
 * compare equal (1, Long 1, Decimal 1.0) have the same bytes. Every value's bytes end by themselves, none is the
 * beginning of another's, so keys of several values are those bytes one after the other, inverted where the index
 * descends.
 */

/** LMDB keys end at 1 978 bytes; index number and record id go around this. */
export const STORED_KEY_BYTES_MAX = 1500;
const DIGEST_BYTES = 32;
/** Keys longer than this are stored as their beginning and the SHA-256 of the whole: the reader re-checks. */
export const KEY_PREFIX_BYTES = STORED_KEY_BYTES_MAX - DIGEST_BYTES;

export function encodeKey(values: readonly BsonValue[], directions: readonly (1 | -1)[]): Uint8Array {
  const writer = new KeyWriter();
  for (const [part, value] of values.entries()) {
    const start = writer.length;
    writer.value(value, 0);
    if (directions[part] === -1) writer.invert(start);
  }
  return writer.finish();
}

/** A key as it is stored: itself when short, else `KEY_PREFIX_BYTES` of it and its SHA-256. */
export function storedKey(key: Uint8Array): Uint8Array {
  if (key.length <= KEY_PREFIX_BYTES) return key;
  const bytes = new Uint8Array(STORED_KEY_BYTES_MAX);
  bytes.set(key.subarray(0, KEY_PREFIX_BYTES));
  bytes.set(createHash('sha256').update(key).digest(), KEY_PREFIX_BYTES);
  return bytes;
}

/** Whether a stored key stands for a longer one, so that its order and equality are not certain. */
export function isShortened(stored: Uint8Array): boolean {
  return stored.length === STORED_KEY_BYTES_MAX;
}

/** What every stored key whose values begin with those of `key` begins with. */
export function keyPrefix(key: Uint8Array): Uint8Array {
  return key.length <= KEY_PREFIX_BYTES ? key : key.subarray(0, KEY_PREFIX_BYTES);
}

/** The least byte string above all that begin with `prefix`; undefined when there is none (all bytes 0xff). */
export function prefixEnd(prefix: Uint8Array): Uint8Array | undefined {
  let length = prefix.length;
  while (length > 0 && prefix[length - 1] === 0xff) length--;
  if (length === 0) return undefined;
  // Not slice: a Buffer's would share its bytes.
  const end = new Uint8Array(prefix.subarray(0, length));
  end[length - 1]!++;
  return end;
}

class KeyWriter {
  length = 0;
  private buffer = Buffer.allocUnsafe(64);

  finish(): Uint8Array {
    return Uint8Array.prototype.slice.call(this.buffer, 0, this.length);
  }

  invert(from: number): void {
    for (let at = from; at < this.length; at++) this.buffer[at] = ~this.buffer[at]!;
  }

  /** A type byte, then what orders values within the type. */
  value(value: BsonValue, depth: number): void {
    const order = TYPE_ORDER[typeName(value)];
    this.byte(order);
    this.within(order, value, depth);
  }

  private within(order: number, value: BsonValue, depth: number): void {
    switch (order) {
      case TYPE_ORDER.double:
        this.number(exactNumber(value as BsonNumber));
        break;
      case TYPE_ORDER.string:
        this.text(textOf(value as string | BSONSymbol));
        break;
      case TYPE_ORDER.object:
        this.document(value as Doc, depth);
        break;
      case TYPE_ORDER.array:
        this.array(value as BsonValue[], depth);
        break;
      case TYPE_ORDER.binData: {
        const { buffer, position, sub_type } = value as Binary;
        this.uint32(position);
        this.byte(sub_type);
        this.raw(buffer.subarray(0, position));
        break;
      }
      case TYPE_ORDER.objectId:
        this.raw((value as ObjectId).id);
        break;
      case TYPE_ORDER.bool:
        this.byte(value === true ? 1 : 0);
        break;
      case TYPE_ORDER.date:
        this.double((value as Date).getTime());
        break;
      case TYPE_ORDER.timestamp:
        this.uint32((value as Timestamp).high >>> 0);
        this.uint32((value as Timestamp).low >>> 0);
        break;
      case TYPE_ORDER.regex: {
        const { pattern, options } = regexParts(value as RegExp | BSONRegExp);
        this.text(pattern);
        this.text(options);
        break;
      }
      case TYPE_ORDER.dbPointer:
        this.uint32(Buffer.byteLength((value as DBRef).collection));
        this.text((value as DBRef).collection);
        this.raw((value as DBRef).oid.id);
        break;
      case TYPE_ORDER.javascript:
        this.text(String((value as Code).code));
        break;
      case TYPE_ORDER.javascriptWithScope:
        this.text(String((value as Code).code));
        this.document((value as Code).scope as Doc, depth);
        break;
      default:
      // MinKey, MaxKey, null and missing have one value each.
    }
  }

  private document(doc: Doc, depth: number): void {
    if (depth >= MAX_DEPTH) throw tooDeep();
    for (const name of storedNames(doc)) {
      const value = doc[name];
      const order = TYPE_ORDER[typeName(value)];
      this.byte(order);
      this.text(name);
      this.within(order, value, depth + 1);
    }
    this.byte(0);
  }

  private array(items: readonly BsonValue[], depth: number): void {
    if (depth >= MAX_DEPTH) throw tooDeep();
    for (const item of items) this.value(item ?? null, depth + 1);
    this.byte(0);
  }

  /**
   * The greatest double that is not above the number, then 0 when that is it exactly, else 1 and the number's own decimal
   * digits: only Int64 beyond 2^53 and Decimal128 need those. NaN goes below.
   */
  private number(value: ExactNumber): void {
    if (Number.isNaN(value)) {
      this.byte(0);
      return;
    }
    this.byte(1);
    const floor = floorDouble(value);
    this.double(floor);
    const exact = compareExact(value, floor) === 0;
    this.byte(exact ? 0 : 1);
    if (!exact) this.digits(value);
  }

  private digits(value: ExactNumber): void {
    const { coefficient, exponent } = toDecimal(value);
    const negative = coefficient < 0n;
    const all = String(negative ? -coefficient : coefficient);
    const significant = all.replace(/0+$/, '');
    const start = this.length;
    // Place of the first digit, then the digits: one form per value.
    this.uint32(exponent + all.length + 0x1_0000);
    for (const digit of significant) this.byte(Number(digit) + 1);
    this.byte(0);
    if (negative) this.invert(start);
  }

  /** IEEE 754 bits, turned so that they sort as unsigned bytes: the sign bit flipped, negative numbers inverted. */
  private double(value: number): void {
    this.reserve(8);
    const start = this.length;
    this.buffer.writeDoubleBE(value === 0 ? 0 : value, start);
    this.length += 8;
    if (value < 0) this.invert(start);
    else this.buffer[start]! ^= 0x80;
  }

  /** UTF-8, ended by 0; the bytes 0 and 1 are written as 1 1 and 1 2. */
  private text(text: string): void {
    this.reserve(text.length * 6 + 1);
    const { buffer } = this;
    const start = this.length;
    const written = buffer.write(text, start, 'utf8');
    let low = 0;
    for (let at = start; at < start + written; at++) if (buffer[at]! < 2) low++;
    // From the back, so that nothing is overwritten before it is read.
    let to = start + written + low;
    for (let from = start + written; low > 0; ) {
      const byte = buffer[--from]!;
      if (byte < 2) {
        buffer[--to] = byte + 1;
        buffer[--to] = 1;
        low--;
        this.length++;
      } else buffer[--to] = byte;
    }
    this.length += written;
    this.byte(0);
  }

  private raw(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.buffer.set(bytes, this.length);
    this.length += bytes.length;
  }

  private byte(byte: number): void {
    this.reserve(1);
    this.buffer[this.length++] = byte;
  }

  private uint32(value: number): void {
    this.reserve(4);
    this.length = this.buffer.writeUInt32BE(value, this.length);
  }

  private reserve(bytes: number): void {
    const needed = this.length + bytes;
    if (needed <= this.buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(needed, this.buffer.length * 2));
    this.buffer.copy(grown, 0, 0, this.length);
    this.buffer = grown;
  }
}

/** The greatest double that is not above `value`. */
function floorDouble(value: ExactNumber): number {
  if (typeof value === 'number') return value;
  const nearest = typeof value === 'bigint' ? Number(value) : value.nearest;
  return compareExact(nearest, value) <= 0 ? nearest : doubleBelow(nearest);
}

const bits = new DataView(new ArrayBuffer(8));

/** The next lower double; `value` is not NaN and not -Infinity. */
function doubleBelow(value: number): number {
  if (value === 0) return -Number.MIN_VALUE;
  bits.setFloat64(0, value);
  bits.setBigInt64(0, bits.getBigInt64(0) + (value > 0 ? -1n : 1n));
  return bits.getFloat64(0);
}
