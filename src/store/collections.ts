import type { IndexDescription } from 'mongodb';
import type { Database } from './database.js';
import { JOB_COLLECTIONS } from './jobs/job-collections.js';
import { KEPT_WORK_TTL_MS } from './kept-work.js';
import { hasMongoCode, MONGO_CODE } from './mongo-errors.js';
import { RANKING_TTL_MS } from './rankings.js';

/** The collections with their ordinary indexes. Search indexes are in search-indexes.ts. */
const COLLECTIONS: Readonly<Record<string, readonly IndexDescription[]>> = {
  documents: [
    { key: { owner: 1, title_key: 1 }, name: 'owner_title', unique: true },
    { key: { owner: 1, updated_at: -1, _id: -1 }, name: 'owner_updated' },
    { key: { owner: 1, created_at: -1, _id: -1 }, name: 'owner_created' },
    // What the sweeper looks for; sparse, because nearly no document has any of them.
    { key: { 'attempt.at': 1 }, name: 'attempts', sparse: true },
    { key: { 'superseded.at': 1 }, name: 'superseded', sparse: true },
    { key: { attributes_pending: 1 }, name: 'attributes_pending', sparse: true },
  ],
  texts: [{ key: { document_id: 1, version: 1, part: 1 }, name: 'document_version_part', unique: true }],
  chunks: [
    { key: { document_id: 1, ordinal: 1 }, name: 'document_ordinal' },
    { key: { owner: 1, written_at: 1 }, name: 'owner_written' },
  ],
  spaces: [],
  space_fences: [],
  ...JOB_COLLECTIONS,
  rankings: [
    { key: { owner: 1 }, name: 'owner' },
    { key: { created_at: 1 }, name: 'expiry', expireAfterSeconds: RANKING_TTL_MS / 1_000 },
  ],
  api_keys: [
    { key: { secret_hash: 1 }, name: 'secret_hash', unique: true },
    { key: { owner: 1 }, name: 'owner' },
  ],
  settings: [],
  kept_work: [
    { key: { owner: 1 }, name: 'owner' },
    { key: { written_at: 1 }, name: 'expiry', expireAfterSeconds: KEPT_WORK_TTL_MS / 1_000 },
  ],
  cleanups: [
    { key: { at: 1 }, name: 'at' },
    { key: { owner: 1 }, name: 'owner' },
  ],
};

/** Makes what is missing. Collections are created on purpose: search indexes cannot be made on one that is not there. */
export async function ensureCollections(database: Database): Promise<void> {
  const existing = new Set(
    (await database.db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name),
  );
  // Side by side: each waits for the disk, and a first start has a dozen and a half of them.
  await Promise.all(
    Object.entries(COLLECTIONS).map(async ([name, indexes]) => {
      if (!existing.has(name)) await createCollection(database, name);
      if (indexes.length > 0) await database.db.collection(name).createIndexes([...indexes]);
    }),
  );
}

async function createCollection(database: Database, name: string): Promise<void> {
  try {
    await database.db.createCollection(name);
  } catch (error) {
    // Another server that starts at the same moment was faster.
    if (!hasMongoCode(error, MONGO_CODE.namespaceExists)) throw error;
  }
}
