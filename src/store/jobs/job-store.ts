import type { Alongside } from '../alongside.js';
import type { Page } from '../records.js';
import type { Operator, Scope } from '../scope.js';
import type {
  ClaimedBatch,
  ItemResult,
  JobItemRecord,
  JobItemState,
  JobPrincipal,
  JobProgress,
  JobRecord,
  JobState,
  NewJob,
  NewJobItem,
} from './job-records.js';

/**
 * Who looks at jobs: an owner's scope, and the operator's own jobs too where the caller is one. Credentials bound to
 * agents see jobs of credentials that were bound to no others.
 */
export interface JobViewer {
  readonly scope: Scope;
  readonly operator: Operator | null;
}

/** Jobs as callers meet them. A job out of sight behaves like an absent one. */
export interface JobReads {
  job(viewer: JobViewer, id: string): Promise<JobRecord | null>;
  /** Latest first. */
  listJobs(
    viewer: JobViewer,
    args: { states?: readonly JobState[]; first: number; after?: string },
  ): Promise<Page<JobRecord>>;
  countJobs(viewer: JobViewer, states?: readonly JobState[]): Promise<number>;
  /** In the order given. Empty for a job out of sight. */
  listJobItems(
    viewer: JobViewer,
    jobId: string,
    args: { states?: readonly JobItemState[]; first: number; after?: string },
  ): Promise<Page<JobItemRecord>>;
  countJobItems(viewer: JobViewer, jobId: string, states?: readonly JobItemState[]): Promise<number>;
}

export interface JobWrites {
  /**
   * Stores a job with its items, then lets it be run. An owner's job takes the scope's owner and agents.
   * `Refusal` QUOTA_EXCEEDED when the owner has too much queued, INVALID without items.
   */
  createJob(actor: Scope | Operator, job: NewJob): Promise<JobRecord>;
  /**
   * Takes what has not started out of the queue; what runs goes on. Null: out of sight. `Refusal` CONFLICT for a job
   * that has ended otherwise.
   */
  cancelJob(viewer: JobViewer, id: string): Promise<JobRecord | null>;
  /**
   * Queues the failed items again, from now on under the caller's API key (never with more agents than before). Null:
   * out of sight. `Refusal` CONFLICT where nothing failed.
   */
  retryJob(viewer: JobViewer, id: string, caller: { apiKeyId: string | null }): Promise<JobRecord | null>;
}

/** What the runner of a server asks. Any number of servers may run the jobs of one database. */
export interface JobWork {
  /** The next owner's next items, leased; null: nothing can be claimed now. */
  claimItems(
    operator: Operator,
    options: {
      maxItems: number;
      /** Of payloads; one item at least is claimed. */
      maxBytes: number;
      leaseMs: number;
      /** The lease, where the caller has to know it even if the answer is lost; one for each claim. */
      lease?: string;
      /** Owners that are passed over: this server has enough of theirs. '' is the operator. */
      exceptOwners?: readonly string[];
    },
  ): Promise<ClaimedBatch | null>;
  /** Puts back what a claim leased whose answer was lost. */
  releaseLease(operator: Operator, lease: string): Promise<void>;
  /** What items are run with that have larger payloads, by item id; those that are gone are left out. */
  readPayloads(operator: Operator, itemIds: readonly string[]): Promise<ReadonlyMap<string, Buffer>>;
  /** Extends leases; returns the items that are no longer held. */
  renewLeases(
    operator: Operator,
    held: readonly { itemId: string; lease: string }[],
    leaseMs: number,
  ): Promise<readonly string[]>;
  /** How far long items of jobs are; null: none of that job runs any more. By job id. */
  noteProgress(operator: Operator, notes: ReadonlyMap<string, JobProgress | null>): Promise<void>;
  /** Notes on a leased item what is stored for it, with that. Where the lease was lost, nothing is stored (`CalledOff`). */
  noteStored(operator: Operator, held: { itemId: string; lease: string }): Alongside;
  /**
   * Notes how items ended, with their job's counts and state, in one transaction per job. Those whose lease was lost
   * are passed over: somebody else runs them. An item of which something was stored ends with that, whatever came after.
   */
  endItems(operator: Operator, results: readonly ItemResult[]): Promise<void>;
  /** Up to which mark a job was extended; null: never. */
  extendedTo(operator: Operator, jobId: string): Promise<string | null>;
  /**
   * Adds items to a job that runs, which has come to the mark `from`, and moves it to `to`; items with small payloads that
   * store no documents. False, and nothing is added, where the job is at another mark, or is cancelled or has ended.
   */
  extendJob(
    operator: Operator,
    jobId: string,
    extension: { from: string | null; to: string; items: readonly NewJobItem[] },
  ): Promise<boolean>;
  /** Items of a job, the one at `position` not counted, that wait or run. */
  unfinishedItems(operator: Operator, jobId: string, position: number): Promise<number>;
  /** The credentials that made the job are still good. */
  isPrincipalValid(operator: Operator, principal: JobPrincipal): Promise<boolean>;
  /** Finishes what crashes and time left: jobs never sealed, cancellations cut short, jobs past their retention. */
  sweepJobs(operator: Operator): Promise<void>;
  /** Of these the cancellations alone, which somebody waits for: what a dead worker held, once its lease has ended. */
  sweepCancelled(operator: Operator): Promise<void>;
}

export interface JobStore extends JobReads, JobWrites, JobWork {}
