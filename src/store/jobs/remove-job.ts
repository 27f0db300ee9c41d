import type { ObjectId } from 'mongodb';
import type { Database } from '../database.js';
import { dropPending } from './pending-documents.js';
import { turnId } from './turns.js';

/** Removes a job with all that belongs to it. What it stored stays; what it only announced goes. */
export async function removeJob(database: Database, jobId: ObjectId): Promise<void> {
  await dropPending(database, jobId);
  await database.jobPayloads.deleteMany({ job_id: jobId });
  await database.jobItems.deleteMany({ job_id: jobId });
  await database.jobs.deleteOne({ _id: jobId });
}

/** Removes an owner's jobs; returns how many there were. Out of the queue first, so that nothing new begins. */
export async function removeJobsOf(database: Database, owner: string): Promise<number> {
  const ids = (await database.jobs.find({ owner }).project<{ _id: ObjectId }>({ _id: 1 }).toArray()).map(
    ({ _id }) => _id,
  );
  await database.jobTurns.deleteOne({ _id: turnId(owner) });
  await database.jobs.updateMany({ owner }, { $unset: { runnable: 1 } });
  for (const id of ids) await removeJob(database, id);
  return ids.length;
}
