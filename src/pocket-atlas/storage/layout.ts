import type { RecordId } from './engine.js';

/**
 * How the tables' keys are laid out. Numbers are big-endian, so that keys sort as they count.
 *
 *   records     collection id (4) · record id (6)            BSON
 *   entries     index id (4) · stored key (≤ 1500)           record id (6)         of unique indexes
 *               index id (4) · stored key · record id (6)    nothing               of the others
 *   catalog     collection id (4)                            BSON of the collection
 *   counters    collection id (4)                            count (8) · next record id (8)
 *   oplog       commit number (6)                            time (8) · changes (11 each)
 *   retryable   the caller's key                             time (8) · reply
 *   side        length of the name (1) · name · key          the keyspaces
 *   meta        a name                                       see commit-state.ts and oplog.ts
 */
export const TABLES = ['meta', 'catalog', 'counters', 'records', 'entries', 'oplog', 'retryable', 'side'] as const;
export type TableName = (typeof TABLES)[number];

/** One change of the file; the value is sealed, null removes. */
export interface Operation {
  readonly table: TableName;
  readonly key: Uint8Array;
  readonly value: Uint8Array | null;
}

export const ID_BYTES = 4;
export const RECORD_ID_BYTES = 6;
const COMMIT_BYTES = 6;

export function idKey(id: number): Buffer {
  const key = Buffer.allocUnsafe(ID_BYTES);
  key.writeUInt32BE(id);
  return key;
}

export function readId(key: Uint8Array): number {
  return ((key[0]! << 24) | (key[1]! << 16) | (key[2]! << 8) | key[3]!) >>> 0;
}

export function recordKey(collectionId: number, recordId: RecordId): Buffer {
  const key = Buffer.allocUnsafe(ID_BYTES + RECORD_ID_BYTES);
  key.writeUInt32BE(collectionId);
  key.writeUIntBE(recordId, ID_BYTES, RECORD_ID_BYTES);
  return key;
}

/** The record id in the last six bytes of a key or of an entry's value. */
export function readRecordId(bytes: Uint8Array): RecordId {
  const at = bytes.length - RECORD_ID_BYTES;
  const high = (bytes[at]! << 8) | bytes[at + 1]!;
  const low = ((bytes[at + 2]! << 24) | (bytes[at + 3]! << 16) | (bytes[at + 4]! << 8) | bytes[at + 5]!) >>> 0;
  return high * 0x1_0000_0000 + low;
}

export function recordIdBytes(recordId: RecordId): Buffer {
  const bytes = Buffer.allocUnsafe(RECORD_ID_BYTES);
  bytes.writeUIntBE(recordId, 0, RECORD_ID_BYTES);
  return bytes;
}

/** An entry's key in the table; of an index that is not unique the record id belongs to it. */
export function entryKey(indexId: number, storedKey: Uint8Array, recordId: RecordId | null): Buffer {
  const key = Buffer.allocUnsafe(ID_BYTES + storedKey.length + (recordId === null ? 0 : RECORD_ID_BYTES));
  key.writeUInt32BE(indexId);
  key.set(storedKey, ID_BYTES);
  if (recordId !== null) key.writeUIntBE(recordId, ID_BYTES + storedKey.length, RECORD_ID_BYTES);
  return key;
}

export function commitKey(commitNumber: number): Buffer {
  const key = Buffer.allocUnsafe(COMMIT_BYTES);
  key.writeUIntBE(commitNumber, 0, COMMIT_BYTES);
  return key;
}

export function readCommitKey(key: Uint8Array): number {
  return readRecordId(key);
}

export const NO_BYTES = new Uint8Array(0);
