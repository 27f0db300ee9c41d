import { compareBytes, equals } from '../bson/compare.js';
import { decode } from '../bson/decode.js';
import { encodeKey, isShortened, prefixEnd, storedKey } from '../bson/key.js';
import type { BsonValue } from '../bson/values.js';
import { CommandError } from '../errors.js';
import { damaged, unseal } from './checksum.js';
import { readCounter } from './commit-state.js';
import type { CollectionInfo, CommitNumber, IndexInfo, KeyRange, ReadView, RecordId, StoredRecord } from './engine.js';
import type { Entry, Environment } from './environment.js';
import { keyExtractor } from './index-keys.js';
import { isIdIndex } from './index-spec.js';
import { type ByteRange, keyBounds } from './key-bounds.js';
import { entryKey, idKey, RECORD_ID_BYTES, readRecordId, recordKey } from './layout.js';
import { type IndexEntry, orderLongKeys } from './long-keys.js';
import { namespace, namespaceOf } from './namespace.js';
import type { Snapshot } from './snapshot-pool.js';

/** Reads at one snapshot. */
export class SnapshotView implements ReadView {
  private released = false;

  constructor(
    protected readonly environment: Environment,
    protected readonly snapshot: Snapshot,
  ) {}

  get commitNumber(): CommitNumber {
    return this.snapshot.head.commitNumber;
  }

  collection(db: string, name: string): CollectionInfo | undefined {
    return this.snapshot.catalog.byNamespace.get(namespace(db, name));
  }

  collections(db: string): readonly CollectionInfo[] {
    return [...this.snapshot.catalog.byId.values()].filter((collection) => collection.db === db);
  }

  databases(): readonly string[] {
    return [...new Set([...this.snapshot.catalog.byId.values()].map(({ db }) => db))].sort();
  }

  get(collection: CollectionInfo, recordId: RecordId): Uint8Array | undefined {
    this.check();
    const key = recordKey(collection.id, recordId);
    const value = this.environment.get('records', key, this.snapshot.transaction);
    return value === undefined ? undefined : unseal(key, value, () => recordName(collection, recordId));
  }

  findById(collection: CollectionInfo, id: BsonValue): StoredRecord | undefined {
    const index = collection.indexes.find(isIdIndex);
    if (index === undefined) throw new CommandError(1, `Collection ${namespaceOf(collection)} has no _id index`);
    const stored = storedKey(encodeKey([id], [1]));
    const recordId = this.uniqueOwner(index, entryKey(index.id, stored, null));
    if (recordId === undefined) return undefined;
    const bytes = this.get(collection, recordId);
    if (bytes === undefined) throw danglingEntry(collection, index, recordId);
    // Two long ids may share what is stored of their keys.
    if (isShortened(stored) && !equals(decode(bytes)._id, id)) return undefined;
    return { recordId, bytes };
  }

  *scan(collection: CollectionInfo, options: { after?: RecordId; reverse?: boolean } = {}): Iterable<StoredRecord> {
    const { after, reverse = false } = options;
    const begin = idKey(collection.id);
    const end = prefixEnd(begin)!;
    // Descending, "after" a record are those before it.
    const from = after === undefined || reverse ? begin : recordKey(collection.id, after + 1);
    const to = after === undefined || !reverse ? end : recordKey(collection.id, after);
    let seen = 0;
    for (const { key, value } of this.range('records', { from, to }, reverse)) {
      const recordId = readRecordId(key);
      yield { recordId, bytes: unseal(key, value, () => recordName(collection, recordId)) };
      seen++;
    }
    // A damaged page can look like the end of the collection.
    const expected = after === undefined ? this.storedCount(collection) : seen;
    if (seen !== expected)
      throw damaged(`collection ${namespaceOf(collection)}, which shows ${seen} of ${expected} records,`);
  }

  *scanIndex(
    collection: CollectionInfo,
    index: IndexInfo,
    range: KeyRange,
    options: { reverse?: boolean } = {},
  ): Iterable<RecordId> {
    const bounds = keyBounds(index, range);
    if (bounds === undefined) return;
    const reverse = options.reverse === true;
    const entries = orderLongKeys(
      this.indexEntries(collection, index, bounds, reverse),
      reverse,
      index.unique ? 0 : RECORD_ID_BYTES,
      ({ recordId }, stored) => this.wholeKey(collection, index, recordId, stored),
    );
    for (const { recordId } of entries) yield recordId;
  }

  count(collection: CollectionInfo): number {
    return this.storedCount(collection);
  }

  /** Records in the snapshot. */
  private storedCount(collection: CollectionInfo): number {
    this.check();
    return readCounter(this.environment, collection.id, this.snapshot.transaction).count;
  }

  release(): void {
    if (this.released) return;
    this.released = true;
    this.snapshot.release();
  }

  /** The record that has a key of a unique index. */
  protected uniqueOwner(index: IndexInfo, key: Uint8Array): RecordId | undefined {
    this.check();
    const value = this.environment.get('entries', key, this.snapshot.transaction);
    return value === undefined ? undefined : readRecordId(unseal(key, value, () => `an entry of index ${index.name}`));
  }

  /** Entries in key order, whole keys with the index id. */
  protected *indexEntries(
    collection: CollectionInfo,
    index: IndexInfo,
    bounds: ByteRange,
    reverse: boolean,
  ): Generator<IndexEntry, void, undefined> {
    for (const { key, value } of this.range('entries', bounds, reverse)) {
      const bytes = unseal(key, value, () => `an entry of index ${index.name} of ${namespaceOf(collection)}`);
      yield { key, recordId: readRecordId(index.unique ? bytes : key) };
    }
  }

  /** The key of a record that is stored shortened as `stored`. */
  private wholeKey(
    collection: CollectionInfo,
    index: IndexInfo,
    recordId: RecordId,
    stored: Uint8Array,
  ): Uint8Array | undefined {
    const bytes = this.get(collection, recordId);
    if (bytes === undefined) return undefined;
    const directions = Object.values(index.key);
    // Without the index's filter: the entry is there, so the record is in it.
    const { keys } = keyExtractor(index, null)(decode(bytes));
    const values = keys.find((key) => compareBytes(key.stored, stored) === 0)?.values;
    return values && encodeKey(values, directions);
  }

  protected check(): void {
    if (this.released) throw new CommandError(11600, 'The view was released');
    this.snapshot.check();
  }

  private range(table: 'records' | 'entries', { from, to }: ByteRange, reverse: boolean): Iterable<Entry> {
    const check = () => this.check();
    return this.environment.range(table, from, to, { reverse, transaction: this.snapshot.transaction, check });
  }
}

export function recordName(collection: CollectionInfo, recordId: RecordId): string {
  return `record ${recordId} of ${namespaceOf(collection)}`;
}

function danglingEntry(collection: CollectionInfo, index: IndexInfo, recordId: RecordId): CommandError {
  return new CommandError(
    1,
    `Damaged data: index ${index.name} names ${recordName(collection, recordId)}, which is not there. Drop and create the index, or salvage the directory.`,
  );
}

/** Two ascending (or descending) sequences by key as one; where both have a key, the second's counts. */
export function* mergeByKey<A extends { key: Uint8Array }, B extends { key: Uint8Array }>(
  stored: Iterable<A>,
  own: readonly B[],
  reverse: boolean,
): Generator<A | B, void, undefined> {
  const sign = reverse ? -1 : 1;
  let next = 0;
  for (const entry of stored) {
    let replaced = false;
    while (!replaced && next < own.length) {
      const order = compareBytes(own[next]!.key, entry.key) * sign;
      if (order > 0) break;
      replaced = order === 0;
      yield own[next++]!;
    }
    if (!replaced) yield entry;
  }
  while (next < own.length) yield own[next++]!;
}
