import { decode } from '../bson/decode.js';
import type { BsonValue, Doc } from '../bson/values.js';
import type { CollectionInfo, Engine, IndexInfo, ReadView, RecordId, Transaction } from './engine.js';

/** Records that one commit removes. */
const BATCH_RECORDS = 500;
/** The first instant that a Date can hold. */
const EARLIEST = new Date(-8.64e15);

/**
 * Removes records whose date in a TTL index is more than `expireAfterSeconds` before `now`; an array expires with its
 * earliest date, values that are no date never. Returns how many were removed.
 * Source: MongoDB manual, "TTL Indexes".
 */
export async function removeExpired(engine: Engine, now: Date): Promise<number> {
  let removed = 0;
  for (const { collection, index } of expiringIndexes(engine)) {
    for (let batch = BATCH_RECORDS; batch === BATCH_RECORDS; removed += batch) {
      batch = await engine.write((transaction) => removeBatch(transaction, collection, index, now));
    }
  }
  return removed;
}

function expiringIndexes(engine: Engine): { collection: CollectionInfo; index: IndexInfo }[] {
  const view = engine.view();
  try {
    return view
      .databases()
      .flatMap((db) => view.collections(db))
      .flatMap((collection) => collection.indexes.map((index) => ({ collection, index })))
      .filter(({ index }) => index.expireAfterSeconds !== null);
  } finally {
    view.release();
  }
}

function removeBatch(
  transaction: Transaction,
  { db, name, id }: CollectionInfo,
  { name: indexName }: IndexInfo,
  now: Date,
) {
  // As it is now: it may have been dropped, or the index changed.
  const collection = transaction.collection(db, name);
  const index = collection?.indexes.find((found) => found.name === indexName);
  if (collection === undefined || collection.id !== id || index === undefined || index.expireAfterSeconds === null)
    return 0;
  const last = new Date(now.getTime() - index.expireAfterSeconds * 1000);
  const expired = expiredRecords(transaction, collection, index, last);
  for (const recordId of expired) transaction.remove(collection, recordId);
  return expired.length;
}

function expiredRecords(view: ReadView, collection: CollectionInfo, index: IndexInfo, last: Date): RecordId[] {
  const [path = ''] = Object.keys(index.key);
  const range = { lower: { values: [EARLIEST], inclusive: true }, upper: { values: [last], inclusive: true } };
  const found = new Set<RecordId>();
  for (const recordId of view.scanIndex(collection, index, range)) {
    if (found.has(recordId)) continue;
    const bytes = view.get(collection, recordId);
    // An index only proposes.
    if (bytes !== undefined && hasDateUpTo(decode(bytes), path.split('.'), last)) found.add(recordId);
    if (found.size === BATCH_RECORDS) break;
  }
  return [...found];
}

function hasDateUpTo(value: BsonValue, path: readonly string[], last: Date): boolean {
  if (Array.isArray(value)) {
    const [step = '', ...rest] = path;
    if (/^\d+$/.test(step) && hasDateUpTo(value[Number(step)], rest, last)) return true;
    return value.some((item) => hasDateUpTo(item, path, last));
  }
  if (path.length === 0) return value instanceof Date && value.getTime() <= last.getTime();
  if (value === null || typeof value !== 'object') return false;
  const [step = '', ...rest] = path;
  return Object.hasOwn(value, step) && hasDateUpTo((value as Doc)[step], rest, last);
}
