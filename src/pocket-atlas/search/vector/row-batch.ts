import type { RecordId } from '../../storage/engine.js';
import type { FieldValues } from '../filter/field-values.js';
import type { ActiveRow } from './active-segment.js';
import { DamagedIndex } from './damaged-index.js';
import type { VectorKind } from './vector-value.js';

/**
 * What changed in an active segment between two checkpoints, as one value of the keyspace: records that left it, then rows
 * that came. Little-endian; a field is a byte for its presence, then its keys with their lengths.
 */
export interface RowBatch {
  readonly removed: readonly RecordId[];
  readonly rows: readonly ActiveRow[];
}

const ARRAYS = { float32: Float32Array, int8: Int8Array, packedBit: Uint8Array } as const;

export function encodeBatch({ removed, rows }: RowBatch): Uint8Array {
  const size = rows.reduce(
    (sum, { vector, values }) =>
      sum + 8 + vector.byteLength + values.reduce((total, field) => total + fieldBytes(field), 0),
    8 + removed.length * 8,
  );
  const bytes = Buffer.alloc(size);
  let at = bytes.writeUInt32LE(removed.length, 0);
  for (const recordId of removed) at = bytes.writeDoubleLE(recordId, at);
  at = bytes.writeUInt32LE(rows.length, at);
  for (const { recordId, vector, values } of rows) {
    at = bytes.writeDoubleLE(recordId, at);
    bytes.set(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength), at);
    at += vector.byteLength;
    for (const { present, keys } of values) {
      at = bytes.writeUInt8(present ? 1 : 0, at);
      at = bytes.writeUInt32LE(keys.length, at);
      for (const key of keys) {
        at = bytes.writeUInt32LE(key.length, at);
        at += key.copy(bytes, at);
      }
    }
  }
  return bytes;
}

export function decodeBatch(
  value: Uint8Array,
  shape: { readonly kind: VectorKind; readonly vectorBytes: number; readonly fieldCount: number },
): RowBatch {
  const { u8, u32, f64, bytes } = byteReader(value);
  const field = (): FieldValues => {
    const present = u8() === 1;
    return { present, keys: Array.from({ length: u32() }, () => bytes(u32())) };
  };
  try {
    const removed = Array.from({ length: u32() }, f64);
    const rows = Array.from({ length: u32() }, () => {
      const recordId = f64();
      const data = new ARRAYS[shape.kind](Uint8Array.from(bytes(shape.vectorBytes)).buffer);
      return { recordId, vector: data, values: Array.from({ length: shape.fieldCount }, field) };
    });
    return { removed, rows };
  } catch (error) {
    if (error instanceof RangeError) throw new DamagedIndex('a batch of rows is shorter than it says');
    throw error;
  }
}

function fieldBytes({ keys }: FieldValues): number {
  return keys.reduce((sum, key) => sum + 4 + key.length, 5);
}

function byteReader(value: Uint8Array) {
  // A copy: keys are viewed in place, and must outlive the keyspace's buffer.
  const buffer = Buffer.from(value);
  let at = 0;
  const take = (length: number): number => {
    at += length;
    if (at > buffer.length) throw new RangeError('Out of bytes');
    return at - length;
  };
  return {
    u8: () => buffer.readUInt8(take(1)),
    u32: () => buffer.readUInt32LE(take(4)),
    f64: () => buffer.readDoubleLE(take(8)),
    bytes: (length: number) => {
      const from = take(length);
      return buffer.subarray(from, from + length);
    },
  };
}
