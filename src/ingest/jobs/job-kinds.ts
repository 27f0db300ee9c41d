import type { Alongside } from '../../store/alongside.js';
import type { ItemOutcome, ItemProgress, JobSpec, QueuedOn } from '../../store/jobs/job-records.js';
import type { DocumentRecord } from '../../store/records.js';
import type { Operator, Scope } from '../../store/scope.js';

/** An item in the hands of this server, with what it is run with. */
export interface ClaimedItem {
  readonly id: string;
  readonly jobId: string;
  readonly name: string;
  /** Position in the job, from 0. */
  readonly position: number;
  readonly spec: JobSpec;
  readonly payload: Buffer;
  /** The document of the item as it was read with the others of its batch, a moment ago; null: none is known. */
  readonly document?: DocumentRecord | null;
  /** The document of its title as it was when the item was queued: what was written since is newer. */
  readonly queuedOn?: QueuedOn | null;
  /** A worker died or lost its lease in the middle of it. */
  readonly wasInterrupted?: boolean;
}

export interface ItemDone {
  readonly outcome: ItemOutcome | null;
  readonly documentId: string | null;
  /** The item ends when this does; nothing else waits for it. It may not fail. */
  readonly settled?: Promise<void>;
}

/** Not now: the item goes back to the queue, e.g. because others of its job have to end first. */
export interface ItemPostponed {
  readonly postponeMs: number;
}

/** Of items that store documents. */
export interface ScopeContext extends ItemContext {
  readonly scope: Scope;
  /** Given to the store with the document: the item's note of it, without which a crash right after would run it again. */
  readonly alongside: Alongside;
  /** Shown to whoever watches the job, while the item runs for long. */
  readonly onProgress?: (progress: ItemProgress) => void;
}

interface ItemContext {
  /** Aborted when the server stops and has waited long enough, or the item's lease is lost. */
  readonly signal: AbortSignal;
}

/**
 * How the items of a kind are run. At least once, until what they store is noted on them (`alongside`), so running one again must be safe; several at the same time, also of
 * one job. What is thrown ends the item: a `Refusal` and an `AppError` with their code, anything else masked.
 */
export type JobKindWork =
  | {
      readonly kind: 'INGEST' | 'IMPORT';
      runItem(item: ClaimedItem, context: ScopeContext): Promise<ItemDone | ItemPostponed>;
      /** What an item that was stored already, by a worker that died then, still has to wait for. It may not fail. */
      settle?(item: ClaimedItem, stored: { documentId: string; version: number }, scope: Scope): Promise<void>;
    }
  | {
      readonly kind: 'REEMBED';
      runItem(
        item: ClaimedItem,
        context: ItemContext & { readonly operator: Operator },
      ): Promise<ItemDone | ItemPostponed>;
    };
