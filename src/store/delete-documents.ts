import type { Filter, ObjectId } from 'mongodb';
import { Refusal } from '../errors.js';
import { mayWrite, requireWritable } from './agents.js';
import { cleanUpDocument } from './clean-up.js';
import type { Clock } from './clock.js';
import type { Database } from './database.js';
import { documentFilterMql, type FilterKeys } from './filter-mql.js';
import { requireDeletingFilter } from './filter-restricts.js';
import { keyFilter, keyPath } from './read-documents.js';
import type { DocumentRow } from './rows.js';
import type { Scope } from './scope.js';
import { inScope } from './scope-filter.js';
import type { Store } from './store.js';
import { MAX_PART_BYTES } from './text-parts.js';
import { inTransaction } from './transaction.js';
import { liveAt } from './visibility.js';

/** Documents whose ids are read at once by a deletion over a filter. */
const PAGE = 200;

export interface DeleteOptions {
  readonly clock: Clock;
  readonly keys: () => FilterKeys;
  /** Up to so many chunk rows go in the transaction that removes their document. */
  readonly maxTransactionRows: number;
}

export type Deletes = Pick<Store, 'deleteDocument' | 'deleteDocuments'>;

export function documentDeleter(database: Database, options: DeleteOptions): Deletes {
  return {
    async deleteDocument(scope, key, expectedRevision) {
      const filter = keyFilter(key);
      if (filter === null) return null;
      return await deleteOne(database, inScope(scope, filter), options, (row) => {
        requireWritable(scope, row.agent_ids, keyPath(key));
        if (expectedRevision !== undefined && row.revision !== expectedRevision)
          throw new Refusal('CONFLICT', `The document is at revision ${row.revision}, expected ${expectedRevision}`, [
            'input',
            'expectedRevision',
          ]);
      });
    },

    async deleteDocuments(scope, filter, { dryRun }) {
      requireDeletingFilter(filter);
      const matching = inScope<DocumentRow>(scope, documentFilterMql(filter, options.keys()));
      await refuseForeignAgents(database, scope, matching);
      if (dryRun) return await countMatching(database, matching);

      let deletedDocuments = 0;
      let deletedChunks = 0;
      for await (const id of idsUntilNow(database, matching)) {
        // Once more with the filter: what was changed meanwhile so that it no longer matches stays.
        const deleted = await deleteOne(database, { $and: [{ _id: id }, matching] }, options, (row) =>
          requireWritable(scope, row.agent_ids, ['input', 'filter']),
        );
        if (deleted === null) continue;
        deletedDocuments++;
        deletedChunks += deleted.deletedChunks;
      }
      return { deletedDocuments, deletedChunks };
    },
  };
}

/**
 * Deletes the document that matches, with its rows. One transaction removes the document, and a small one's rows and
 * text with it; from then on a larger one's rows are invisible, and go in batches. Null: there is none.
 */
export async function deleteOne(
  database: Database,
  filter: Filter<DocumentRow>,
  options: Pick<DeleteOptions, 'clock' | 'maxTransactionRows'>,
  check: (row: DocumentRow) => void = () => {},
): Promise<{ id: string; deletedChunks: number } | null> {
  const deleted = await inTransaction(database, async (session) => {
    const row = await database.documents.findOne(filter, { session });
    if (row === null) return null;
    check(row);
    await database.documents.deleteOne({ _id: row._id }, { session });
    if (!isSmall(row, options.maxTransactionRows)) {
      const at = options.clock();
      await database.cleanups.insertOne({ _id: row._id, owner: row.owner, attempt: null, at }, { session });
      return { row, liveChunks: null };
    }
    const live = await database.chunks.deleteMany({ document_id: row._id, ...liveAt(row.version) }, { session });
    await database.texts.deleteMany({ document_id: row._id }, { session });
    return { row, liveChunks: live.deletedCount };
  });
  if (deleted === null) return null;
  const { row } = deleted;
  const deletedChunks = deleted.liveChunks ?? (await cleanUpDocument(database, row._id, options.clock, row.version));
  return { id: row._id.toHexString(), deletedChunks };
}

/** Few rows, a short text, and nothing staged or superseded beside them. */
function isSmall(row: DocumentRow, maxTransactionRows: number): boolean {
  return (
    row.chunk_count <= maxTransactionRows &&
    row.text_length <= 2 * MAX_PART_BYTES &&
    row.attempt === undefined &&
    (row.superseded ?? []).length === 0
  );
}

/** Bound credentials may delete only what is theirs alone: one document that is not refuses all, before anything goes. */
async function refuseForeignAgents(database: Database, scope: Scope, matching: Filter<DocumentRow>): Promise<void> {
  if (scope.agents === null) return;
  const foreign = await database.documents.findOne({
    $and: [matching, { agent_ids: { $elemMatch: { $nin: [...scope.agents] } } }],
  } as Filter<DocumentRow>);
  if (foreign !== null && !mayWrite(scope, foreign.agent_ids))
    requireWritable(scope, foreign.agent_ids, ['input', 'filter']);
}

async function countMatching(
  database: Database,
  matching: Filter<DocumentRow>,
): Promise<{ deletedDocuments: number; deletedChunks: number }> {
  const [counts] = await database.documents
    .aggregate<{ documents: number; chunks: number }>([
      { $match: matching },
      { $group: { _id: null, documents: { $sum: 1 }, chunks: { $sum: '$chunk_count' } } },
    ])
    .toArray();
  return { deletedDocuments: counts?.documents ?? 0, deletedChunks: counts?.chunks ?? 0 };
}

/** Ids of the documents that match now, in pages; documents created while the walk goes on are not met. */
async function* idsUntilNow(database: Database, matching: Filter<DocumentRow>): AsyncGenerator<ObjectId> {
  const last = await database.documents
    .find(matching)
    .project<{ _id: ObjectId }>({ _id: 1 })
    .sort({ _id: -1 })
    .limit(1)
    .next();
  if (last === null) return;
  let after: ObjectId | undefined;
  for (;;) {
    const range = { _id: { $lte: last._id, ...(after !== undefined && { $gt: after }) } };
    const rows = await database.documents
      .find({ $and: [matching, range] } as Filter<DocumentRow>)
      .project<{ _id: ObjectId }>({ _id: 1 })
      .sort({ _id: 1 })
      .limit(PAGE)
      .toArray();
    if (rows.length === 0) return;
    for (const { _id } of rows) yield _id;
    after = rows.at(-1)?._id;
  }
}
