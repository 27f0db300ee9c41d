import type { ObjectId } from 'mongodb';
import { LEASE_MS } from './claim.js';
import { cleanUpDocument } from './clean-up.js';
import type { Clock } from './clock.js';
import type { Database } from './database.js';
import { propagateAttributes } from './propagate-attributes.js';
import type { DocumentRow } from './rows.js';
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
export async function sweep(database: Database, clock: Clock): Promise<SweepReport> {
  const expired = new Date(clock().getTime() - LEASE_MS);
  return {
    attemptsUndone: await undoDeadAttempts(database, expired, clock),
    supersededRemoved: await removeSuperseded(database, new Date(clock().getTime() - SUPERSEDED_MS)),
    attributesPropagated: await finishPropagation(database, expired),
    deletedCleaned: await cleanDeleted(database, expired, clock),
  };
}

async function undoDeadAttempts(database: Database, expired: Date, clock: Clock): Promise<number> {
  const rows = await database.documents
    .find({ 'attempt.at': { $lt: expired } })
    .limit(MAX_PER_SWEEP)
    .toArray();
  let undone = 0;
  for (const row of rows) if (await recoverAttempt(database, row, clock)) undone++;
  return undone;
}

async function removeSuperseded(database: Database, before: Date): Promise<number> {
  const rows = await database.documents
    .find({ 'superseded.at': { $lte: before } })
    .limit(MAX_PER_SWEEP)
    .toArray();
  for (const row of rows) await removeSupersededOf(database, row, before);
  return rows.length;
}

/** Versions only grow, so a row that ended at a past version can never be live again: no claim is needed. */
async function removeSupersededOf(database: Database, row: DocumentRow, before: Date): Promise<void> {
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

/** Older ones only: younger ones are most likely being walked by the server that changed them. */
async function finishPropagation(database: Database, expired: Date): Promise<number> {
  const rows = await database.documents
    .find({ attributes_pending: { $exists: true }, updated_at: { $lt: expired } })
    .project<{ _id: ObjectId }>({ _id: 1 })
    .limit(MAX_PER_SWEEP)
    .toArray();
  for (const { _id } of rows) await propagateAttributes(database, _id);
  return rows.length;
}

async function cleanDeleted(database: Database, expired: Date, clock: Clock): Promise<number> {
  const rows = await database.cleanups
    .find({ at: { $lt: expired } })
    .limit(MAX_PER_SWEEP)
    .toArray();
  for (const { _id } of rows) await cleanUpDocument(database, _id, clock);
  return rows.length;
}
