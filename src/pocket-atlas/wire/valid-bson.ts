import { isUtf8 } from 'node:buffer';
import { FIXED_BYTES } from '../bson/fixed-bytes.js';
import { CommandError } from '../errors.js';

/** Levels of documents and arrays in a message; the server's own default. */
export const NESTING_MAX = 200;

/**
 * Checks the structure of a document before anything trusts its lengths: each value lies within its parent, strings are
 * UTF-8 and end with NUL, nesting is bounded (so that recursive readers cannot overflow the stack).
 * Throws CommandError 22 InvalidBSON or 15 Overflow.
 */
export function assertValidBson(bytes: Uint8Array): void {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const ends: number[] = [documentEnd(buffer, 0, buffer.length)];
  if (ends[0] !== buffer.length) throw invalid('bytes follow the end of the document');
  let at = 4;
  while (ends.length > 0) {
    const end = ends[ends.length - 1]!;
    const type = buffer[at]!;
    at += 1;
    if (type === 0) {
      if (at !== end) throw invalid('a document ends before its length says');
      ends.pop();
      continue;
    }
    at = cstringEnd(buffer, at, end);
    if (type === 3 || type === 4) {
      if (ends.length >= NESTING_MAX) {
        throw new CommandError(15, `BSONObj exceeds maximum nested object depth: ${NESTING_MAX}`);
      }
      ends.push(documentEnd(buffer, at, end));
      at += 4;
    } else {
      at = valueEnd(buffer, type, at, end);
      // One byte must be left for the NUL that closes the document.
      if (at >= end) throw invalid(`a value of type ${type} reaches beyond its document`);
    }
  }
}

function valueEnd(buffer: Buffer, type: number, at: number, end: number): number {
  const fixed = FIXED_BYTES[type];
  if (fixed !== undefined) {
    if (type === 8 && buffer[at]! > 1) throw invalid('a Boolean is neither 0 nor 1');
    return at + fixed;
  }
  switch (type) {
    case 2: // string
    case 13: // code
    case 14: // symbol
      return stringEnd(buffer, at, end);
    case 5: {
      const length = int32(buffer, at, end);
      if (length < 0 || length > end - at) throw invalid('a binary value has an impossible length');
      return at + 5 + length;
    }
    case 11: // regular expression
      return cstringEnd(buffer, cstringEnd(buffer, at, end), end);
    case 12: // DBPointer
      return stringEnd(buffer, at, end) + 12;
    case 15: {
      // Code with scope is never run here: its shape must be right, its scope is checked as a document of its own.
      const length = int32(buffer, at, end);
      if (length < 14 || length > end - at) throw invalid('code with scope has an impossible length');
      const scopeAt = stringEnd(buffer, at + 4, at + length);
      if (scopeAt + 5 > at + length) throw invalid('code with scope lacks its scope');
      assertValidBson(buffer.subarray(scopeAt, at + length));
      return at + length;
    }
    default:
      throw invalid(`unknown type ${type}`);
  }
}

function documentEnd(buffer: Buffer, at: number, parentEnd: number): number {
  const length = int32(buffer, at, parentEnd);
  if (length < 5 || length > parentEnd - at)
    throw invalid(`a document says ${length} bytes, ${parentEnd - at} are there`);
  if (buffer[at + length - 1] !== 0) throw invalid('a document does not end with NUL');
  return at + length;
}

function stringEnd(buffer: Buffer, at: number, end: number): number {
  const length = int32(buffer, at, end);
  if (length < 1 || length > end - at - 4) throw invalid(`a string says ${length} bytes`);
  const stringEndAt = at + 4 + length;
  if (buffer[stringEndAt - 1] !== 0) throw invalid('a string does not end with NUL');
  if (!isUtf8(buffer.subarray(at + 4, stringEndAt - 1))) throw invalid('a string is not UTF-8');
  return stringEndAt;
}

function cstringEnd(buffer: Buffer, at: number, end: number): number {
  const nul = buffer.indexOf(0, at);
  if (nul < 0 || nul >= end) throw invalid('a field name does not end');
  return nul + 1;
}

function int32(buffer: Buffer, at: number, end: number): number {
  if (at + 4 > end) throw invalid('a length is cut off');
  return buffer.readInt32LE(at);
}

function invalid(what: string): CommandError {
  return new CommandError(22, `Invalid BSON: ${what}`);
}
