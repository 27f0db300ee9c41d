import type { RefusalCode } from '../../errors.js';
import type { Chunking, Metadata } from '../records.js';

/** The records of jobs that `store/` hands out and takes. Ids are 24 hex digits. */

export type JobKind = 'INGEST' | 'REEMBED' | 'IMPORT';
export type JobState = 'QUEUED' | 'RUNNING' | 'SUCCEEDED' | 'PARTIAL' | 'FAILED' | 'CANCELLED';
export type JobItemState = 'QUEUED' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';
export type ItemOutcome = 'CREATED' | 'UPDATED' | 'UNCHANGED';

/** Flat settings that all items of a job share; what they mean is the kind's business. */
export type JobSpec = Readonly<Record<string, string | number | boolean | null>>;

/** What takes a while within one item. Where its units are not named, they are the strategy's own. */
export interface ItemProgress {
  readonly phase: 'extracting' | 'chunking' | 'embedding' | 'storing' | 'indexing';
  /** Pages of a PDF, characters to be cut, chunks; 0 of 1 where nobody counts. */
  readonly done: number;
  readonly total: number;
}

/** How far the item has got that has run longest. */
export interface JobProgress extends ItemProgress {
  /** Its name. */
  readonly item: string;
  readonly at: Date;
}

export interface JobRecord {
  readonly id: string;
  readonly kind: JobKind;
  readonly state: JobState;
  readonly total: number;
  readonly done: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  /** Null: no item has run for long. */
  readonly progress: JobProgress | null;
}

/** For whom a job's items run, as it was when the job was created. Made into a `Scope` by `scopeOfJob` only. */
export interface JobPrincipal {
  /** null: the operator's own job. */
  readonly owner: string | null;
  readonly agents: readonly string[] | null;
  /** The API key that created the job; null: other credentials, which cannot be revoked one by one. */
  readonly apiKeyId: string | null;
}

export interface JobItemRecord {
  readonly id: string;
  readonly name: string;
  readonly state: JobItemState;
  readonly outcome: ItemOutcome | null;
  readonly documentId: string | null;
  readonly error: ItemError | null;
}

export interface ItemError {
  /** A `RefusalCode` or an `ErrorCode`. */
  readonly code: string;
  /** At most 2 000 characters; no document text, no secrets. */
  readonly message: string;
  readonly retryable: boolean;
}

/** What a document will be called, so that it is listed as PENDING before its first version is stored. */
export interface PendingDocument {
  readonly title: string;
  readonly mediaType: string;
  readonly sourceUri: string | null;
  readonly agentIds: readonly string[];
  readonly metadata: Metadata;
  readonly chunking: Chunking;
}

export interface NewJobItem {
  /** What people see of it, e.g. the title. Cut to 512 characters. */
  readonly name: string;
  /** What the item is run with, of any size; a large one apart in parts of at most 1 MiB; deleted when the item ends well. */
  readonly payload: Uint8Array;
  /** The title that it will be stored under, where `document` does not say it. */
  readonly title?: string;
  /** The document that the item will make: listed as PENDING where the title is new. */
  readonly document?: PendingDocument;
  /** It was refused already: it is stored as FAILED, so that the rest is not held up. */
  readonly refused?: { readonly code: RefusalCode; readonly message: string };
}

export interface NewJob {
  readonly kind: JobKind;
  readonly spec?: JobSpec;
  /** The API key of who asks, if it was one. */
  readonly apiKeyId: string | null;
  /**
   * Nothing runs before the last one is stored; when the iteration throws, nothing of the job is left. At least one,
   * else `Refusal` INVALID.
   */
  readonly items: Iterable<NewJobItem> | AsyncIterable<NewJobItem>;
}

/** The document of an item's title as it was when that was queued: what was stored since came later. */
export interface QueuedOn {
  /** Null: there was none, or none that a deletion could be told from. */
  readonly documentId: string | null;
  /** 0: there was none. */
  readonly version: number;
  readonly revision: number;
  readonly at: Date;
}

/** Items of one job that this worker holds until `leaseUntil`, unless it renews. */
export interface ClaimedBatch {
  readonly job: {
    readonly id: string;
    readonly kind: JobKind;
    readonly spec: JobSpec;
    readonly principal: JobPrincipal;
  };
  readonly lease: string;
  readonly items: readonly {
    readonly id: string;
    readonly name: string;
    /** Position in the job, from 0. */
    readonly position: number;
    readonly documentId: string | null;
    readonly payloadBytes: number;
    /** Where it is small; else see `readPayloads`. */
    readonly payload: Buffer | null;
    /** How often a worker died or lost its lease with the item. */
    readonly interruptions: number;
    /** Null: it stores no document under a title. */
    readonly queuedOn: QueuedOn | null;
    /** A worker stored it, and died before it could say so: that is its end. */
    readonly stored: (Extract<ItemEnd, { ended: 'WELL' }> & { readonly version: number }) | null;
  }[];
}

/** How an item ended, or when it is to be run again. */
export type ItemEnd =
  | { readonly ended: 'WELL'; readonly outcome: ItemOutcome | null; readonly documentId: string | null }
  | { readonly ended: 'FAILED'; readonly error: ItemError }
  /** It goes back to the queue: now (a stop), or after a while. `isInterruption`: that counts as a failed try. */
  | { readonly ended: 'NOT_YET'; readonly afterMs: number; readonly isInterruption: boolean };

export interface ItemResult {
  readonly jobId: string;
  readonly itemId: string;
  readonly lease: string;
  readonly end: ItemEnd;
}
