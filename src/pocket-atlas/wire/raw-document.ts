import { FIXED_BYTES } from '../bson/fixed-bytes.js';

/** Reading and joining encoded BSON without decoding it. The bytes must have passed `assertValidBson`. */

export interface RawField {
  readonly name: string;
  readonly type: number;
  /** The value's bytes without type and name. */
  readonly value: Uint8Array;
}

/** The fields of one level, in order. */
export function* rawFields(bytes: Uint8Array): Generator<RawField> {
  const buffer = asBuffer(bytes);
  let at = 4;
  while (buffer[at] !== 0) {
    const type = buffer[at]!;
    const nameEnd = buffer.indexOf(0, at + 1);
    const valueAt = nameEnd + 1;
    const end = valueAt + valueLength(buffer, type, valueAt);
    yield { name: buffer.toString('utf8', at + 1, nameEnd), type, value: buffer.subarray(valueAt, end) };
    at = end;
  }
}

export function rawField(bytes: Uint8Array, name: string): RawField | undefined {
  for (const field of rawFields(bytes)) if (field.name === name) return field;
  return undefined;
}

/** The documents of an encoded array; undefined where an element is none. */
export function rawDocuments(array: Uint8Array): Uint8Array[] | undefined {
  const documents: Uint8Array[] = [];
  for (const { type, value } of rawFields(array)) {
    if (type !== 3) return undefined;
    documents.push(value);
  }
  return documents;
}

/** A document without one of its fields. */
export function withoutField(bytes: Uint8Array, name: string): Uint8Array {
  const buffer = asBuffer(bytes);
  for (let at = 4; buffer[at] !== 0; ) {
    const nameEnd = buffer.indexOf(0, at + 1);
    const end = nameEnd + 1 + valueLength(buffer, buffer[at]!, nameEnd + 1);
    if (buffer.toString('utf8', at + 1, nameEnd) === name) {
      const rest = Buffer.concat([buffer.subarray(0, at), buffer.subarray(end)]);
      rest.writeInt32LE(rest.length, 0);
      return rest;
    }
    at = end;
  }
  return bytes;
}

/** One document with the fields of all, in order. */
export function joinDocuments(...documents: readonly Uint8Array[]): Uint8Array {
  let length = 5;
  for (const document of documents) length += document.length - 5;
  const joined = Buffer.allocUnsafe(length);
  joined.writeInt32LE(length, 0);
  let at = 4;
  for (const document of documents) {
    joined.set(document.subarray(4, document.length - 1), at);
    at += document.length - 5;
  }
  joined[at] = 0;
  return joined;
}

function valueLength(buffer: Buffer, type: number, at: number): number {
  const fixed = FIXED_BYTES[type];
  if (fixed !== undefined) return fixed;
  switch (type) {
    case 3:
    case 4:
    case 15:
      return buffer.readInt32LE(at);
    case 5:
      return 5 + buffer.readInt32LE(at);
    case 11: {
      const flagsAt = buffer.indexOf(0, at) + 1;
      return buffer.indexOf(0, flagsAt) + 1 - at;
    }
    case 12:
      return 4 + buffer.readInt32LE(at) + 12;
    default:
      return 4 + buffer.readInt32LE(at);
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
