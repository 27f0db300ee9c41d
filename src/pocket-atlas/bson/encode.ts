import {
  Binary,
  type BSONRegExp,
  type BSONSymbol,
  type Code,
  type DBRef,
  type Decimal128,
  type Double,
  type Long,
  type ObjectId,
  type Timestamp,
} from 'bson';
import { CommandError } from '../errors.js';
import { MAX_DEPTH, tooDeep } from './decode.js';
import { regexParts, typeName } from './type.js';
import type { BsonValue, Doc } from './values.js';

/** Largest document a user may store, in bytes. Source: MongoDB manual, "Limits and Thresholds". */
export const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;
/** What the server allows itself beyond that, and names in its message. */
const MAX_INTERNAL_BYTES = MAX_DOCUMENT_BYTES + 16 * 1024;

/** @throws CommandError 10334 BSONObjectTooLarge when `bytes` is larger than a document may be (16 MiB). */
export function checkDocumentSize(bytes: Uint8Array): void {
  const size = bytes.byteLength;
  if (size <= MAX_DOCUMENT_BYTES) return;
  throw new CommandError(
    10334,
    `BSONObj size: ${size} (0x${size.toString(16).toUpperCase()}) is invalid. Size must be between 0 and ${MAX_INTERNAL_BYTES}(16MB)`,
  );
}

/**
 * Writes one document as BSON; the inverse of `decode`. Fields that are undefined are left out, undefined array elements
 * become null. `bson.serialize` cannot take its place: it refuses or misreads documents with a field `_bsontype`.
 *
 * @throws CommandError 15 Overflow beyond 200 levels, 2 BadValue for a field name with a NUL or an invalid Date.
 */
export function encode(doc: Doc): Uint8Array {
  writer.position = 0;
  writer.document(doc, 0);
  return writer.finish();
}

const SCRATCH_BYTES = 64 * 1024;
const SCRATCH_KEPT_BYTES = 1024 * 1024;

class Writer {
  position = 0;
  private buffer = Buffer.allocUnsafeSlow(SCRATCH_BYTES);

  finish(): Uint8Array {
    const bytes = Buffer.allocUnsafeSlow(this.position);
    this.buffer.copy(bytes, 0, 0, this.position);
    if (this.buffer.length > SCRATCH_KEPT_BYTES) this.buffer = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
    return bytes;
  }

  document(doc: Doc, depth: number): void {
    const start = this.open(depth);
    for (const name of Object.keys(doc)) {
      const value = doc[name];
      if (value === undefined) continue;
      const typeAt = this.position++;
      this.cstring(name);
      // In two steps: writing the value may replace the buffer.
      const type = this.value(value, depth);
      this.buffer[typeAt] = type;
    }
    this.close(start);
  }

  private array(items: readonly BsonValue[], depth: number): void {
    const start = this.open(depth);
    for (let index = 0; index < items.length; index++) {
      const typeAt = this.position++;
      this.index(index);
      const type = this.value(items[index] ?? null, depth);
      this.buffer[typeAt] = type;
    }
    this.close(start);
  }

  private open(depth: number): number {
    if (depth >= MAX_DEPTH) throw tooDeep();
    this.reserve(16);
    const start = this.position;
    this.position += 4;
    return start;
  }

  private close(start: number): void {
    this.reserve(1);
    this.buffer[this.position++] = 0;
    this.buffer.writeInt32LE(this.position - start, start);
  }

  /** Writes the value and returns its BSON type byte. */
  private value(value: BsonValue, depth: number): number {
    this.reserve(32);
    switch (typeName(value)) {
      case 'int':
        this.int32(Number(value));
        return 0x10;
      case 'double': {
        const number = typeof value === 'number' ? value : (value as Double).value;
        this.position = this.buffer.writeDoubleLE(number, this.position);
        return 0x01;
      }
      case 'string':
        this.string(value as string);
        return 0x02;
      case 'object':
        this.document(value as Doc, depth + 1);
        return 0x03;
      case 'array':
        this.array(value as BsonValue[], depth + 1);
        return 0x04;
      case 'binData':
        this.binary(value as Binary);
        return 0x05;
      case 'objectId':
        this.raw((value as ObjectId).id);
        return 0x07;
      case 'bool':
        this.buffer[this.position++] = value === true ? 1 : 0;
        return 0x08;
      case 'date':
        this.date(value as Date);
        return 0x09;
      case 'undefined':
      case 'null':
        return 0x0a;
      case 'regex':
        this.regex(value as RegExp | BSONRegExp);
        return 0x0b;
      case 'dbPointer':
        this.string((value as DBRef).collection);
        this.raw((value as DBRef).oid.id);
        return 0x0c;
      case 'javascript':
        this.string((value as Code).code);
        return 0x0d;
      case 'symbol':
        this.string((value as BSONSymbol).value);
        return 0x0e;
      case 'javascriptWithScope':
        this.codeWithScope(value as Code, depth);
        return 0x0f;
      case 'timestamp':
        this.int64(value as Timestamp);
        return 0x11;
      case 'long':
        this.int64(value as Long);
        return 0x12;
      case 'decimal':
        this.raw((value as Decimal128).bytes);
        return 0x13;
      case 'maxKey':
        return 0x7f;
      case 'minKey':
        return 0xff;
    }
  }

  private reserve(bytes: number): void {
    const needed = this.position + bytes;
    if (needed <= this.buffer.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.buffer.length * 2));
    this.buffer.copy(grown, 0, 0, this.position);
    this.buffer = grown;
  }

  private int32(value: number): void {
    const { buffer } = this;
    buffer[this.position++] = value;
    buffer[this.position++] = value >>> 8;
    buffer[this.position++] = value >>> 16;
    buffer[this.position++] = value >>> 24;
  }

  private int64(value: { readonly low: number; readonly high: number }): void {
    this.int32(value.low);
    this.int32(value.high);
  }

  private raw(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.buffer.set(bytes, this.position);
    this.position += bytes.length;
  }

  /** UTF-8 without length or end; lone surrogates become U+FFFD. */
  private text(text: string): void {
    this.reserve(text.length * 3 + 8);
    if (text.length <= 16) {
      let at = this.position;
      let index = 0;
      for (; index < text.length; index++) {
        const code = text.charCodeAt(index);
        if (code > 0x7f) break;
        this.buffer[at++] = code;
      }
      if (index === text.length) {
        this.position = at;
        return;
      }
    }
    this.position += this.buffer.write(text, this.position, 'utf8');
  }

  private string(text: string): void {
    this.reserve(5);
    const start = this.position;
    this.position += 4;
    this.text(text);
    this.buffer[this.position++] = 0;
    this.buffer.writeInt32LE(this.position - start - 4, start);
  }

  private cstring(text: string): void {
    if (text.includes('\0'))
      throw new CommandError(2, 'Field names and regular expressions cannot hold a NUL character');
    this.text(text);
    this.buffer[this.position++] = 0;
  }

  /** An array index as its decimal name. */
  private index(index: number): void {
    this.reserve(16);
    let digits = 1;
    for (let rest = index; rest >= 10; rest = (rest / 10) | 0) digits++;
    const end = this.position + digits;
    for (let at = end - 1, rest = index; at >= this.position; at--) {
      const next = (rest / 10) | 0;
      this.buffer[at] = 0x30 + rest - next * 10;
      rest = next;
    }
    this.buffer[end] = 0;
    this.position = end + 1;
  }

  private binary(value: Binary): void {
    const bytes = value.buffer.subarray(0, value.position);
    const old = value.sub_type === Binary.SUBTYPE_BYTE_ARRAY;
    this.int32(bytes.length + (old ? 4 : 0));
    this.buffer[this.position++] = value.sub_type;
    if (old) this.int32(bytes.length);
    this.raw(bytes);
  }

  private date(value: Date): void {
    const ms = value.getTime();
    if (Number.isNaN(ms)) throw new CommandError(2, 'An invalid Date cannot be stored');
    this.int32(ms % 0x1_0000_0000);
    this.int32(Math.floor(ms / 0x1_0000_0000));
  }

  private regex(value: RegExp | BSONRegExp): void {
    const { pattern, options } = regexParts(value);
    this.cstring(pattern);
    this.cstring(options);
  }

  private codeWithScope(value: Code, depth: number): void {
    const start = this.position;
    this.position += 4;
    this.string(value.code);
    this.document(value.scope as Doc, depth + 1);
    this.buffer.writeInt32LE(this.position - start, start);
  }
}

const writer = new Writer();
