import type { ObjectId } from 'mongodb';
import type { Database } from '../database.js';
import { dropPending } from './pending-documents.js';
import { turnId } from './turns.js';

/** Removes a job with all that belongs to it. What it stored stays; what it only announced goes. */
export async function removeJob(database: Database, jobId: ObjectId): Promise<void> {
  for await (const documentIds of announcedBy(database, jobId)) await dropPending(database, jobId, documentIds);
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

/** The documents of a job's items, in batches. */
async function* announcedBy(database: Database, jobId: ObjectId): AsyncGenerator<ObjectId[]> {
  let batch: ObjectId[] = [];
  const items = database.jobItems
    .find({ job_id: jobId, document_id: { $ne: null } })
    .project<{ document_id: ObjectId }>({ document_id: 1 });
  for await (const { document_id } of items) {
    if (batch.push(document_id) < IDS_PER_DELETE) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

const IDS_PER_DELETE = 500;
