/** Reading and joining encoded BSON without decoding it. The bytes must have passed `assertValidBson`. */

const FIXED_BYTES: Readonly<Record<number, number>> = {
  1: 8,
  6: 0,
  7: 12,
  8: 1,
  9: 8,
  10: 0,
  16: 4,
  17: 8,
  18: 8,
  19: 16,
  127: 0,
  255: 0,
};

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

/** `{ [name]: <document or array> }`. */
export function wrapDocument(name: string, value: Uint8Array, type: 3 | 4 = 3): Uint8Array {
  const nameBytes = Buffer.byteLength(name);
  const wrapped = Buffer.allocUnsafe(4 + 1 + nameBytes + 1 + value.length + 1);
  wrapped.writeInt32LE(wrapped.length, 0);
  wrapped[4] = type;
  wrapped.write(name, 5);
  wrapped[5 + nameBytes] = 0;
  wrapped.set(value, 6 + nameBytes);
  wrapped[wrapped.length - 1] = 0;
  return wrapped;
}

/** An encoded array of encoded documents. */
export function rawArray(documents: readonly Uint8Array[]): Uint8Array {
  let length = 5;
  for (let i = 0; i < documents.length; i += 1) length += 2 + digits(i) + documents[i]!.length;
  const array = Buffer.allocUnsafe(length);
  array.writeInt32LE(length, 0);
  let at = 4;
  for (let i = 0; i < documents.length; i += 1) {
    array[at] = 3;
    at += 1;
    at += array.write(String(i), at, 'latin1');
    array[at] = 0;
    at += 1;
    array.set(documents[i]!, at);
    at += documents[i]!.length;
  }
  array[at] = 0;
  return array;
}

/** Bytes that a document adds to `rawArray` at position `index`. */
export function rawElementBytes(index: number, document: Uint8Array): number {
  return 2 + digits(index) + document.length;
}

function digits(n: number): number {
  let count = 1;
  for (let rest = n; rest >= 10; rest = Math.floor(rest / 10)) count += 1;
  return count;
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
