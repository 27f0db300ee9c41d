import type { ObjectId } from 'mongodb';
import { LEASE_MS } from './claim.js';
import { cleanUpDocument } from './clean-up.js';
import type { Clock } from './clock.js';
import type { Database } from './database.js';
import { propagateAttributes } from './propagate-attributes.js';
import type { CleanupRow, DocumentRow } from './rows.js';
import type { SweepReport } from './store.js';
import { inBatches, ROWS_PER_BATCH, recoverAttempt } from './undo-staged.js';

/** How long superseded rows stay for readers that began before the flip. */
export const SUPERSEDED_MS = 60_000;

/** Documents that one sweep looks at per kind; the next one goes on. */
const MAX_PER_SWEEP = 500;

/**
 * Finishes what crashes and time left behind. Everything it does is repeatable and fenced, so any number of servers may
 * sweep at once, and a sweep may be killed.
 */
export async function sweep(database: Database, clock: Clock, signal?: AbortSignal): Promise<SweepReport> {
  const now = clock().getTime();
  const expired = new Date(now - LEASE_MS);
  /** Runs `finish` on each row; false does not count. Ends early, between two documents, when the server stops. */
  const each = async <T>(rows: readonly T[], finish: (row: T) => Promise<unknown>): Promise<number> => {
    let finished = 0;
    for (const row of rows) {
      signal?.throwIfAborted();
      if ((await finish(row)) !== false) finished++;
    }
    return finished;
  };
  const supersededBefore = new Date(now - SUPERSEDED_MS);
  return {
    attemptsUndone: await each(await deadAttempts(database, expired), (row) => recoverAttempt(database, row, clock)),
    supersededRemoved: await each(await superseded(database, supersededBefore), (row) =>
      removeSuperseded(database, row, supersededBefore),
    ),
    attributesPropagated: await each(await halfPropagated(database, expired), ({ _id }) =>
      propagateAttributes(database, _id),
    ),
    deletedCleaned: await each(await deletedDocuments(database, expired), ({ _id }) =>
      cleanUpDocument(database, _id, clock),
    ),
  };
}

async function deadAttempts(database: Database, expired: Date): Promise<DocumentRow[]> {
  return await database.documents
    .find({ 'attempt.at': { $lt: expired } })
    .limit(MAX_PER_SWEEP)
    .toArray();
}

async function superseded(database: Database, before: Date): Promise<DocumentRow[]> {
  return await database.documents
    .find({ 'superseded.at': { $lte: before } })
    .limit(MAX_PER_SWEEP)
    .toArray();
}

/** Older ones only: younger ones are most likely being walked by the server that changed them. */
async function halfPropagated(database: Database, expired: Date): Promise<DocumentRow[]> {
  return await database.documents
    .find({ attributes_pending: { $exists: true }, updated_at: { $lt: expired } })
    .limit(MAX_PER_SWEEP)
    .toArray();
}

async function deletedDocuments(database: Database, expired: Date): Promise<CleanupRow[]> {
  return await database.cleanups
    .find({ at: { $lt: expired } })
    .limit(MAX_PER_SWEEP)
    .toArray();
}

/** Versions only grow, so a row that ended at a past version can never be live again: no claim is needed. */
async function removeSuperseded(database: Database, row: DocumentRow, before: Date): Promise<void> {
  const due = (row.superseded ?? []).filter(({ at }) => at <= before);
  const version = Math.max(...due.map((entry) => entry.version));
  await inBatches(
    async () => {
      const found = database.chunks
        .find({ document_id: row._id, to_version: { $lte: version } })
        .project<{ _id: ObjectId }>({ _id: 1 })
        .limit(ROWS_PER_BATCH);
      return (await found.toArray()).map(({ _id }) => _id);
    },
    (ids) => database.chunks.deleteMany({ _id: { $in: ids } }),
  );
  await database.texts.deleteMany({ document_id: row._id, version: { $lt: version } });
  await database.documents.updateOne({ _id: row._id }, { $pull: { superseded: { version: { $lte: version } } } });
}
