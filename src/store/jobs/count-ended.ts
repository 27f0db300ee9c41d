import type { ClientSession, ObjectId } from 'mongodb';
import type { Database } from '../database.js';
import { JOB_RETENTION_MS } from './job-limits.js';
import { endedState } from './job-state.js';

export interface EndedCounts {
  readonly done: number;
  readonly failed: number;
  readonly cancelled: number;
}

/** Adds to a job's counts in the transaction that ends the items, and ends the job with the last of them. */
export async function countEnded(
  database: Database,
  jobId: ObjectId,
  { done, failed, cancelled }: EndedCounts,
  now: Date,
  session: ClientSession,
): Promise<void> {
  if (done + failed + cancelled === 0) return;
  const job = await database.jobs.findOneAndUpdate(
    { _id: jobId },
    { $inc: { done, failed, cancelled } },
    { session, returnDocument: 'after' },
  );
  const state = job && endedState(job);
  if (state === null) return;
  await database.jobs.updateOne(
    { _id: jobId },
    {
      $set: { state, finished_at: now, expires_at: new Date(now.getTime() + JOB_RETENTION_MS) },
      $unset: { runnable: 1, cancel_requested_at: 1, progress: 1 },
    },
    { session },
  );
}
