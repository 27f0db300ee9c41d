import { randomBytes } from 'node:crypto';
import { changedFields, decode, decodeFields, decodeFieldsChecked } from '../bson/decode.js';
import { checkDocumentSize } from '../bson/encode.js';
import type { Doc } from '../bson/values.js';
import { CommandError } from '../errors.js';
import { withMultikey } from './catalog.js';
import { duplicateKey } from './duplicate-key.js';
import type { CollectionInfo, CommitNumber, IndexInfo, RecordId, StoredRecord, Transaction } from './engine.js';
import type { Environment } from './environment.js';
import { type DocumentKeys, type IndexKey, indexedFields, indexesOver } from './index-keys.js';
import { idIndex, isIdIndex } from './index-spec.js';
import type { ByteRange } from './key-bounds.js';
import { entryKey } from './layout.js';
import type { LockOwner, LockTable } from './lock-table.js';
import type { IndexEntry } from './long-keys.js';
import { namespace, namespaceOf } from './namespace.js';
import { mergeByKey, recordName, SnapshotView } from './read-view.js';
import type { Snapshot } from './snapshot-pool.js';
import { WriteBuffer } from './write-buffer.js';

/** What a transaction needs of the engine. */
export interface TransactionServices {
  readonly environment: Environment;
  readonly locks: LockTable;
  keysOf(index: IndexInfo, doc: Doc): DocumentKeys;
  nextRecordId(collectionId: number): RecordId;
  /** For a new collection or index. */
  nextId(): number;
  /** Whether the reply of this retryable write is known. */
  isAnswered(retryableKey: string): boolean;
  /** Resolves once the buffer is on disk. */
  commit(transaction: BufferedTransaction): Promise<CommitNumber>;
}

/** What is locked: kind, then what tells it from others of its kind. */
export const lockKey = {
  collection: (collectionId: number) => `c${collectionId}`,
  namespace: (db: string, name: string) => `n${namespace(db, name)}`,
  record: (collectionId: number, recordId: RecordId) => `r${collectionId}:${recordId}`,
  unique: (key: Buffer) => `u${key.toString('latin1')}`,
  retryable: (key: string) => `y${key}`,
};

interface EntryChange {
  readonly index: IndexInfo;
  readonly key: IndexKey;
  /** The key in the table of entries. */
  readonly entry: Buffer;
}

/** A view with a write buffer: every read shows the buffer over the snapshot, every write takes its locks first. */
export class BufferedTransaction extends SnapshotView implements Transaction, LockOwner {
  readonly buffer = new WriteBuffer();
  readonly readsAt: CommitNumber;
  readonly settled: Promise<void>;
  /** Set when the commit is numbered, before it is on disk. */
  writesAt: CommitNumber | undefined;
  private state: 'open' | 'committing' | 'ended' = 'open';
  private settle: () => void = () => {};

  constructor(
    private readonly services: TransactionServices,
    snapshot: Snapshot,
  ) {
    super(services.environment, snapshot);
    this.readsAt = snapshot.head.commitNumber;
    this.settled = new Promise((resolve) => {
      this.settle = resolve;
    });
    services.locks.open(this);
  }

  // Reads: the buffer over the snapshot.

  override collection(db: string, name: string): CollectionInfo | undefined {
    const own = [...this.buffer.collections.values()].find((made) => made.db === db && made.name === name);
    if (own !== undefined) return this.current(own);
    const stored = super.collection(db, name);
    return stored === undefined || this.buffer.dropped.has(stored.id) ? undefined : this.current(stored);
  }

  override collections(db: string): readonly CollectionInfo[] {
    const own = [...this.buffer.collections.values()].filter((made) => made.db === db);
    const hidden = (stored: CollectionInfo) =>
      this.buffer.collections.has(stored.id) || this.buffer.dropped.has(stored.id);
    const stored = super.collections(db).filter((collection) => !hidden(collection));
    return [...stored, ...own].map((collection) => this.current(collection));
  }

  override databases(): readonly string[] {
    const own = [...this.buffer.collections.values()].map(({ db }) => db);
    return [...new Set([...super.databases(), ...own])].sort();
  }

  override get(collection: CollectionInfo, recordId: RecordId): Uint8Array | undefined {
    const own = this.buffer.get(collection.id, recordId);
    if (own === undefined) return super.get(collection, recordId);
    this.check();
    return own ?? undefined;
  }

  override *scan(
    collection: CollectionInfo,
    options: { after?: RecordId; reverse?: boolean } = {},
  ): Iterable<StoredRecord> {
    const inserted = this.ownRecords(collection, options);
    if (options.reverse === true) yield* inserted;
    for (const stored of super.scan(collection, options)) {
      const own = this.buffer.get(collection.id, stored.recordId);
      if (own === undefined) yield stored;
      else if (own !== null) yield { recordId: stored.recordId, bytes: own };
    }
    if (options.reverse !== true) yield* inserted;
  }

  /** Records inserted so far: their ids are above all of the snapshot's. What is inserted while reading stays out. */
  private *ownRecords(
    collection: CollectionInfo,
    { after, reverse = false }: { after?: RecordId; reverse?: boolean },
  ): Generator<StoredRecord, void, undefined> {
    const ids = [...(this.buffer.inserted.get(collection.id) ?? [])];
    if (reverse) ids.reverse();
    for (const recordId of ids) {
      if (after !== undefined && (reverse ? recordId >= after : recordId <= after)) continue;
      this.check();
      const bytes = this.buffer.get(collection.id, recordId);
      if (bytes !== undefined && bytes !== null) yield { recordId, bytes };
    }
  }

  override count(collection: CollectionInfo): number {
    return super.count(collection) + (this.buffer.countDifference.get(collection.id) ?? 0);
  }

  protected override uniqueOwner(index: IndexInfo, key: Uint8Array): RecordId | undefined {
    const own = this.buffer.entries.get(index.id)?.get(key);
    return own === undefined ? super.uniqueOwner(index, key) : (own.recordId ?? undefined);
  }

  protected override *indexEntries(
    collection: CollectionInfo,
    index: IndexInfo,
    bounds: ByteRange,
    reverse: boolean,
  ): Generator<IndexEntry, void, undefined> {
    const own = this.buffer.entries.get(index.id)?.slice(bounds.from, bounds.to) ?? [];
    if (reverse) own.reverse();
    for (const { key, recordId } of mergeByKey(super.indexEntries(collection, index, bounds, reverse), own, reverse)) {
      if (recordId !== null) yield { key, recordId };
    }
  }

  // Writes: locks and checks first, so that a refused statement changes nothing.

  insert(collection: CollectionInfo, bytes: Uint8Array): RecordId {
    const info = this.writable(collection);
    checkDocumentSize(bytes);
    const fields = indexedFields(info.indexes);
    const doc = fields === null ? decode(bytes) : decodeFieldsChecked(bytes, fields);
    if (doc._id === undefined)
      throw new CommandError(2, `A document without _id cannot be stored in ${namespaceOf(info)}`);
    const recordId = this.services.nextRecordId(info.id);
    const added = this.changes(info, info.indexes, doc, recordId);
    this.claimEntries(info, [], added, recordId);
    this.reserve(bytes, [], added);
    this.applyEntries([], added, recordId);
    this.buffer.insert(info.id, recordId, bytes);
    return recordId;
  }

  replace(collection: CollectionInfo, recordId: RecordId, bytes: Uint8Array): void {
    const info = this.writable(collection);
    checkDocumentSize(bytes);
    const old = this.lockedRecord(info, recordId);
    const touched = touchedIndexes(info.indexes, old, bytes);
    const before = this.changes(info, touched, fieldsFor(touched, old), recordId);
    const after = this.changes(info, touched, fieldsFor(touched, bytes), recordId);
    const [removed, added] = difference(before, after);
    this.claimEntries(info, removed, added, recordId);
    this.reserve(bytes, removed, added);
    this.applyEntries(removed, added, recordId);
    this.buffer.replace(info.id, recordId, bytes);
  }

  remove(collection: CollectionInfo, recordId: RecordId): void {
    const info = this.writable(collection);
    const old = this.lockedRecord(info, recordId);
    const removed = this.changes(info, info.indexes, fieldsFor(info.indexes, old), recordId);
    this.claimEntries(info, removed, [], recordId);
    this.reserve(undefined, removed, []);
    this.applyEntries(removed, [], recordId);
    this.buffer.remove(info.id, recordId);
  }

  createCollection(db: string, name: string, options: Doc): CollectionInfo {
    this.checkOpen();
    this.services.locks.claim(lockKey.namespace(db, name), this);
    if (this.collection(db, name) !== undefined) {
      throw new CommandError(48, `Collection ${namespace(db, name)} already exists.`);
    }
    const collection: CollectionInfo = {
      id: this.services.nextId(),
      db,
      name,
      uuid: randomUuid(),
      options,
      indexes: [idIndex(this.services.nextId())],
    };
    this.buffer.collections.set(collection.id, collection);
    return collection;
  }

  rememberRetryable(key: string, reply: Uint8Array): void {
    this.checkOpen();
    this.services.locks.claim(lockKey.retryable(key), this);
    if (this.services.isAnswered(key)) {
      throw new CommandError(117, 'This retryable write was done by an earlier attempt, while this one was waiting');
    }
    this.buffer.reserve(key.length + reply.length);
    this.buffer.retryable.set(key, reply);
  }

  // For changes of the catalogue: the collection is claimed as a whole, so that nobody writes into it meanwhile.

  claimCollection(collection: CollectionInfo): CollectionInfo {
    this.checkOpen();
    this.services.locks.claimExclusive(lockKey.collection(collection.id), this);
    return this.existing(collection);
  }

  dropCollection(collection: CollectionInfo): void {
    this.claimCollection(collection);
    this.services.locks.claim(lockKey.namespace(collection.db, collection.name), this);
    this.buffer.dropped.add(collection.id);
    this.buffer.collections.delete(collection.id);
  }

  /** Stores a collection under a new name or with other indexes. */
  putCollection(collection: CollectionInfo): void {
    this.services.locks.claim(lockKey.namespace(collection.db, collection.name), this);
    this.buffer.collections.set(collection.id, collection);
  }

  async commit(): Promise<CommitNumber> {
    this.checkOpen();
    if (this.buffer.isEmpty) {
      this.end(undefined);
      return this.readsAt;
    }
    this.state = 'committing';
    // The buffer is all that the commit needs: the snapshot's pages are free from here.
    super.release();
    try {
      const commitNumber = await this.services.commit(this);
      this.end(commitNumber);
      return commitNumber;
    } catch (error) {
      this.end(undefined);
      throw error;
    }
  }

  abort(): void {
    if (this.state === 'open') this.end(undefined);
  }

  override release(): void {
    this.abort();
  }

  private end(commitNumber: CommitNumber | undefined): void {
    this.state = 'ended';
    this.services.locks.close(this, commitNumber);
    super.release();
    this.settle();
  }

  private checkOpen(): void {
    if (this.state !== 'open') throw new CommandError(251, 'The transaction was committed or aborted');
    this.check();
  }

  /** The collection as this transaction has it, once it may write there. */
  private writable(collection: CollectionInfo): CollectionInfo {
    this.checkOpen();
    this.services.locks.claimShared(lockKey.collection(collection.id), this);
    return this.existing(collection);
  }

  private existing(collection: CollectionInfo): CollectionInfo {
    const stored = this.buffer.collections.get(collection.id) ?? this.snapshot.catalog.byId.get(collection.id);
    if (stored === undefined || this.buffer.dropped.has(collection.id)) {
      throw new CommandError(26, `ns does not exist: ${namespaceOf(collection)}`);
    }
    return this.current(stored);
  }

  private current(collection: CollectionInfo): CollectionInfo {
    const multikey = this.buffer.multikey.get(collection.id);
    return multikey === undefined ? collection : withMultikey(collection, multikey);
  }

  private lockedRecord(collection: CollectionInfo, recordId: RecordId): Uint8Array {
    this.services.locks.claim(lockKey.record(collection.id, recordId), this);
    const bytes = this.get(collection, recordId);
    if (bytes === undefined) throw new CommandError(1, `There is no ${recordName(collection, recordId)} to change`);
    return bytes;
  }

  private changes(
    collection: CollectionInfo,
    indexes: readonly IndexInfo[],
    doc: Doc,
    recordId: RecordId,
  ): EntryChange[] {
    const changes: EntryChange[] = [];
    for (const index of indexes) {
      const { keys, multikey } = this.services.keysOf(index, doc);
      if (multikey && isIdIndex(index)) throw new CommandError(53, "The '_id' value cannot be of type array");
      if (multikey && !index.multikey) this.buffer.markMultikey(collection.id, index.id);
      for (const key of keys) {
        changes.push({ index, key, entry: entryKey(index.id, key.stored, index.unique ? null : recordId) });
      }
    }
    return changes;
  }

  /** @throws WriteConflict, or CommandError 11000 when an added unique key belongs to another record. */
  private claimEntries(
    collection: CollectionInfo,
    removed: readonly EntryChange[],
    added: readonly EntryChange[],
    recordId: RecordId,
  ): void {
    const { locks } = this.services;
    for (const { index, entry } of removed) if (index.unique) locks.claim(lockKey.unique(entry), this);
    for (const { index, key, entry } of added) {
      if (!index.unique) continue;
      locks.claim(lockKey.unique(entry), this);
      const owner = this.uniqueOwner(index, entry);
      if (owner !== undefined && owner !== recordId) throw duplicateKey(collection, index, key.values);
    }
  }

  private reserve(bytes: Uint8Array | undefined, removed: readonly EntryChange[], added: readonly EntryChange[]): void {
    let total = bytes?.length ?? 0;
    for (const { entry } of removed) total += entry.length;
    for (const { entry } of added) total += entry.length;
    this.buffer.reserve(total);
  }

  private applyEntries(removed: readonly EntryChange[], added: readonly EntryChange[], recordId: RecordId): void {
    for (const { index, entry } of removed) this.buffer.setEntry(index, entry, null);
    for (const { index, entry } of added) this.buffer.setEntry(index, entry, recordId);
  }
}

/** Of a record's bytes, what these indexes' keys are made of. */
function fieldsFor(indexes: readonly IndexInfo[], bytes: Uint8Array): Doc {
  const fields = indexedFields(indexes);
  return fields === null ? decode(bytes) : decodeFields(bytes, fields);
}

/** The indexes whose keys an update may change: most updates leave the fields of most indexes as they are. */
function touchedIndexes(indexes: readonly IndexInfo[], before: Uint8Array, after: Uint8Array): readonly IndexInfo[] {
  const fields = indexedFields(indexes);
  return fields === null ? indexes : indexesOver(indexes, changedFields(before, after, fields));
}

/** What only `before` has and what only `after` has. */
function difference(before: readonly EntryChange[], after: readonly EntryChange[]): [EntryChange[], EntryChange[]] {
  const textOf = ({ entry }: EntryChange) => entry.toString('latin1');
  const keysBefore = new Set(before.map(textOf));
  const keysAfter = new Set(after.map(textOf));
  return [
    before.filter((change) => !keysAfter.has(textOf(change))),
    after.filter((change) => !keysBefore.has(textOf(change))),
  ];
}

/** A version 4 UUID as bytes. Source: RFC 9562 §5.4. */
function randomUuid(): Uint8Array {
  const bytes = new Uint8Array(randomBytes(16));
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes;
}
