import { randomUUID } from 'node:crypto';
import type { ClientSession, ObjectId } from 'mongodb';
import type { Clock } from '../clock.js';
import type { Database } from '../database.js';
import { parseObjectId } from '../object-id.js';
import { tryTransaction } from '../transaction.js';
import type { ClaimedBatch } from './job-records.js';
import { claimedBatch } from './job-row-records.js';
import type { JobItemRow, JobRow, JobTurnRow } from './job-rows.js';
import type { JobWork } from './job-store.js';
import { parkTurn, takeTurn } from './turns.js';
import { LOCK_WAIT_MS, unlessLocked } from './unless-locked.js';

/** An item that workers died with so often is claimed by itself, so that it takes no others along. */
const SUSPECT_INTERRUPTIONS = 3;
/** Owners or jobs that are looked at for one claim, when those before turn out to have nothing. */
const MAX_LOOKS = 50;

/** When what a dead worker's transaction locks is looked at again. */
const LOCKED_PAUSE_MS = 1_000;

type ClaimOptions = Parameters<JobWork['claimItems']>[1];

/**
 * Leases items one batch at a time: the owner served least lately, of its jobs the one served least lately, of that the
 * items that have waited longest, those of dead workers included. A lease is a time in the item's row, so it needs no
 * keeper, and `claimable_at` is what a queued item and one whose lease ends have in common.
 */
export function itemClaimer(database: Database, clock: Clock): Pick<JobWork, 'claimItems' | 'renewLeases'> {
  return {
    async claimItems(_operator, options) {
      for (let look = 0; look < MAX_LOOKS; look++) {
        const now = clock();
        const turn = await takeTurn(database, now, options.exceptOwners ?? []);
        if (turn === null) return null;
        const batch = await claimOfOwner(database, turn, now, options);
        if (batch !== null) return batch;
      }
      return null;
    },

    async renewLeases(_operator, held, leaseMs) {
      const until = new Date(clock().getTime() + leaseMs);
      const lost: string[] = [];
      for (const [lease, itemIds] of byLease(held)) {
        const ids = itemIds.flatMap((id) => parseObjectId(id) ?? []);
        const ours = { _id: { $in: ids }, lease };
        const renewed = await database.jobItems.updateMany(ours, { $set: { claimable_at: until } });
        if (renewed.matchedCount === ids.length) continue;
        const still = await database.jobItems.find(ours).project<Pick<JobItemRow, '_id'>>({ _id: 1 }).toArray();
        const kept = new Set(still.map(({ _id }) => _id.toHexString()));
        lost.push(...itemIds.filter((id) => !kept.has(id)));
      }
      return lost;
    },
  };
}

async function claimOfOwner(
  database: Database,
  turn: JobTurnRow,
  now: Date,
  options: ClaimOptions,
): Promise<ClaimedBatch | null> {
  const runnable = { owner: turn.owner, runnable: true as const };
  const locked: ObjectId[] = [];
  for (let look = 0; look < MAX_LOOKS; look++) {
    const due = { ...runnable, due_at: { $lte: now }, ...(locked.length > 0 && { _id: { $nin: locked } }) };
    const job = await unlessLocked(
      database.jobs.findOneAndUpdate(
        due,
        { $set: { served_at: now } },
        { sort: { served_at: 1 }, maxTimeMS: LOCK_WAIT_MS },
      ),
    );
    if (job === 'LOCKED') {
      const stuck = await database.jobs.find(due).sort({ served_at: 1 }).limit(1).next();
      if (stuck === null) break;
      locked.push(stuck._id);
      continue;
    }
    if (job === null) break;
    const batch = await claimOfJob(database, job, now, options);
    if (batch !== null) return batch;
  }
  const next = await database.jobs.find(runnable).sort({ due_at: 1 }).limit(1).next();
  const soon = new Date(now.getTime() + LOCKED_PAUSE_MS);
  await parkTurn(
    database,
    turn,
    locked.length > 0 && next !== null && next.due_at < soon ? soon : (next?.due_at ?? null),
  );
  return null;
}

async function claimOfJob(
  database: Database,
  job: JobRow,
  now: Date,
  { maxItems, maxBytes, leaseMs, lease = randomUUID() }: ClaimOptions,
): Promise<ClaimedBatch | null> {
  const due = { job_id: job._id, claimable_at: { $lte: now } };
  const until = new Date(now.getTime() + leaseMs);
  // What a dead worker left comes first: somebody has waited for it, and the sooner it is done, the less likely it meets
  // the next accident too.
  const left = await database.jobItems
    .find({ ...due, state: 'RUNNING' })
    .limit(maxItems)
    .toArray();
  let items = await leaseLeft(database, fittingItems(left, maxBytes), { lease, now, until });
  if (items.length === 0) {
    const queued = await database.jobItems
      .find({ ...due, state: 'QUEUED' })
      .sort({ claimable_at: 1 })
      .limit(maxItems)
      .toArray();
    if (queued.length === 0) {
      await noteNothingDue(database, job, now, left.length > 0 ? new Date(now.getTime() + LOCKED_PAUSE_MS) : until);
      return null;
    }
    items = await leaseItems(database, fittingItems(queued, maxBytes), { lease, now, until });
  }
  if (items.length === 0) return null;
  if (job.state === 'QUEUED')
    await database.jobs.updateOne(
      { _id: job._id, state: 'QUEUED' },
      { $set: { state: 'RUNNING', started_at: job.started_at ?? now } },
    );
  return claimedBatch(job, lease, items);
}

interface Lease {
  readonly lease: string;
  readonly now: Date;
  readonly until: Date;
}

/** Those that are ours now: another worker may be faster with some. */
async function leaseItems(
  database: Database,
  wanted: readonly JobItemRow[],
  { lease, now, until }: Lease,
  session?: ClientSession,
): Promise<readonly JobItemRow[]> {
  const ids = wanted.map(({ _id }) => _id);
  const within = session ? { session } : {};
  const claimed = await database.jobItems.updateMany(
    { _id: { $in: ids }, claimable_at: { $lte: now } },
    { $set: { state: 'RUNNING', lease, claimable_at: until }, $inc: { attempts: 1 } },
    within,
  );
  if (claimed.modifiedCount === ids.length) return wanted;
  const rows = await database.jobItems
    .find({ _id: { $in: ids }, lease }, within)
    .project<Pick<JobItemRow, '_id'>>({ _id: 1 })
    .toArray();
  const ours = new Set(rows.map(({ _id }) => _id.toHexString()));
  return wanted.filter(({ _id }) => ours.has(_id.toHexString()));
}

/**
 * Of items that a dead worker had. It may have died in a transaction that notes something on them, which the database keeps
 * open for up to a minute, and a plain update would wait for that: so this is tried in a transaction, which does not, and
 * what is locked stays for later.
 */
async function leaseLeft(
  database: Database,
  left: readonly JobItemRow[],
  lease: Lease,
): Promise<readonly JobItemRow[]> {
  if (left.length === 0) return [];
  let items: readonly JobItemRow[] = [];
  const isFree = await tryTransaction(database, async (session) => {
    items = await leaseItems(database, left, lease, session);
  });
  if (isFree) return items;
  if (left.length === 1) return [];
  const half = Math.ceil(left.length / 2);
  return [
    ...(await leaseLeft(database, left.slice(0, half), lease)),
    ...(await leaseLeft(database, left.slice(half), lease)),
  ];
}

/** As many from the front as the bytes allow, one at least; suspects alone. */
export function fittingItems<T extends Pick<JobItemRow, 'payload_bytes' | 'attempts'>>(
  waiting: readonly T[],
  maxBytes: number,
): readonly T[] {
  const [first] = waiting;
  if (first === undefined || first.attempts >= SUSPECT_INTERRUPTIONS) return waiting.slice(0, 1);
  let bytes = 0;
  const end = waiting.findIndex((item, index) => {
    bytes += item.payload_bytes;
    return index > 0 && (bytes > maxBytes || item.attempts >= SUSPECT_INTERRUPTIONS);
  });
  return end < 0 ? waiting : waiting.slice(0, end);
}

/** All that is left of the job is leased, or waits for its time. */
async function noteNothingDue(database: Database, job: JobRow, now: Date, atTheLatest: Date): Promise<void> {
  const next = await database.jobItems
    .find({ job_id: job._id, claimable_at: { $gt: now } })
    .sort({ claimable_at: 1 })
    .limit(1)
    .next();
  const nextAt = next?.claimable_at ?? atTheLatest;
  const due_at = nextAt < atTheLatest ? nextAt : atTheLatest;
  await database.jobs.updateOne({ _id: job._id, generation: job.generation }, { $set: { due_at } });
}

function byLease(held: readonly { itemId: string; lease: string }[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const { itemId, lease } of held) groups.set(lease, [...(groups.get(lease) ?? []), itemId]);
  return groups;
}
