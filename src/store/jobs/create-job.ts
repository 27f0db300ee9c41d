import { ObjectId } from 'mongodb';
import { AppError, Refusal } from '../../errors.js';
import type { Clock } from '../clock.js';
import type { Database } from '../database.js';
import { parseObjectId } from '../object-id.js';
import type { Filterable } from '../records.js';
import type { Operator, Scope } from '../scope.js';
import { normalizeTitle } from '../title.js';
import { inTransaction } from '../transaction.js';
import { JOB_RETENTION_MS, type JobQuota } from './job-limits.js';
import type { NewJob, NewJobItem } from './job-records.js';
import { jobRecord } from './job-row-records.js';
import type { JobItemRow, JobRow } from './job-rows.js';
import { endedState } from './job-state.js';
import type { JobWrites } from './job-store.js';
import { isInline, newItemRow } from './new-item-row.js';
import { insertPayloads } from './payloads.js';
import { acceptDocuments, documentsTitled, type FoundDocument } from './pending-documents.js';
import { removeJob } from './remove-job.js';
import { announceWork } from './turns.js';

/** Items that are stored at once while a job is filled: what bounds memory, whatever the stream brings. */
const BATCH_ITEMS = 500;
const BATCH_BYTES = 4 * 1024 * 1024;

export interface CreateJobOptions {
  readonly clock: Clock;
  readonly filterable: Filterable;
  readonly quota: JobQuota;
}

export function jobCreator(database: Database, options: CreateJobOptions): Pick<JobWrites, 'createJob'> {
  return {
    async createJob(actor, job) {
      const scope = isScope(actor) ? actor : null;
      const used = await usedBy(database, scope?.owner ?? null);
      const row = newRow(scope, job, options.clock());
      if (used.jobs >= options.quota.jobs) throw overQuota(`${options.quota.jobs} unfinished jobs`);
      await database.jobs.insertOne(row);
      try {
        for await (const batch of batchesOf(job.items)) {
          const added = await addItems(database, scope, row, batch, options);
          requireRoom(used, added, options.quota);
          Object.assign(row, added);
        }
        if (row.total === 0) throw new Refusal('INVALID', 'A job needs at least one item, got none', null);
        return jobRecord(await seal(database, row, options.clock));
      } catch (error) {
        // Where the database is what failed, the sweep comes to it later.
        await removeJob(database, row._id).catch(() => {});
        throw error;
      }
    },
  };
}

type Counts = Pick<JobRow, 'total' | 'failed' | 'payload_bytes'>;

function isScope(actor: Scope | Operator): actor is Scope {
  return 'owner' in actor;
}

function newRow(scope: Scope | null, { kind, spec = {}, apiKeyId }: NewJob, now: Date): JobRow {
  return {
    _id: new ObjectId(),
    owner: scope?.owner ?? null,
    agents: scope?.agents ? [...scope.agents] : null,
    api_key_id: apiKeyId === null ? null : parseObjectId(apiKeyId),
    kind,
    spec,
    state: 'QUEUED',
    total: 0,
    done: 0,
    failed: 0,
    cancelled: 0,
    payload_bytes: 0,
    created_at: now,
    started_at: null,
    finished_at: null,
    filling_at: now,
    due_at: now,
    generation: 0,
    served_at: now,
  };
}

async function addItems(
  database: Database,
  scope: Scope | null,
  job: JobRow,
  batch: readonly NewJobItem[],
  { clock, filterable }: CreateJobOptions,
): Promise<Counts> {
  const now = clock();
  const documents = batch.flatMap(({ document }) => document ?? []);
  const announced = scope && (await acceptDocuments(database, documents, { scope, jobId: job._id, filterable, now }));
  const found = new Map([...(await titledBy(database, scope, batch)), ...(announced ?? [])]);
  const rows = batch.map((item, index) => newItemRow(job._id, job.total + index, item, found, now));
  const large = batch.flatMap(({ payload, refused }, index) =>
    refused || isInline(payload) ? [] : [{ itemId: (rows[index] as JobItemRow)._id, bytes: payload }],
  );
  await insertPayloads(database, job._id, large);
  await database.jobItems.insertMany(rows, { ordered: false });
  const counts: Counts = {
    total: job.total + rows.length,
    failed: job.failed + rows.filter(({ state }) => state === 'FAILED').length,
    payload_bytes: job.payload_bytes + rows.reduce((sum, row) => sum + row.payload_bytes, 0),
  };
  const kept = await database.jobs.updateOne(
    { _id: job._id, filling_at: { $exists: true } },
    { $set: { ...counts, filling_at: now } },
  );
  if (kept.matchedCount === 0)
    throw new AppError('DEADLINE_EXCEEDED', 'The items of the job came too slowly, and it was given up; try again');
  return counts;
}

async function titledBy(
  database: Database,
  scope: Scope | null,
  batch: readonly NewJobItem[],
): Promise<ReadonlyMap<string, FoundDocument>> {
  const keys = batch.flatMap(({ title, refused }) => (title === undefined || refused ? [] : [normalizeTitle(title)]));
  return scope === null || keys.length === 0 ? new Map() : await documentsTitled(database, scope, keys);
}

/** From here on the job is seen and run. */
async function seal(database: Database, job: JobRow, clock: Clock): Promise<JobRow> {
  const now = clock();
  const ended = endedState(job);
  return await inTransaction(database, async (session) => {
    const sealed = await database.jobs.findOneAndUpdate(
      { _id: job._id, filling_at: { $exists: true } },
      {
        $set: {
          due_at: now,
          ...(ended === null
            ? { runnable: true as const }
            : {
                state: ended,
                started_at: now,
                finished_at: now,
                expires_at: new Date(now.getTime() + JOB_RETENTION_MS),
              }),
        },
        $unset: { filling_at: 1 },
        $inc: { generation: 1 },
      },
      { session, returnDocument: 'after' },
    );
    if (sealed === null) throw new AppError('DEADLINE_EXCEEDED', 'The job was given up before it was complete');
    if (ended === null) await announceWork(database, job.owner, now, session);
    return sealed;
  });
}

/** What an owner has unfinished. */
async function usedBy(database: Database, owner: string | null): Promise<JobQuota> {
  const used = { jobs: 0, items: 0, payloadBytes: 0 };
  const rows = database.jobs
    .find({ owner, finished_at: null })
    .project<Pick<JobRow, 'total' | 'done' | 'failed' | 'cancelled' | 'payload_bytes'>>({
      total: 1,
      done: 1,
      failed: 1,
      cancelled: 1,
      payload_bytes: 1,
    });
  for await (const { total, done, failed, cancelled, payload_bytes } of rows) {
    used.jobs++;
    used.items += total - done - failed - cancelled;
    used.payloadBytes += payload_bytes;
  }
  return used;
}

function requireRoom(used: JobQuota, added: Counts, quota: JobQuota): void {
  if (used.items + added.total > quota.items) throw overQuota(`${quota.items} unfinished items of jobs`);
  if (used.payloadBytes + added.payload_bytes > quota.payloadBytes)
    throw overQuota(`${quota.payloadBytes} bytes that jobs are to be run with`);
}

function overQuota(most: string): Refusal {
  return new Refusal('QUOTA_EXCEEDED', `An owner may have at most ${most}: wait until some have ended`, null);
}

async function* batchesOf(items: NewJob['items']): AsyncGenerator<NewJobItem[]> {
  let batch: NewJobItem[] = [];
  let bytes = 0;
  for await (const item of items) {
    batch.push(item);
    bytes += item.payload.length;
    if (batch.length < BATCH_ITEMS && bytes < BATCH_BYTES) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}
