import type { ClientSession } from 'mongodb';
import type { Database } from '../database.js';
import type { JobRow, JobTurnRow } from './job-rows.js';
import { LOCK_WAIT_MS, unlessLocked } from './unless-locked.js';

/**
 * Fairness between owners: each owner with unfinished work has one row, and whoever was served least lately is next. A
 * row says when there may be something to claim; `generation` grows with each such news, and what a worker that found
 * nothing notes is guarded by it, so that no news is lost.
 */
export function turnId(owner: string | null): string {
  return owner === null ? 'operator' : `owner:${owner}`;
}

/** The owner has something to claim from `at` on. */
export async function announceWork(
  database: Database,
  owner: string | null,
  at: Date,
  session: ClientSession,
): Promise<void> {
  await database.jobTurns.updateOne(
    { _id: turnId(owner) },
    // Whoever comes anew stands at the end of the line.
    { $setOnInsert: { owner, served_at: at }, $min: { due_at: at }, $inc: { generation: 1 } },
    { upsert: true, session },
  );
}

/** Items of the job can be claimed from `at` on. */
export async function announceItems(
  database: Database,
  { _id, owner }: Pick<JobRow, '_id' | 'owner'>,
  at: Date,
  session: ClientSession,
): Promise<void> {
  await database.jobs.updateOne({ _id }, { $min: { due_at: at }, $inc: { generation: 1 } }, { session });
  await announceWork(database, owner, at, session);
}

/** The owner whose turn it is, moved to the end of the line; null: nobody has anything to claim. */
export async function takeTurn(
  database: Database,
  now: Date,
  exceptOwners: readonly string[],
): Promise<JobTurnRow | null> {
  const due = {
    due_at: { $lte: now },
    ...(exceptOwners.length > 0 && { _id: { $nin: exceptOwners.map((owner) => turnId(owner === '' ? null : owner)) } }),
  };
  // Mostly there is nothing, and a read costs the database less than a write that finds nothing.
  const [next] = await database.jobTurns.find(due).sort({ served_at: 1 }).limit(1).toArray();
  if (next === undefined) return null;
  const options = { sort: { served_at: 1 }, maxTimeMS: LOCK_WAIT_MS } as const;
  const taken = await unlessLocked(database.jobTurns.findOneAndUpdate(due, { $set: { served_at: now } }, options));
  return taken === 'LOCKED' ? await takeTurn(database, now, [...exceptOwners, next.owner ?? '']) : taken;
}

/** Nothing is to be claimed before `until`; null: the owner has no work left. */
export async function parkTurn(database: Database, turn: JobTurnRow, until: Date | null): Promise<void> {
  const unchanged = { _id: turn._id, generation: turn.generation };
  if (until === null) await database.jobTurns.deleteOne(unchanged);
  else await database.jobTurns.updateOne(unchanged, { $set: { due_at: until } });
}
