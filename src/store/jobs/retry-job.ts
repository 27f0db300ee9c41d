import type { ObjectId } from 'mongodb';
import { Refusal } from '../../errors.js';
import type { Clock } from '../clock.js';
import type { Database } from '../database.js';
import { parseObjectId } from '../object-id.js';
import { inTransaction } from '../transaction.js';
import { ITEMS_PER_TRANSACTION } from './job-limits.js';
import { jobRecord } from './job-row-records.js';
import type { JobItemRow, JobRow } from './job-rows.js';
import type { JobWrites } from './job-store.js';
import { visibleJobs } from './job-visibility.js';
import { announceWork } from './turns.js';

export function jobRetrier(database: Database, clock: Clock): Pick<JobWrites, 'retryJob'> {
  return {
    async retryJob(viewer, id, { apiKeyId }) {
      const jobId = parseObjectId(id);
      const job = jobId && (await database.jobs.findOne({ $and: [{ _id: jobId }, visibleJobs(viewer, clock())] }));
      if (jobId === null || job === null) return null;
      if (job.cancel_requested_at)
        throw new Refusal('CONFLICT', 'The job is being cancelled: wait until it has ended', ['input', 'jobId']);
      const key = apiKeyId === null ? null : parseObjectId(apiKeyId);
      // What fails once more while this goes on is not met again.
      const before = clock();
      let queued = 0;
      for (;;) {
        const count = await queueFailed(database, job, { key, before, now: clock() });
        if (count === 0) break;
        queued += count;
      }
      if (queued === 0)
        throw new Refusal('CONFLICT', 'The job has no failed item that can be run again', ['input', 'jobId']);
      const after = await database.jobs.findOne<JobRow>({ _id: jobId });
      return after && jobRecord(after);
    },
  };
}

async function queueFailed(
  database: Database,
  { _id: jobId, owner }: JobRow,
  { key, before, now }: { key: ObjectId | null; before: Date; now: Date },
): Promise<number> {
  const ids = await inTransaction(database, async (session) => {
    const rows = await database.jobItems
      // Those refused when the job was made have nothing to be run with.
      .find({ job_id: jobId, state: 'FAILED', payload_bytes: { $gt: 0 }, ended_at: { $lte: before } }, { session })
      .project<Pick<JobItemRow, '_id' | 'document_id'>>({ document_id: 1 })
      .limit(ITEMS_PER_TRANSACTION)
      .toArray();
    if (rows.length === 0) return [];
    const ids = rows.map(({ _id }) => _id);
    await database.jobItems.updateMany(
      { _id: { $in: ids } },
      {
        $set: { state: 'QUEUED', claimable_at: now, error: null, attempts: 0 },
        $unset: { ended_at: 1 },
      },
      { session },
    );
    await database.jobs.updateOne(
      { _id: jobId },
      {
        $set: { state: 'QUEUED', finished_at: null, runnable: true, due_at: now, api_key_id: key },
        $unset: { expires_at: 1 },
        $inc: { failed: -ids.length, generation: 1 },
      },
      { session },
    );
    await database.documents.updateMany(
      { _id: { $in: rows.flatMap(({ document_id }) => document_id ?? []) }, version: 0 },
      { $set: { status: 'PENDING', last_error: null }, $addToSet: { pending_jobs: jobId } },
      { session },
    );
    await announceWork(database, owner, now, session);
    return ids;
  });
  return ids.length;
}
