import { setTimeout as sleep } from 'node:timers/promises';
import type { AnyBulkWriteOperation, ClientSession, Filter, ObjectId } from 'mongodb';
import { AppError, Refusal } from '../../errors.js';
import type { Clock } from '../clock.js';
import type { Database } from '../database.js';
import { parseObjectId } from '../object-id.js';
import { tryTransaction } from '../transaction.js';
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
      let isUnfinished = false;
      const isFree = await whenFree(database, async (session) => {
        const requested = await database.jobs.updateOne(
          { _id: jobId, state: { $in: ['QUEUED', 'RUNNING'] } },
          { $set: { cancel_requested_at: clock() }, $unset: { runnable: 1 } },
          { session },
        );
        isUnfinished = requested.matchedCount > 0;
      });
      if (!isFree) throw locked();
      if (!isUnfinished)
        throw new Refusal('CONFLICT', 'The job has ended already, so nothing of it can be stopped', ['input', 'jobId']);
      await cancelWaiting(database, jobId, clock);
      const after = await database.jobs.findOne<JobRow>({ _id: jobId });
      return after && jobRecord(after);
    },
  };
}

/**
 * Ends what waits of a job that is being cancelled, and what dead workers hold; what runs ends by itself. A worker may have
 * died in a transaction, which the database keeps open for up to a minute: what that locks is passed over, for the next sweep.
 */
export async function cancelWaiting(database: Database, jobId: ObjectId, clock: Clock): Promise<void> {
  const waiting = (): Filter<JobItemRow> => ({
    job_id: jobId,
    // A worker that comes back finds its lease gone, and can note nothing.
    $or: [{ state: 'QUEUED' }, { state: 'RUNNING', claimable_at: { $lte: clock() } }],
  });
  const tries = { left: MAX_TRIES };
  const cancel = async (ids: readonly ObjectId[]): Promise<void> => {
    if (ids.length === 0 || tries.left-- <= 0) return;
    const isFree = await whenFree(database, (session) =>
      cancelItems(database, jobId, { $and: [{ _id: { $in: [...ids] } }, waiting()] }, clock(), session),
    );
    if (isFree) {
      await database.jobPayloads.deleteMany({ item_id: { $in: [...ids] } });
      return;
    }
    if (ids.length === 1) return;
    const half = Math.ceil(ids.length / 2);
    await cancel(ids.slice(0, half));
    await cancel(ids.slice(half));
  };
  let batch: ObjectId[] = [];
  for await (const { _id } of database.jobItems.find(waiting()).project<Pick<JobItemRow, '_id'>>({ _id: 1 })) {
    if (batch.push(_id) < ITEMS_PER_TRANSACTION) continue;
    await cancel(batch);
    batch = [];
  }
  await cancel(batch);
}

/** Transactions that may meet a lock, before the rest is left to the next sweep: the job itself may be what is locked. */
const MAX_TRIES = 64;
/** What living workers lock is free again in no time. */
const PAUSES_MS = [20, 60, 180];

/** Runs it unless something stays locked: false, and nothing of it is kept. */
async function whenFree(database: Database, body: (session: ClientSession) => Promise<void>): Promise<boolean> {
  for (const pause of PAUSES_MS) {
    if (await tryTransaction(database, body)) return true;
    await sleep(pause);
  }
  return await tryTransaction(database, body);
}

function locked(): AppError {
  return new AppError('STORE_UNAVAILABLE', 'A server that ended abruptly still locks the job; try again in a minute', {
    details: { retryable: true },
  });
}

async function cancelItems(
  database: Database,
  jobId: ObjectId,
  filter: Filter<JobItemRow>,
  now: Date,
  session: ClientSession,
): Promise<void> {
  const rows = await database.jobItems
    .find(filter, { session })
    .project<Pick<JobItemRow, '_id' | 'document_id' | 'stored'>>({ document_id: 1, stored: 1 })
    .toArray();
  if (rows.length === 0) return;
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
