import { AppError } from '../../errors.js';
import { type Alongside, CalledOff } from '../../store/alongside.js';
import type { ItemEnd, ItemProgress } from '../../store/jobs/job-records.js';
import type { DocumentRecord } from '../../store/records.js';
import type { Operator, Scope } from '../../store/scope.js';
import type { HeldItem } from './held-items.js';
import { itemErrorOf, MASKED } from './item-error.js';
import type { ClaimedItem, ItemDone, ItemPostponed, JobKindWork } from './job-kinds.js';

/** Workers that died with an item, before it is taken for what kills them. */
const MAX_INTERRUPTIONS = 10;
/** The database was away: how long an item waits. */
const STORE_PAUSE_MS = 2_000;

export interface RunItemParts {
  readonly kinds: ReadonlyMap<string, JobKindWork>;
  readonly operator: Operator;
  /** Throws where the credentials behind the job are no longer good. */
  scopeOf(held: HeldItem): Promise<Scope>;
  payloadOf(held: HeldItem): Promise<Buffer | null>;
  alongsideOf(held: HeldItem): Alongside;
  documentOf(held: HeldItem, scope: Scope): Promise<DocumentRecord | null>;
  onProgress(held: HeldItem, progress: ItemProgress): void;
  onError(error: unknown): void;
}

export interface Ran {
  readonly end: ItemEnd;
  readonly settled?: Promise<void>;
}

/** Runs one item and says how it ended. Never fails. */
export async function runItem(parts: RunItemParts, held: HeldItem): Promise<Ran> {
  const { signal } = held.abort;
  // Stored already, by a worker that died before it could say so: whatever was written since stays.
  if (held.item.stored !== null) return await storedBefore(parts, held, held.item.stored);
  try {
    if (held.item.interruptions >= MAX_INTERRUPTIONS) throw cutShort(held.item.interruptions);
    const done = await work(parts, held);
    if ('postponeMs' in done) return { end: { ended: 'NOT_YET', afterMs: done.postponeMs, isInterruption: false } };
    const { outcome, documentId, settled } = done;
    return { end: { ended: 'WELL', outcome, documentId }, ...(settled && { settled }) };
  } catch (error) {
    // A stop: it goes back as if nothing had been tried.
    if (signal.aborted) return { end: { ended: 'NOT_YET', afterMs: 0, isInterruption: false } };
    // The lease was lost, or an earlier write of this very item stands: as its end is written, it is seen which.
    if (error instanceof CalledOff) return { end: { ended: 'NOT_YET', afterMs: 0, isInterruption: true } };
    // Nothing is wrong with the item; that this is tried again is counted, so that it comes to an end.
    if (error instanceof AppError && error.code === 'STORE_UNAVAILABLE')
      return { end: { ended: 'NOT_YET', afterMs: STORE_PAUSE_MS, isInterruption: true } };
    const known = itemErrorOf(error);
    if (known === null) parts.onError(error);
    return { end: { ended: 'FAILED', error: known ?? MASKED } };
  }
}

/** Its end is known; what it was to wait for after it was stored is waited for all the same. */
async function storedBefore(
  parts: RunItemParts,
  held: HeldItem,
  { version, ...end }: NonNullable<HeldItem['item']['stored']>,
): Promise<Ran> {
  const kind = parts.kinds.get(held.batch.job.kind);
  const { documentId } = end;
  if (kind === undefined || kind.kind === 'REEMBED' || kind.settle === undefined || documentId === null) return { end };
  try {
    const scope = await parts.scopeOf(held);
    return { end, settled: kind.settle(await claimedItem(parts, held, null), { documentId, version }, scope) };
  } catch {
    // The key is gone, or the database away: that it is stored stands.
    return { end };
  }
}

async function work(parts: RunItemParts, held: HeldItem): Promise<ItemDone | ItemPostponed> {
  const { batch, abort } = held;
  const kind = parts.kinds.get(batch.job.kind);
  if (kind === undefined) throw new TypeError(`No work is known for jobs of kind ${batch.job.kind}`);
  const { signal } = abort;
  if (kind.kind === 'REEMBED')
    return await kind.runItem(await claimedItem(parts, held, null), { operator: parts.operator, signal });
  // Before the payload is read: what a revoked key left behind is not even looked at.
  const scope = await parts.scopeOf(held);
  return await kind.runItem(await claimedItem(parts, held, scope), {
    scope,
    signal,
    alongside: parts.alongsideOf(held),
    onProgress: (progress) => parts.onProgress(held, progress),
  });
}

async function claimedItem(parts: RunItemParts, held: HeldItem, scope: Scope | null): Promise<ClaimedItem> {
  const { batch, item } = held;
  const payload = await parts.payloadOf(held);
  if (payload === null) throw new AppError('DEADLINE_EXCEEDED', 'What the item is run with is no longer kept');
  const { id, name, position, interruptions, queuedOn } = item;
  const document = scope && (await parts.documentOf(held, scope));
  return {
    id,
    jobId: batch.job.id,
    name,
    position,
    spec: batch.job.spec,
    payload,
    document,
    queuedOn,
    wasInterrupted: interruptions > 0,
  };
}

function cutShort(times: number): AppError {
  return new AppError('DEADLINE_EXCEEDED', `The item was cut short ${times} times, and is given up`, {
    details: { retryable: true },
  });
}
