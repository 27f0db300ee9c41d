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
import { CommandError } from '../errors.js';
import { FIXED_BYTES } from './fixed-bytes.js';
import { isInt32 } from './type.js';
import type { BsonValue, Doc } from './values.js';

/** Nesting that the server accepts in a stored document. Source: MongoDB manual, "Limits and Thresholds". */
export const MAX_DEPTH = 200;

/** A JavaScript Date ends here; BSON dates go further. */
const MAX_DATE_MS = 8.64e15;

export function tooDeep(): CommandError {
  return new CommandError(15, `BSONObj exceeds maximum nested object depth: ${MAX_DEPTH}`);
}

function invalid(what: string, at: number): CommandError {
  return new CommandError(22, `Invalid BSON: ${what} at byte ${at}`);
}

function tooMany(read: number, there: number): CommandError {
  return invalid(`document of ${read} bytes in a buffer of ${there}`, read);
}

/**
 * Reads one BSON document. Nothing in the result points into `bytes`. The stored type "undefined" (deprecated) reads as
 * null. Of a repeated field name the last value counts; names that look like array indexes come first, as JavaScript
 * orders them.
 *
 * @throws CommandError 22 InvalidBSON when the bytes are not one whole document, 15 Overflow beyond 200 levels, 2 BadValue
 * for a date that no JavaScript Date can hold.
 */
export function decode(bytes: Uint8Array): Doc {
  const reader = new Reader(bytes);
  const doc = reader.document(0);
  if (reader.position !== bytes.byteLength) throw tooMany(reader.position, bytes.byteLength);
  return doc;
}

/**
 * Reads some top-level fields only, in the document's order: what is not asked for is passed over unread. For bytes that
 * `decode` accepted before; others are refused or read in part, never read beyond their end.
 */
export function decodeFields(bytes: Uint8Array, wanted: ReadonlySet<string>): Doc {
  return new Reader(bytes).fields(wanted);
}

/**
 * Reads some top-level fields only, of bytes that come from outside: the others are checked as strictly as `decode` does, but
 * nothing is made of them.
 *
 * @throws CommandError as `decode` does.
 */
export function decodeFieldsChecked(bytes: Uint8Array, wanted: ReadonlySet<string>): Doc {
  return new Reader(bytes).fields(wanted, true);
}

/** Which of some top-level fields two documents do not have alike, byte by byte. For bytes that `decode` accepted before. */
export function changedFields(before: Uint8Array, after: Uint8Array, names: ReadonlySet<string>): ReadonlySet<string> {
  const [old, now] = [new Reader(before), new Reader(after)];
  const [spansBefore, spansAfter] = [old.spans(names), now.spans(names)];
  const changed = new Set<string>();
  for (const name of names) {
    const [was, is] = [spansBefore.get(name), spansAfter.get(name)];
    if (was === undefined && is === undefined) continue;
    if (was === undefined || is === undefined || !old.isSame(was, now, is)) changed.add(name);
  }
  return changed;
}

/** Field names repeat from document to document: short ones are kept by their hash instead of being made anew. */
const NAME_SLOTS = 1024;
const NAME_LENGTH_MAX = 24;
const names: string[] = new Array(NAME_SLOTS).fill('');

function defineField(doc: Doc, name: string, value: BsonValue): void {
  // Assigned, it would become the object's prototype.
  if (name === '__proto__') {
    Object.defineProperty(doc, name, { value, writable: true, enumerable: true, configurable: true });
  } else doc[name] = value;
}

/** ObjectIds, UUIDs, decimals and hashes. */
const POOLED_BYTES_MAX = 64;

interface Span {
  readonly from: number;
  readonly to: number;
}

class Reader {
  position = 0;
  private readonly buffer: Buffer;
  /** End of the innermost document: no element reads past it. */
  private end: number;

  constructor(bytes: Uint8Array) {
    this.buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.end = bytes.byteLength;
  }

  document(depth: number): Doc {
    const outerEnd = this.enter(depth);
    const doc: Doc = {};
    for (let type = this.buffer[this.position++]!; type !== 0; type = this.buffer[this.position++]!) {
      const name = this.name();
      defineField(doc, name, this.value(type, depth));
      if (this.position >= this.end) throw invalid('a document without its end', this.position);
    }
    this.leave(outerEnd);
    return doc;
  }

  /** `checked`: what is not wanted is checked, and the document has to be all that there is. */
  fields(wanted: ReadonlySet<string>, checked = false): Doc {
    const whole = this.end;
    this.enter(0);
    const doc: Doc = {};
    for (let type = this.buffer[this.position++]!; type !== 0; type = this.buffer[this.position++]!) {
      const name = this.name();
      if (wanted.has(name)) defineField(doc, name, this.value(type, 0));
      else if (checked) this.check(type, 0);
      else this.skip(type);
      if (this.position >= this.end) throw invalid('a document without its end', this.position);
    }
    if (checked) {
      this.leave(whole);
      if (this.position !== whole) throw tooMany(this.position, whole);
    }
    return doc;
  }

  /** Where each wanted field that is there lies: type, name and value. */
  spans(wanted: ReadonlySet<string>): Map<string, Span> {
    this.enter(0);
    const spans = new Map<string, Span>();
    for (;;) {
      const from = this.position;
      const type = this.buffer[this.position++]!;
      if (type === 0) return spans;
      const name = this.name();
      this.skip(type);
      if (this.position >= this.end) throw invalid('a document without its end', this.position);
      if (wanted.has(name)) spans.set(name, { from, to: this.position });
    }
  }

  isSame(own: Span, other: Reader, others: Span): boolean {
    if (own.to - own.from !== others.to - others.from) return false;
    return this.buffer.compare(other.buffer, others.from, others.to, own.from, own.to) === 0;
  }

  /** Reads a value as `value` does, and makes nothing of it where it is of the kinds that are many or large. */
  private check(type: number, depth: number): void {
    switch (type) {
      case 0x02:
        this.stringSpan();
        break;
      case 0x03:
      case 0x04: {
        const outerEnd = this.enter(depth + 1);
        for (let inner = this.buffer[this.position++]!; inner !== 0; inner = this.buffer[this.position++]!) {
          this.skipName();
          this.check(inner, depth + 1);
          if (this.position >= this.end) throw invalid('a document without its end', this.position);
        }
        this.leave(outerEnd);
        break;
      }
      case 0x05:
        this.binarySpan();
        break;
      case 0x07:
        this.take(12);
        break;
      default:
        this.value(type, depth);
    }
  }

  private skip(type: number): void {
    const fixed = FIXED_BYTES[type];
    if (fixed !== undefined) {
      this.take(fixed);
      return;
    }
    const start = this.position;
    switch (type) {
      case 0x02:
      case 0x0d:
      case 0x0e:
        this.take(this.int32());
        break;
      case 0x03:
      case 0x04:
      case 0x0f: {
        const size = this.int32();
        if (size < 5) throw invalid(`document length ${size}`, start);
        this.take(size - 4);
        break;
      }
      case 0x05:
        this.take(this.int32() + 1);
        break;
      case 0x0b:
        this.skipName();
        this.skipName();
        break;
      case 0x0c:
        this.take(this.int32());
        this.take(12);
        break;
      default:
        throw invalid(`unknown type 0x${type.toString(16)}`, start);
    }
  }

  private array(depth: number): BsonValue[] {
    const outerEnd = this.enter(depth);
    const items: BsonValue[] = [];
    for (let type = this.buffer[this.position++]!; type !== 0; type = this.buffer[this.position++]!) {
      this.skipName();
      items.push(this.value(type, depth));
      if (this.position >= this.end) throw invalid('an array without its end', this.position);
    }
    this.leave(outerEnd);
    return items;
  }

  /** Reads a document's length, makes its end the bound for what follows, and returns the outer bound. */
  private enter(depth: number): number {
    if (depth >= MAX_DEPTH) throw tooDeep();
    const outerEnd = this.end;
    const start = this.position;
    const size = this.int32();
    if (size < 5 || start + size > outerEnd) throw invalid(`document length ${size}`, start);
    this.end = start + size;
    if (this.buffer[this.end - 1] !== 0) throw invalid('a document without its end', this.end - 1);
    return outerEnd;
  }

  private leave(outerEnd: number): void {
    if (this.position !== this.end) throw invalid('a document that ends early', this.position);
    this.end = outerEnd;
  }

  private value(type: number, depth: number): BsonValue {
    switch (type) {
      case 0x01: {
        const value = this.buffer.readDoubleLE(this.take(8));
        return isInt32(value) ? new Double(value) : value;
      }
      case 0x02:
        return this.string();
      case 0x03:
        return this.document(depth + 1);
      case 0x04:
        return this.array(depth + 1);
      case 0x05:
        return this.binary();
      case 0x06:
      case 0x0a:
        return null;
      case 0x07:
        return this.objectId();
      case 0x08: {
        const at = this.take(1);
        const byte = this.buffer[at]!;
        if (byte > 1) throw invalid(`boolean ${byte}`, at);
        return byte === 1;
      }
      case 0x09:
        return this.date();
      case 0x0b:
        return this.regex();
      case 0x0c:
        return new DBRef(this.string(), this.objectId());
      case 0x0d:
        return new Code(this.string());
      case 0x0e:
        return new BSONSymbol(this.string());
      case 0x0f:
        return this.codeWithScope(depth);
      case 0x10:
        return this.int32();
      case 0x11: {
        const low = this.int32();
        return new Timestamp(new Long(low, this.int32(), true));
      }
      case 0x12: {
        const low = this.int32();
        return new Long(low, this.int32());
      }
      case 0x13: {
        const at = this.take(16);
        return new Decimal128(this.copy(at, at + 16));
      }
      case 0x7f:
        return new MaxKey();
      case 0xff:
        return new MinKey();
      default:
        throw invalid(`unknown type 0x${type.toString(16)}`, this.position);
    }
  }

  /** Moves on by `length` bytes and returns where they start. */
  private take(length: number): number {
    const at = this.position;
    // The last byte of a document is its end and never part of a value.
    if (length < 0 || at + length >= this.end) throw invalid('a value that is cut off', at);
    this.position = at + length;
    return at;
  }

  private int32(): number {
    const at = this.position;
    if (at + 4 > this.end) throw invalid('a value that is cut off', at);
    this.position = at + 4;
    const { buffer } = this;
    return buffer[at]! | (buffer[at + 1]! << 8) | (buffer[at + 2]! << 16) | (buffer[at + 3]! << 24);
  }

  private copy(from: number, to: number): Buffer {
    // Memory of its own costs more than a small value's bytes; a large value would keep a pool's other bytes alive.
    const copy = to - from <= POOLED_BYTES_MAX ? Buffer.allocUnsafe(to - from) : Buffer.allocUnsafeSlow(to - from);
    this.buffer.copy(copy, 0, from, to);
    return copy;
  }

  private string(): string {
    const at = this.stringSpan();
    return this.text(at, this.position - 1);
  }

  /** Passes over a string; returns where its characters start. */
  private stringSpan(): number {
    const length = this.int32();
    const at = this.take(length);
    if (length < 1 || this.buffer[at + length - 1] !== 0) throw invalid(`string length ${length}`, at);
    return at;
  }

  private text(from: number, to: number): string {
    const { buffer } = this;
    if (to - from > 16) return buffer.toString('utf8', from, to);
    let text = '';
    for (let at = from; at < to; at++) {
      const byte = buffer[at]!;
      if (byte > 0x7f) return buffer.toString('utf8', from, to);
      text += String.fromCharCode(byte);
    }
    return text;
  }

  private cstring(): string {
    const from = this.position;
    this.skipName();
    return this.text(from, this.position - 1);
  }

  private skipName(): void {
    const { buffer, end } = this;
    let at = this.position;
    while (at < end && buffer[at] !== 0) at++;
    if (at >= end) throw invalid('a name without its end', this.position);
    this.position = at + 1;
  }

  private name(): string {
    const { buffer, end } = this;
    const from = this.position;
    let at = from;
    let hash = 0;
    for (; at < end; at++) {
      const byte = buffer[at]!;
      if (byte === 0) break;
      hash = (hash * 31 + byte) | 0;
    }
    if (at >= end) throw invalid('a name without its end', from);
    this.position = at + 1;
    const length = at - from;
    if (length > NAME_LENGTH_MAX) return this.text(from, at);
    const slot = (hash ^ (hash >>> 10) ^ length) & (NAME_SLOTS - 1);
    const known = names[slot]!;
    if (known.length === length) {
      let same = 0;
      // A byte above 0x7f never equals a char code of the same name, so such names are always read anew.
      while (same < length && known.charCodeAt(same) === buffer[from + same] && buffer[from + same]! < 0x80) same++;
      if (same === length) return known;
    }
    const name = this.text(from, at);
    names[slot] = name;
    return name;
  }

  private binary(): Binary {
    const at = this.binarySpan();
    const subtype = this.buffer[at]!;
    const from = at + (subtype === Binary.SUBTYPE_BYTE_ARRAY ? 5 : 1);
    return new Binary(this.copy(from, this.position), subtype);
  }

  /** Passes over a binary value; returns where its subtype stands, before its bytes. */
  private binarySpan(): number {
    const length = this.int32();
    const at = this.take(length + 1);
    if (length < 0) throw invalid(`binary length ${length}`, at);
    // The old binary subtype repeats its length inside.
    const isOld = this.buffer[at] === Binary.SUBTYPE_BYTE_ARRAY;
    if (isOld && (length < 4 || this.buffer.readInt32LE(at + 1) !== length - 4)) {
      throw invalid('binary of subtype 2', at);
    }
    return at;
  }

  private objectId(): ObjectId {
    const at = this.take(12);
    return new ObjectId(this.copy(at, at + 12));
  }

  private date(): Date {
    const at = this.take(8);
    const ms = this.buffer.readInt32LE(at + 4) * 0x1_0000_0000 + this.buffer.readUInt32LE(at);
    if (ms > MAX_DATE_MS || ms < -MAX_DATE_MS) {
      throw new CommandError(2, `Dates further than ${MAX_DATE_MS} ms from 1970 are not supported by Pocket Atlas`);
    }
    return new Date(ms);
  }

  private regex(): BSONRegExp {
    const at = this.position;
    const pattern = this.cstring();
    const options = this.cstring();
    try {
      return new BSONRegExp(pattern, options);
    } catch {
      throw invalid('regular expression options', at);
    }
  }

  private codeWithScope(depth: number): Code {
    const start = this.position;
    const size = this.int32();
    const code = this.string();
    const scope = this.document(depth + 1);
    if (this.position !== start + size) throw invalid(`code length ${size}`, start);
    return new Code(code, scope);
  }
}
