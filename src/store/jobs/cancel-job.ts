import type { AnyBulkWriteOperation, Filter, ObjectId } from 'mongodb';
import { Refusal } from '../../errors.js';
import type { Clock } from '../clock.js';
import type { Database } from '../database.js';
import { parseObjectId } from '../object-id.js';
import { inTransaction } from '../transaction.js';
import { countEnded } from './count-ended.js';
import { ITEMS_PER_TRANSACTION } from './job-limits.js';
import { jobRecord } from './job-row-records.js';
import type { JobItemRow, JobRow } from './job-rows.js';
import type { JobWrites } from './job-store.js';
import { visibleJobs } from './job-visibility.js';
import { dropPending } from './pending-documents.js';

export function jobCanceller(database: Database, clock: Clock): Pick<JobWrites, 'cancelJob'> {
  return {
    async cancelJob(viewer, id) {
      const jobId = parseObjectId(id);
      const job = jobId && (await database.jobs.findOne({ $and: [{ _id: jobId }, visibleJobs(viewer, clock())] }));
      if (jobId === null || job === null) return null;
      if (job.state === 'CANCELLED') return jobRecord(job);
      const requested = await database.jobs.updateOne(
        { _id: jobId, state: { $in: ['QUEUED', 'RUNNING'] } },
        { $set: { cancel_requested_at: clock() }, $unset: { runnable: 1 } },
      );
      if (requested.matchedCount === 0)
        throw new Refusal('CONFLICT', 'The job has ended already, so nothing of it can be stopped', ['input', 'jobId']);
      await cancelWaiting(database, jobId, clock);
      const after = await database.jobs.findOne<JobRow>({ _id: jobId });
      return after && jobRecord(after);
    },
  };
}

/** Ends what waits of a job that is being cancelled, and what dead workers hold; what runs ends by itself. */
export async function cancelWaiting(database: Database, jobId: ObjectId, clock: Clock): Promise<void> {
  for (;;) {
    const now = clock();
    // A worker that comes back finds its lease gone, and can note nothing.
    const waiting: Filter<JobItemRow> = {
      job_id: jobId,
      $or: [{ state: 'QUEUED' }, { state: 'RUNNING', claimable_at: { $lte: now } }],
    };
    const cancelled = await inTransaction(database, async (session) => {
      const rows = await database.jobItems
        .find(waiting, { session })
        .project<Pick<JobItemRow, '_id' | 'document_id' | 'stored'>>({ document_id: 1, stored: 1 })
        .limit(ITEMS_PER_TRANSACTION)
        .toArray();
      if (rows.length === 0) return [];
      const ids = rows.map(({ _id }) => _id);
      await database.jobItems.bulkWrite(
        [
          {
            updateMany: {
              filter: { _id: { $in: ids }, stored: { $exists: false } },
              update: { $set: { state: 'CANCELLED', ended_at: now }, $unset: ENDED },
            },
          },
          ...rows.flatMap(({ _id, stored }) => (stored === undefined ? [] : [storedUpdate(_id, stored, now)])),
        ],
        { session },
      );
      const documentIds = rows.flatMap(({ document_id }) => document_id ?? []);
      if (documentIds.length > 0) await dropPending(database, jobId, documentIds, session);
      const done = rows.filter(({ stored }) => stored !== undefined).length;
      await countEnded(database, jobId, { done, failed: 0, cancelled: ids.length - done }, now, session);
      return ids;
    });
    if (cancelled.length === 0) return;
    await database.jobPayloads.deleteMany({ item_id: { $in: cancelled } });
  }
}

const ENDED = { claimable_at: 1, lease: 1, payload: 1, stored: 1 } as const;

/** It was stored before its worker died: too late to be cancelled. */
function storedUpdate(
  _id: ObjectId,
  { outcome, document_id }: NonNullable<JobItemRow['stored']>,
  ended_at: Date,
): AnyBulkWriteOperation<JobItemRow> {
  const update = { $set: { state: 'SUCCEEDED', outcome, document_id, error: null, ended_at }, $unset: ENDED } as const;
  return { updateOne: { filter: { _id }, update } };
}
