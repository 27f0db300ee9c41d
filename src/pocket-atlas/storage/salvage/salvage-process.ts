import { writeSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { prefixEnd } from '../../bson/key.js';
import { CommandError } from '../../errors.js';
import { decodeCollection } from '../catalog.js';
import { CHECKSUM_BYTES, isSealed } from '../checksum.js';
import { readCounter } from '../commit-state.js';
import type { CollectionInfo, RecordId } from '../engine.js';
import { type Entry, Environment } from '../environment.js';
import { idKey, readId, readRecordId, recordKey } from '../layout.js';
import { namespaceOf } from '../namespace.js';
import { openEngine } from '../open-engine.js';
import type { StorageEngine } from '../storage-engine.js';
import type { SalvageMessage, SalvageTask } from './protocol.js';

/**
 * Copies what checks out, in a process of its own: reading a damaged LMDB file can end the process. See salvage.ts.
 */
const BATCH_RECORDS = 500;
const BATCH_BYTES = 8 * 1024 * 1024;
/** Records of a collection whose entry in the catalogue is damaged go to a collection here. */
const LOST_DB = 'salvaged';

async function main(): Promise<void> {
  const task = JSON.parse(await text(process.stdin)) as SalvageTask;
  const source = Environment.open(task.from, { readOnly: true });
  const target = await openEngine({ dataDir: task.to, expiryIntervalMs: 0 });
  const collections = readCatalog(source);
  for (const collection of collections) await copyCollection(source, target, collection, task);
  const indexesLeftOut: string[] = [];
  for (const collection of collections) indexesLeftOut.push(...(await copyIndexes(target, collection)));
  const records = countRecords(target);
  await target.close();
  say({ type: 'done', collections: collections.length, records, indexesLeftOut });
}

/** Synchronous: a message is out before what it announces. */
function say(message: SalvageMessage): void {
  writeSync(1, `${JSON.stringify(message)}\n`);
}

/** The catalogue's whole entries; when one is not, collections without an entry under made-up names too. */
function readCatalog(source: Environment): CollectionInfo[] {
  const collections: CollectionInfo[] = [];
  let complete = true;
  try {
    for (const { key, value } of source.range('catalog', idKey(0), undefined, { chunkMax: 1 })) {
      if (isSealed(key, value)) collections.push(decodeCollection(value.subarray(CHECKSUM_BYTES)));
      else complete = false;
    }
  } catch {
    complete = false;
  }
  if (complete) return collections;
  const known = new Set(collections.map(({ id }) => id));
  return [
    ...collections,
    ...recordedIds(source)
      .filter((id) => !known.has(id))
      .map(lostCollection),
  ];
}

function recordedIds(source: Environment): number[] {
  const ids: number[] = [];
  let from: Uint8Array | undefined = idKey(0);
  while (from !== undefined) {
    const [entry] = firstOf(source.range('records', from, undefined, { chunkMax: 1 }));
    if (entry === undefined) break;
    const id = readId(entry.key);
    ids.push(id);
    from = prefixEnd(idKey(id));
  }
  return ids;
}

/** The first item, and no reading of a second one. */
function firstOf<T>(items: Iterable<T>): T[] {
  for (const item of items) return [item];
  return [];
}

function lostCollection(id: number): CollectionInfo {
  return { id, db: LOST_DB, name: `collection_${id}`, uuid: new Uint8Array(16), options: {}, indexes: [] };
}

async function copyCollection(
  source: Environment,
  target: StorageEngine,
  collection: CollectionInfo,
  task: SalvageTask,
): Promise<void> {
  const { db, name, options } = collection;
  const copy = await ensureCollection(target, db, name, options);
  let batch: Uint8Array[] = [];
  let bytes = 0;
  let damaged = 0;
  let gaps = 0;
  let upTo = task.doneUpTo[collection.id] ?? 0;
  const flush = async () => {
    await insertNew(target, copy, batch);
    say({ type: 'copied', collectionId: collection.id, upTo, damaged, gaps });
    batch = [];
    bytes = 0;
    damaged = 0;
    gaps = 0;
  };
  for (const { key, value } of readRecords(source, collection.id, upTo, task, () => gaps++)) {
    upTo = readRecordId(key);
    if (isSealed(key, value)) {
      batch.push(value.subarray(CHECKSUM_BYTES));
      bytes += value.length;
    } else damaged++;
    if (batch.length >= BATCH_RECORDS || bytes >= BATCH_BYTES) await flush();
  }
  await flush();
}

/**
 * All records behind `doneUpTo` that can be reached. A damaged page may also look like the end of the collection, so
 * behind each end reading is tried again, ever further on, as far as record ids were given out; `onGap` counts where
 * that found more.
 */
function* readRecords(
  source: Environment,
  collectionId: number,
  doneUpTo: RecordId,
  task: SalvageTask,
  onGap: () => void,
): Iterable<Entry> {
  const nextRecordId = recordIdsEnd(source, collectionId);
  let next = doneUpTo + 1;
  for (let skip = 0; next + skip < nextRecordId; ) {
    const before = next;
    for (const entry of readOn(source, collectionId, next + skip, task)) {
      if (skip > 0) onGap();
      skip = 0;
      next = readRecordId(entry.key) + 1;
      yield entry;
    }
    skip = next > before ? 1 : Math.max(1, skip * 2);
  }
}

/** Records from `from` on until the reading seems to end. */
function* readOn(
  source: Environment,
  collectionId: number,
  from: RecordId,
  { careful, holes }: SalvageTask,
): Iterable<Entry> {
  const end = prefixEnd(idKey(collectionId))!;
  if (!careful) {
    yield* source.range('records', recordKey(collectionId, from), end);
    return;
  }
  let next = from;
  for (;;) {
    // Holes may follow each other.
    for (const [start, to] of holes[collectionId] ?? []) if (next >= start && next < to) next = to;
    say({ type: 'reading', collectionId, after: next - 1 });
    const [found] = firstOf(source.range('records', recordKey(collectionId, next), end, { chunkMax: 1 }));
    if (found === undefined) return;
    next = readRecordId(found.key) + 1;
    yield found;
  }
}

/** The first record id that was never given out; far on when the collection's counter is damaged as well. */
function recordIdsEnd(source: Environment, collectionId: number): RecordId {
  try {
    return readCounter(source, collectionId).nextRecordId;
  } catch {
    return 2 ** 40;
  }
}

async function ensureCollection(target: StorageEngine, db: string, name: string, options: CollectionInfo['options']) {
  try {
    return await target.createCollection(db, name, options);
  } catch (error) {
    if (!(error instanceof CommandError && error.code === 48)) throw error;
    const view = target.view();
    const collection = view.collection(db, name)!;
    view.release();
    return collection;
  }
}

/** Inserts records; those that an earlier process copied already are left as they are. */
async function insertNew(
  target: StorageEngine,
  collection: CollectionInfo,
  records: readonly Uint8Array[],
): Promise<void> {
  return target.write((transaction) => {
    for (const bytes of records) {
      try {
        transaction.insert(collection, bytes);
      } catch (error) {
        if (!(error instanceof CommandError && error.code === 11000)) throw error;
      }
    }
  });
}

function countRecords(target: StorageEngine): number {
  const view = target.view();
  const collections = view.databases().flatMap((db) => view.collections(db));
  const records = collections.reduce((sum, collection) => sum + view.count(collection), 0);
  view.release();
  return records;
}

async function copyIndexes(target: StorageEngine, collection: CollectionInfo): Promise<string[]> {
  const view = target.view();
  const copy = view.collection(collection.db, collection.name)!;
  view.release();
  const leftOut: string[] = [];
  for (const { name, spec } of collection.indexes) {
    try {
      await target.createIndex(copy, spec);
    } catch (error) {
      leftOut.push(`${namespaceOf(collection)} ${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return leftOut;
}

await main();
