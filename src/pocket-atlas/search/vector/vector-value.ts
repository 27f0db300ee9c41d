import { Binary } from 'bson';
import { typeName } from '../../bson/type.js';
import type { BsonValue } from '../../bson/values.js';
import { SearchFailure } from '../search-failure.js';
import { plainNumber } from '../spec-reader.js';

/**
 * A vector as it stands in a document or a query: an array of numbers, or BinData subtype 9 (ATLAS.md §5). The three
 * kinds are separate fields of an index: a query finds vectors of its own kind only. Bits are kept as bytes, most
 * significant bit first. Source: BSON specification, "Binary subtype 9 - Vector".
 */
export type VectorValue =
  | { readonly kind: 'float32'; readonly dimensions: number; readonly data: Float32Array }
  | { readonly kind: 'int8'; readonly dimensions: number; readonly data: Int8Array }
  | { readonly kind: 'packedBit'; readonly dimensions: number; readonly data: Uint8Array };

export type VectorKind = VectorValue['kind'];

const SUBTYPE_VECTOR = 9;
const DATA_TYPES: Readonly<Record<number, VectorKind>> = { 3: 'int8', 39: 'float32', 16: 'packedBit' };
/** The two bytes before the data: its type and the unused bits of the last byte. */
const HEADER_BYTES = 2;

/** @throws SearchFailure with the text that Atlas has for a wrong queryVector. */
export function parseQueryVector(value: BsonValue): VectorValue {
  const vector = Array.isArray(value) ? parseNumbers(value) : value instanceof Binary ? parseBinary(value) : undefined;
  if (vector === undefined) throw new SearchFailure('"queryVector" Unexpected type found when parsing vector');
  if (vector.kind === 'float32') {
    const position = vector.data.findIndex((element) => !Number.isFinite(element));
    if (position >= 0) {
      throw new SearchFailure(
        `'queryVector' contains a non-finite value (Infinity or NaN) at position [${position}]. ` +
          'All values in "queryVector" must be finite.',
      );
    }
  }
  return vector;
}

/** The vector that a document holds, or undefined when it holds none that can be read. */
export function vectorOf(value: BsonValue): VectorValue | undefined {
  if (!Array.isArray(value) && !(value instanceof Binary)) return undefined;
  if (Array.isArray(value) && value.length === 0) return undefined;
  try {
    return parseQueryVector(value);
  } catch (error) {
    // What a query is told about, a document is skipped for (ATLAS.md §1.8).
    if (error instanceof SearchFailure) return undefined;
    throw error;
  }
}

/** Whether an index can hold it: not the zero vector where an angle is asked for, see ATLAS.md §1.8. */
export function isZero(vector: VectorValue): boolean {
  for (const element of vector.data) if (element !== 0) return false;
  return true;
}

function parseNumbers(values: readonly BsonValue[]): VectorValue {
  const data = new Float32Array(values.length);
  for (const [position, value] of values.entries()) {
    const number = plainNumber(value);
    if (number === undefined) throw new SearchFailure(`Unsupported BsonValue type: ${javaTypeName(value)}`);
    data[position] = number;
  }
  return { kind: 'float32', dimensions: data.length, data };
}

function parseBinary(binary: Binary): VectorValue {
  if (binary.sub_type !== SUBTYPE_VECTOR) {
    throw new SearchFailure(`BSON binary subtype should be vector(0x09) but got ${binary.sub_type}`);
  }
  const bytes = binary.buffer.subarray(0, binary.position);
  if (bytes.length < HEADER_BYTES) {
    throw new SearchFailure(`Expected at least 2 bytes in BSON vector but got ${bytes.length}`);
  }
  const kind = DATA_TYPES[bytes[0] as number];
  const padding = bytes[1] as number;
  // A copy at offset 0 of a buffer of its own: a Float32Array must be aligned, and the record it came from goes away.
  const payload = Uint8Array.from(bytes.subarray(HEADER_BYTES));
  if (kind === undefined) throw new SearchFailure('Unsupported vector subtype found');
  if (kind === 'packedBit') {
    if (padding !== 0) {
      throw new SearchFailure(
        'The dimensions of binary vector should be a multiple of 8 and\nthe padding should be zero.\n',
      );
    }
    return { kind, dimensions: payload.length * 8, data: payload };
  }
  if (padding !== 0) throw new SearchFailure('Padding should be zero');
  if (kind === 'int8') return { kind, dimensions: payload.length, data: new Int8Array(payload.buffer) };
  if (payload.length % 4 !== 0) throw new SearchFailure('"queryVector" Unexpected type found when parsing vector');
  return { kind, dimensions: payload.length / 4, data: float32FromLittleEndian(payload) };
}

/** Every platform that Node runs on is little-endian. */
function float32FromLittleEndian(payload: Uint8Array): Float32Array {
  return new Float32Array(payload.buffer, payload.byteOffset, payload.length / 4);
}

/** How the Java driver, and so Atlas's messages, call a BSON type. */
export function javaTypeName(value: BsonValue): string {
  const names: Readonly<Record<string, string>> = {
    string: 'STRING',
    array: 'ARRAY',
    object: 'DOCUMENT',
    bool: 'BOOLEAN',
    null: 'NULL',
    undefined: 'NULL',
    objectId: 'OBJECT_ID',
    date: 'DATE_TIME',
    binData: 'BINARY',
    decimal: 'DECIMAL128',
    regex: 'REGULAR_EXPRESSION',
    timestamp: 'TIMESTAMP',
    minKey: 'MIN_KEY',
    maxKey: 'MAX_KEY',
    javascript: 'JAVASCRIPT',
    symbol: 'SYMBOL',
    int: 'INT32',
    long: 'INT64',
    double: 'DOUBLE',
  };
  return names[typeName(value)] ?? typeName(value).toUpperCase();
}
