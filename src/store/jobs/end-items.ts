import type { AnyBulkWriteOperation, ClientSession, ObjectId } from 'mongodb';
import type { Clock } from '../clock.js';
import type { Database } from '../database.js';
import { parseObjectId, parseObjectIds } from '../object-id.js';
import type { DocumentRow } from '../rows.js';
import { inTransaction } from '../transaction.js';
import { countEnded, type EndedCounts } from './count-ended.js';
import { INLINE_PAYLOAD_BYTES, ITEMS_PER_TRANSACTION } from './job-limits.js';
import type { ItemOutcome, ItemResult } from './job-records.js';
import type { JobItemRow, JobRow } from './job-rows.js';
import type { JobWork } from './job-store.js';
import { storedEnd } from './note-stored.js';
import { dropPending } from './pending-documents.js';
import { announceItems } from './turns.js';

const MAX_MESSAGE_LENGTH = 2_000;
const LIGHT_BYTES = 32 * 1024;

/**
 * Writes down how items ended. Items, counts and the job's state move in one transaction, and only for leases that are
 * still held: an item is counted once, and a job ends when all of its items have.
 */
export function itemEnder(database: Database, clock: Clock): Pick<JobWork, 'endItems'> {
  return {
    async endItems(_operator, results) {
      for (const [jobId, ofJob] of byJob(results))
        for (let start = 0; start < ofJob.length; start += ITEMS_PER_TRANSACTION)
          await endOfJob(database, jobId, ofJob.slice(start, start + ITEMS_PER_TRANSACTION), clock());
    },
  };
}

async function endOfJob(database: Database, jobId: ObjectId, results: readonly ItemResult[], now: Date): Promise<void> {
  const ended = await inTransaction(database, async (session) => {
    const held = await heldItems(database, results, session);
    if (held.length === 0) return [];
    const job = await database.jobs.findOne({ _id: jobId }, { session });
    if (job === null) return [];
    await database.jobItems.bulkWrite(itemUpdates(held, job, now), { session, ordered: false });
    await countEnded(database, jobId, countsOf(held, job), now, session);
    await noteOnDocuments(database, job, held, session);
    await putBack(database, job, held, now, session);
    await disposePayloads(database, held.filter(isLight), session);
    return held;
  });
  // More than a transaction should hold. What a crash leaves of it goes with the job.
  await disposePayloads(
    database,
    ended.filter((item) => !isLight(item)),
  );
}

/** Small enough for a few hundred of them to go in one transaction. */
function isLight({ row }: HeldItem): boolean {
  return row.payload_bytes <= LIGHT_BYTES;
}

interface HeldItem {
  readonly row: Pick<JobItemRow, '_id' | 'document_id' | 'lease' | 'payload_bytes' | 'stored'>;
  readonly result: ItemResult;
}

async function heldItems(
  database: Database,
  results: readonly ItemResult[],
  session: ClientSession,
): Promise<HeldItem[]> {
  const byId = new Map(results.map((result) => [result.itemId, result]));
  const rows = await database.jobItems
    .find({ _id: { $in: parseObjectIds([...byId.keys()]) } }, { session })
    .project<HeldItem['row']>({ document_id: 1, lease: 1, payload_bytes: 1, stored: 1 })
    .toArray();
  return rows.flatMap((row) => {
    const result = byId.get(row._id.toHexString());
    if (result === undefined || row.lease !== result.lease) return [];
    const stored = storedEnd(row);
    return [{ row, result: stored === null ? result : { ...result, end: stored } }];
  });
}

/** Nearly all items end well with the document that was announced: those of one outcome are one statement. */
function itemUpdates(held: readonly HeldItem[], job: JobRow, now: Date): AnyBulkWriteOperation<JobItemRow>[] {
  const alike = new Map<ItemOutcome | null, HeldItem[]>();
  const others: HeldItem[] = [];
  for (const one of held) {
    const { end } = one.result;
    if (end.ended !== 'WELL' || end.documentId !== (one.row.document_id?.toHexString() ?? null)) {
      others.push(one);
      continue;
    }
    const same = alike.get(end.outcome);
    if (same === undefined) alike.set(end.outcome, [one]);
    else same.push(one);
  }
  return [
    ...[...alike].map(([outcome, same]) => ({
      updateMany: {
        filter: { _id: { $in: same.map(({ row }) => row._id) } },
        update: {
          $set: { state: 'SUCCEEDED' as const, outcome, error: null, ended_at: now },
          $unset: { lease: 1 as const, claimable_at: 1 as const, payload: 1 as const, stored: 1 as const },
        },
      },
    })),
    ...others.map(({ row, result }) => itemUpdate(row._id, result, job, now)),
  ];
}

function itemUpdate(id: ObjectId, { end }: ItemResult, job: JobRow, now: Date): AnyBulkWriteOperation<JobItemRow> {
  const update = (set: Partial<JobItemRow>, unset: { claimable_at?: 1; payload?: 1; stored?: 1 }) => ({
    updateOne: { filter: { _id: id }, update: { $set: set, $unset: { lease: 1 as const, ...unset } } },
  });
  const ended = { ended_at: now };
  if (end.ended === 'WELL') {
    const document_id = end.documentId === null ? null : parseObjectId(end.documentId);
    const set = { state: 'SUCCEEDED', outcome: end.outcome, document_id, error: null, ...ended } as const;
    return update(set, { claimable_at: 1, payload: 1, stored: 1 });
  }
  if (end.ended === 'FAILED') {
    const error = { ...end.error, message: shortened(end.error.message) };
    return update({ state: 'FAILED', error, ...ended }, { claimable_at: 1 });
  }
  if (job.cancel_requested_at) return update({ state: 'CANCELLED', ...ended }, { claimable_at: 1, payload: 1 });
  return update(
    {
      state: 'QUEUED',
      claimable_at: new Date(now.getTime() + end.afterMs),
      // It was given back on purpose, so what interrupted it before is forgiven.
      ...(!end.isInterruption && { attempts: 0 }),
    },
    {},
  );
}

function countsOf(held: readonly HeldItem[], job: JobRow): EndedCounts {
  const count = (ended: ItemResult['end']['ended']) => held.filter(({ result }) => result.end.ended === ended).length;
  return { done: count('WELL'), failed: count('FAILED'), cancelled: job.cancel_requested_at ? count('NOT_YET') : 0 };
}

/** A document without a version becomes FAILED; one that has some keeps being served, and says what went wrong. */
async function noteOnDocuments(
  database: Database,
  job: JobRow,
  held: readonly HeldItem[],
  session: ClientSession,
): Promise<void> {
  const updates: AnyBulkWriteOperation<DocumentRow>[] = held.flatMap(({ row, result: { end } }) => {
    if (end.ended !== 'FAILED' || row.document_id === null || job.owner === null) return [];
    const last_error = shortened(end.error.message);
    const document = { _id: row.document_id, owner: job.owner };
    const pending = [
      {
        updateOne: {
          filter: { ...document, version: 0, pending_jobs: [job._id] },
          update: { $set: { status: 'FAILED' as const, last_error, pending_jobs: [] } },
        },
      },
      // It stays PENDING for the others.
      {
        updateOne: {
          filter: { ...document, version: 0, pending_jobs: job._id, 'pending_jobs.1': { $exists: true } },
          update: { $pull: { pending_jobs: job._id } },
        },
      },
    ];
    // A conflict says something about who asked, not about the document.
    if (end.error.code === 'CONFLICT' || end.error.code === 'UNAUTHENTICATED') return pending;
    return [
      ...pending,
      { updateOne: { filter: { ...document, version: { $gt: 0 } }, update: { $set: { last_error } } } },
    ];
  });
  if (updates.length > 0) await database.documents.bulkWrite(updates, { session, ordered: false });
  // The document that was announced got another title meanwhile: what was stored is another one.
  const announced = held.flatMap(({ row: { document_id }, result: { end } }) =>
    end.ended === 'WELL' && document_id !== null && end.documentId !== document_id.toHexString() ? [document_id] : [],
  );
  if (announced.length > 0) await dropPending(database, job._id, announced, session);
}

async function putBack(
  database: Database,
  job: JobRow,
  held: readonly HeldItem[],
  now: Date,
  session: ClientSession,
): Promise<void> {
  const back = held.filter(({ result }) => result.end.ended === 'NOT_YET');
  if (back.length === 0) return;
  if (job.cancel_requested_at) {
    const ids = back.flatMap(({ row }) => row.document_id ?? []);
    await dropPending(database, job._id, ids, session);
    return;
  }
  const waits = back.map(({ result: { end } }) => (end.ended === 'NOT_YET' ? end.afterMs : 0));
  const due_at = new Date(now.getTime() + Math.min(...waits));
  await announceItems(database, job, due_at, session);
}

/** What ended well is not run again; what failed may be, as long as the job is kept. */
async function disposePayloads(database: Database, ended: readonly HeldItem[], session?: ClientSession): Promise<void> {
  const ids = ended
    .filter(({ row, result }) => result.end.ended === 'WELL' && row.payload_bytes > INLINE_PAYLOAD_BYTES)
    .map(({ row }) => row._id);
  if (ids.length > 0) await database.jobPayloads.deleteMany({ item_id: { $in: ids } }, session ? { session } : {});
}

function shortened(message: string): string {
  return message.slice(0, MAX_MESSAGE_LENGTH).toWellFormed();
}

function byJob(results: readonly ItemResult[]): Map<ObjectId, ItemResult[]> {
  const groups = new Map<string, ItemResult[]>();
  for (const result of results) groups.set(result.jobId, [...(groups.get(result.jobId) ?? []), result]);
  return new Map(
    [...groups].flatMap(([id, group]) => {
      const jobId = parseObjectId(id);
      return jobId === null ? [] : [[jobId, group] as const];
    }),
  );
}
