import { type ClientSession, type Filter, ObjectId } from 'mongodb';
import type { Database } from '../database.js';
import { filterableValues } from '../filterable.js';
import { isDuplicateKey } from '../mongo-errors.js';
import type { Filterable } from '../records.js';
import { chunkingRow } from '../row-records.js';
import type { DocumentRow } from '../rows.js';
import type { Scope } from '../scope.js';
import { scopeFilter } from '../scope-filter.js';
import { normalizeTitle } from '../title.js';
import type { PendingDocument } from './job-records.js';

/**
 * Documents that a job accepted and no version was stored of yet: rows at version 0, listed as PENDING, without chunks
 * and so invisible to search. They remember the jobs that accepted them; the last one that gives up takes them away again.
 */
export interface PendingOptions {
  readonly scope: Scope;
  readonly jobId: ObjectId;
  readonly filterable: Filterable;
  readonly now: Date;
}

/** A document as a job found it. */
export type FoundDocument = Pick<DocumentRow, '_id' | 'version' | 'revision'>;

/**
 * Makes rows for new titles, marks those that never got a version, and returns what there is by title key: documents that
 * the scope can see only.
 */
export async function acceptDocuments(
  database: Database,
  documents: readonly PendingDocument[],
  options: PendingOptions,
): Promise<ReadonlyMap<string, FoundDocument>> {
  const byKey = new Map(documents.map((document) => [normalizeTitle(document.title), document]));
  if (byKey.size === 0) return new Map();
  const titles: Filter<DocumentRow> = { owner: options.scope.owner, title_key: { $in: [...byKey.keys()] } };
  const before = await foundBy(database, titles);
  const fresh = [...byKey].filter(([key]) => !before.has(key)).map(([, document]) => pendingRow(document, options));
  const isAlone = await insertThoseStillFree(database, fresh);

  const visible = { $and: [titles, scopeFilter(options.scope)] } as Filter<DocumentRow>;
  if (before.size > 0 || !isAlone)
    await database.documents.updateMany({ $and: [visible, { version: 0 }] } as Filter<DocumentRow>, {
      $set: { status: 'PENDING', last_error: null },
      $addToSet: { pending_jobs: options.jobId },
    });
  if (before.size === 0 && isAlone) return new Map(fresh.map((row) => [row.title_key, row]));
  return await foundBy(database, visible);
}

/**
 * Takes away what a job accepted and will not store, of these documents, unless another job is still to store it; returns
 * how many went.
 */
export async function dropPending(
  database: Database,
  jobId: ObjectId,
  ids: readonly ObjectId[],
  session?: ClientSession,
): Promise<number> {
  const accepted = { _id: { $in: [...ids] }, version: 0 };
  const within = session ? { session } : {};
  const { deletedCount } = await database.documents.deleteMany(
    { ...accepted, pending_jobs: [jobId], status: 'PENDING' },
    within,
  );
  if (deletedCount < ids.length)
    await database.documents.updateMany(
      { ...accepted, pending_jobs: jobId },
      { $pull: { pending_jobs: jobId } },
      within,
    );
  return deletedCount;
}

/** The documents that stand under these titles and the scope can see, by title key. */
export async function documentsTitled(
  database: Database,
  scope: Scope,
  keys: readonly string[],
): Promise<ReadonlyMap<string, FoundDocument>> {
  const titles: Filter<DocumentRow> = { owner: scope.owner, title_key: { $in: [...keys] } };
  return await foundBy(database, { $and: [titles, scopeFilter(scope)] } as Filter<DocumentRow>);
}

async function foundBy(database: Database, filter: Filter<DocumentRow>): Promise<Map<string, FoundDocument>> {
  const rows = await database.documents
    .find(filter)
    .project<FoundDocument & Pick<DocumentRow, 'title_key'>>({ title_key: 1, version: 1, revision: 1 })
    .toArray();
  return new Map(rows.map((row) => [row.title_key, row]));
}

/** False: another writer took one of the titles in between. */
async function insertThoseStillFree(database: Database, rows: readonly DocumentRow[]): Promise<boolean> {
  if (rows.length === 0) return true;
  try {
    await database.documents.insertMany([...rows], { ordered: false });
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

function pendingRow(document: PendingDocument, { scope, jobId, filterable, now }: PendingOptions): DocumentRow {
  return {
    _id: new ObjectId(),
    owner: scope.owner,
    title: document.title,
    title_key: normalizeTitle(document.title),
    media_type: document.mediaType,
    language: null,
    language_given: false,
    source_uri: document.sourceUri,
    agent_ids: [...document.agentIds],
    metadata: document.metadata,
    filterable: filterableValues(document.metadata, filterable),
    content_hash: null,
    text_length: 0,
    version: 0,
    revision: 0,
    status: 'PENDING',
    last_error: null,
    chunking: chunkingRow(document.chunking),
    chunk_count: 0,
    space: null,
    created_at: now,
    updated_at: now,
    pending_jobs: [jobId],
  };
}
