import type { Binary, ObjectId } from 'mongodb';
import type { ItemError, ItemOutcome, JobItemState, JobKind, JobProgress, JobSpec, JobState } from './job-records.js';

export interface JobRow {
  _id: ObjectId;
  /** null: the operator's. */
  owner: string | null;
  /** The agents that the creator's credentials were bound to; null: unbound. */
  agents: string[] | null;
  api_key_id: ObjectId | null;
  kind: JobKind;
  spec: JobSpec;
  state: JobState;
  total: number;
  done: number;
  failed: number;
  cancelled: number;
  payload_bytes: number;
  created_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
  /** Items are still being added; the time is a heartbeat. Absent once the job is sealed, and only then it is seen. */
  filling_at?: Date;
  /** Items may be claimed: sealed, neither cancelled nor ended. Absent otherwise. */
  runnable?: true;
  /** Nothing of it can be claimed before. */
  due_at: Date;
  /** Grows whenever items become claimable, so that "nothing to do" is not noted over something new. */
  generation: number;
  /** Of an owner's jobs the one served least lately is next. */
  served_at: Date;
  cancel_requested_at?: Date;
  /** Of a long item that runs; a dead server's stays until somebody goes on. */
  progress?: JobProgress;
  /** Of a job that finds out what there is to do while it runs: how far it is with that. What it says is the kind's business. */
  extended_to?: string;
  /** When an ended job may be forgotten. */
  expires_at?: Date;
}

export interface JobItemRow {
  _id: ObjectId;
  job_id: ObjectId;
  position: number;
  name: string;
  state: JobItemState;
  /** QUEUED: since when it may be claimed. RUNNING: when the lease ends. Absent once ended. */
  claimable_at?: Date;
  /** Which claim holds it. */
  lease?: string;
  /** Claims that have not come to an end: a worker died with it so often. */
  attempts: number;
  payload_bytes: number;
  /** Once it has ended. */
  outcome: ItemOutcome | null;
  document_id: ObjectId | null;
  /** The document of its title as it was then, see `QueuedOn`. */
  queued_on?: { document_id: ObjectId | null; version: number; revision: number; at: Date };
  /** What was stored for it, before it has ended: noted with the version itself. */
  stored?: { outcome: ItemOutcome; document_id: ObjectId; version: number };
  error: ItemError | null;
  ended_at?: Date;
  /** A small payload; larger ones lie in rows of their own. Nobody but who claims the item reads it. */
  payload?: Binary;
}

export interface JobPayloadRow {
  _id: ObjectId;
  job_id: ObjectId;
  item_id: ObjectId;
  part: number;
  bytes: Binary;
}

/** Whose turn it is: one row per owner with unfinished work. */
export interface JobTurnRow {
  /** "owner:" and the owner, or "operator". */
  _id: string;
  owner: string | null;
  served_at: Date;
  due_at: Date;
  generation: number;
}
