import type { ObjectId } from 'mongodb';
import type { Database } from '../database.js';
import { dropPending } from './pending-documents.js';
import { turnId } from './turns.js';

/** Removes a job with all that belongs to it. What it stored stays; what it only announced goes, and is counted. */
export async function removeJob(database: Database, jobId: ObjectId): Promise<number> {
  let documents = 0;
  for await (const documentIds of announcedBy(database, jobId))
    documents += await dropPending(database, jobId, documentIds);
  await database.jobPayloads.deleteMany({ job_id: jobId });
  await database.jobItems.deleteMany({ job_id: jobId });
  await database.jobs.deleteOne({ _id: jobId });
  return documents;
}

/**
 * Removes an owner's jobs; returns how many there were, and how many documents went that they had only announced. Out of
 * the queue first, so that nothing new begins.
 */
export async function removeJobsOf(
  database: Database,
  owner: string,
): Promise<{ readonly jobs: number; readonly documents: number }> {
  const ids = (await database.jobs.find({ owner }).project<{ _id: ObjectId }>({ _id: 1 }).toArray()).map(
    ({ _id }) => _id,
  );
  await database.jobTurns.deleteOne({ _id: turnId(owner) });
  await database.jobs.updateMany({ owner }, { $unset: { runnable: 1 } });
  let documents = 0;
  for (const id of ids) documents += await removeJob(database, id);
  return { jobs: ids.length, documents };
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
