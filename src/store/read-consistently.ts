import type { ObjectId } from 'mongodb';
import { AppError } from '../errors.js';
import type { Database } from './database.js';
import type { DocumentRow } from './rows.js';
import type { Scope } from './scope.js';
import { inScope } from './scope-filter.js';

/** How often a read starts again because a document moved under it. */
const MAX_ROUNDS = 3;

/** id (hex) → the document's version and what else its readers need. */
export type Versions = ReadonlyMap<string, Pick<DocumentRow, '_id' | 'version' | 'text_length' | 'chunk_count'>>;

/**
 * Runs `read` with the versions of the documents that are in scope, and again when one of them moved or went meanwhile:
 * what it returns belongs to one version of each document. A document that vanished in between is just absent the next
 * time. Throws `AppError` STORE_UNAVAILABLE when they keep moving.
 */
export async function readConsistently<T>(
  database: Database,
  scope: Scope,
  documentIds: readonly ObjectId[],
  read: (versions: Versions) => Promise<T>,
): Promise<T> {
  let before = await versionsOf(database, scope, documentIds);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const result = await read(before);
    const after = await versionsOf(database, scope, documentIds);
    if (isSame(before, after)) return result;
    before = after;
  }
  throw new AppError('STORE_UNAVAILABLE', 'The document kept changing while it was read; try again');
}

async function versionsOf(database: Database, scope: Scope, ids: readonly ObjectId[]): Promise<Versions> {
  if (ids.length === 0) return new Map();
  const rows = await database.documents
    .find(inScope<DocumentRow>(scope, { _id: { $in: [...ids] } }))
    .project<Pick<DocumentRow, '_id' | 'version' | 'text_length' | 'chunk_count'>>({
      version: 1,
      text_length: 1,
      chunk_count: 1,
    })
    .toArray();
  return new Map(rows.map((row) => [row._id.toHexString(), row]));
}

function isSame(before: Versions, after: Versions): boolean {
  return before.size === after.size && [...before].every(([id, { version }]) => after.get(id)?.version === version);
}
