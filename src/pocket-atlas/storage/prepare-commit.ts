import { withMultikey } from './catalog.js';
import { seal } from './checksum.js';
import type { CommitState } from './commit-state.js';
import type { Change, CollectionInfo, RecordId } from './engine.js';
import { NO_BYTES, recordIdBytes, recordKey } from './layout.js';
import { namespaceOf } from './namespace.js';
import type { BufferedTransaction } from './transaction.js';

/** A transaction's buffer as operations of the commit that `state` is at. */
export function prepareCommit(
  transaction: BufferedTransaction,
  state: CommitState,
  nextRecordIdOf: (collectionId: number) => RecordId,
): Omit<Change, 'commitNumber' | 'at'>[] {
  const { buffer } = transaction;
  transaction.writesAt = state.nextCommit();
  state.putCollections(changedCollections(transaction, state), [...buffer.dropped]);
  const changes: Omit<Change, 'commitNumber' | 'at'>[] = [];
  for (const [collectionId, records] of buffer.records) {
    if (buffer.dropped.has(collectionId)) continue;
    for (const [recordId, value] of records) {
      state.add({ table: 'records', key: recordKey(collectionId, recordId), value });
      changes.push({ collectionId, recordId, kind: value === null ? 'remove' : 'put' });
    }
  }
  for (const entries of buffer.entries.values()) {
    for (const { key, recordId, unique } of entries) {
      const value = recordId === null ? null : seal(key, unique ? recordIdBytes(recordId) : NO_BYTES);
      state.add({ table: 'entries', key, value });
    }
  }
  for (const [collectionId, difference] of buffer.countDifference) {
    if (!buffer.dropped.has(collectionId)) state.count(collectionId, difference, nextRecordIdOf(collectionId));
  }
  for (const collectionId of buffer.dropped) changes.push({ collectionId, recordId: 0, kind: 'dropCollection' });
  return changes;
}

/** Collections as they are after the commit, on top of what others committed since the transaction's snapshot. */
function changedCollections({ buffer }: BufferedTransaction, state: CommitState): CollectionInfo[] {
  const changed = new Map(buffer.collections);
  for (const [collectionId, indexIds] of buffer.multikey) {
    const newest = changed.get(collectionId) ?? state.catalog.byId.get(collectionId);
    if (newest === undefined) continue;
    const unmarked = newest.indexes.some((index) => indexIds.has(index.id) && !index.multikey);
    if (unmarked) changed.set(collectionId, withMultikey(newest, indexIds));
  }
  for (const collection of changed.values()) {
    const other = state.catalog.byNamespace.get(namespaceOf(collection));
    // The lock table keeps two collections of one name apart; a second check before they would be on disk.
    if (other !== undefined && other.id !== collection.id && !buffer.dropped.has(other.id)) {
      throw new Error(`Two collections would be named ${namespaceOf(collection)}`);
    }
  }
  return [...changed.values()];
}
