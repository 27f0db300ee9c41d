import { CommandError } from '../errors.js';
import { CHECKSUM_BYTES, seal } from './checksum.js';
import type { CollectionInfo, IndexInfo, RecordId } from './engine.js';
import { recordKey } from './layout.js';
import { SortedEntries } from './sorted-entries.js';

/** Bytes that a transaction's writes may take. Source: MongoDB's transactionSizeLimit is of this kind; the number is ours. */
export const TRANSACTION_BYTES_MAX = 64 * 1024 * 1024;
/** What a buffered record or entry costs beside its bytes. */
const OVERHEAD_BYTES = 64;

/** An index entry as the transaction leaves it. */
export interface BufferedEntry {
  readonly key: Uint8Array;
  /** null: removed. */
  readonly recordId: RecordId | null;
  readonly unique: boolean;
}

/** A transaction's writes, kept in memory until the commit: records and index entries over the snapshot's. */
export class WriteBuffer {
  /** Per collection: the value to store (sealed, and a copy of what was given), null when removed. */
  readonly records = new Map<number, Map<RecordId, Uint8Array | null>>();
  /** Per collection, in insertion order: ids above all of the snapshot's. */
  readonly inserted = new Map<number, RecordId[]>();
  /** Per index. */
  readonly entries = new Map<number, SortedEntries<BufferedEntry>>();
  readonly countDifference = new Map<number, number>();
  /** Collections made or changed by the transaction. */
  readonly collections = new Map<number, CollectionInfo>();
  readonly dropped = new Set<number>();
  /** Per collection, the indexes that met their first array. */
  readonly multikey = new Map<number, Set<number>>();
  readonly retryable = new Map<string, Uint8Array>();
  private bytes = 0;

  get isEmpty(): boolean {
    const { records, collections, dropped, retryable } = this;
    return records.size === 0 && collections.size === 0 && dropped.size === 0 && retryable.size === 0;
  }

  /** @throws CommandError 257 TransactionTooLarge, before anything is buffered. */
  reserve(bytes: number): void {
    const total = this.bytes + bytes + OVERHEAD_BYTES;
    if (total > TRANSACTION_BYTES_MAX) {
      throw new CommandError(
        257,
        `Total size of all transaction operations must be less than ${TRANSACTION_BYTES_MAX} bytes. Actual size is ${total}`,
      );
    }
    this.bytes = total;
  }

  /** The bytes of a record that was written here, null when it was removed here, undefined when it was not touched. */
  get(collectionId: number, recordId: RecordId): Uint8Array | null | undefined {
    const value = this.records.get(collectionId)?.get(recordId);
    return value === null ? null : value?.subarray(CHECKSUM_BYTES);
  }

  insert(collectionId: number, recordId: RecordId, bytes: Uint8Array): void {
    this.replace(collectionId, recordId, bytes);
    const inserted = this.inserted.get(collectionId);
    if (inserted === undefined) this.inserted.set(collectionId, [recordId]);
    else inserted.push(recordId);
    this.addCount(collectionId, 1);
  }

  replace(collectionId: number, recordId: RecordId, bytes: Uint8Array): void {
    this.set(collectionId, recordId, seal(recordKey(collectionId, recordId), bytes));
  }

  remove(collectionId: number, recordId: RecordId): void {
    this.set(collectionId, recordId, null);
    this.addCount(collectionId, -1);
  }

  setEntry(index: IndexInfo, key: Uint8Array, recordId: RecordId | null): void {
    let entries = this.entries.get(index.id);
    if (entries === undefined) {
      entries = new SortedEntries();
      this.entries.set(index.id, entries);
    }
    entries.set({ key, recordId, unique: index.unique });
  }

  markMultikey(collectionId: number, indexId: number): void {
    const marked = this.multikey.get(collectionId);
    if (marked === undefined) this.multikey.set(collectionId, new Set([indexId]));
    else marked.add(indexId);
  }

  private set(collectionId: number, recordId: RecordId, value: Uint8Array | null): void {
    const records = this.records.get(collectionId);
    if (records === undefined) this.records.set(collectionId, new Map([[recordId, value]]));
    else records.set(recordId, value);
  }

  private addCount(collectionId: number, difference: number): void {
    this.countDifference.set(collectionId, (this.countDifference.get(collectionId) ?? 0) + difference);
  }
}
