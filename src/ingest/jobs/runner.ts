import { randomUUID } from 'node:crypto';
import type { ClaimedBatch, ItemEnd } from '../../store/jobs/job-records.js';
import type { JobWork } from '../../store/jobs/job-store.js';
import type { DocumentRecord } from '../../store/records.js';
import { type Operator, operator, type Scope } from '../../store/scope.js';
import type { Store } from '../../store/store.js';
import { type HeldItem, HeldItems } from './held-items.js';
import type { JobChanges } from './job-changes.js';
import type { JobKindWork } from './job-kinds.js';
import { ResultWriter } from './result-writer.js';
import { type RunItemParts, runItem } from './run-item.js';
import { RUNNER_DEFAULTS, type RunnerOptions } from './runner-options.js';
import { RunningProgress } from './running-progress.js';
import { scopeOfJob } from './scope-of-job.js';

export interface RunnerParts {
  readonly store: JobWork & Pick<Store, 'documentsByIds'>;
  readonly kinds: readonly JobKindWork[];
  readonly changes: JobChanges;
  /** A bug in an item, or a database that is away: both are tried again. */
  readonly onError: (error: unknown) => void;
}

/**
 * Runs the items of jobs on this server, a bounded number at a time. What it holds it leases; a server that dies leaves
 * its leases to end, and others run what it had. Claims, renewals and results are made for many items at once, so that
 * a short document costs a fraction of a command beside its upsert.
 */
export class JobRunner {
  readonly #store: RunnerParts['store'];
  readonly #changes: JobChanges;
  readonly #onError: (error: unknown) => void;
  readonly #options: RunnerOptions;
  readonly #held: HeldItems;
  readonly #results: ResultWriter;
  readonly #progress = new RunningProgress();
  readonly #itemParts: RunItemParts;
  /** Of what has not run. */
  readonly #payloads = new WeakMap<ClaimedBatch, Promise<Map<string, Buffer>>>();
  readonly #documents = new WeakMap<ClaimedBatch, Promise<ReadonlyMap<string, DocumentRecord>>>();
  readonly #scopes = new WeakMap<ClaimedBatch, { readonly scope: Promise<Scope>; readonly madeAt: number }>();
  readonly #stopping = new AbortController();
  readonly #timers: NodeJS.Timeout[] = [];
  /** What an item took of a slot's time lately, on average. */
  #slotMs = CLAIM_AHEAD_MS;
  /** Of a claim that failed: whether it leased anything, nobody said. */
  #lostLease: string | null = null;
  #loop: Promise<void> | null = null;
  #wake: () => void = () => {};
  #onIdle: () => void = () => {};

  constructor({ store, kinds, changes, onError }: RunnerParts, options: Partial<RunnerOptions> = {}) {
    this.#store = store;
    this.#changes = changes;
    this.#onError = onError;
    this.#options = { ...RUNNER_DEFAULTS, ...options };
    const { slots, lightBytes, maxBatchBytes } = this.#options;
    this.#held = new HeldItems({ slots, lightBytes, heavyBytes: maxBatchBytes });
    this.#results = new ResultWriter(async (results) => {
      await store.endItems(operator as Operator, results);
      for (const { itemId, lease } of results) this.#held.release(itemId, lease);
      for (const jobId of new Set(results.map((result) => result.jobId))) changes.changed(jobId);
      this.#wake();
    }, onError);
    this.#itemParts = {
      kinds: new Map(kinds.map((kind) => [kind.kind, kind])),
      operator,
      scopeOf: (held) => this.#scopeOf(held.batch),
      payloadOf: (held) => this.#payloadOf(held),
      alongsideOf: ({ batch, item }) => store.noteStored(operator, { itemId: item.id, lease: batch.lease }),
      onProgress: (held, progress) => this.#progress.reached(held, progress),
      documentOf: (held, scope) => this.#documentOf(held, scope),
      onError,
    };
  }

  start(): void {
    this.#loop ??= this.#run();
    this.#every(this.#options.leaseMs / 3, () => this.#renew());
    this.#every(this.#options.progressMs, () => this.#noteProgress());
    this.#every(this.#options.sweepMs, () => this.#store.sweepJobs(operator));
    this.#every(this.#options.cancelSweepMs, () => this.#store.sweepCancelled(operator));
  }

  /** Something was queued. */
  wake(): void {
    this.#wake();
  }

  /** Claims no more, gives back what has not started, lets the rest finish for `drainMs`, then aborts it. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake();
    // A claim that is on its way is waited for, but not for a database that is away.
    await Promise.race([this.#loop, pause(CLAIM_GRACE_MS)]);
    for (const held of this.#held.takeWaiting())
      this.#end(held, { ended: 'NOT_YET', afterMs: 0, isInterruption: false });
    await this.#drained(this.#options.drainMs);
    for (const { abort } of this.#held.all) abort.abort();
    await this.#drained(ABORT_GRACE_MS);
    for (const timer of this.#timers) clearInterval(timer);
    await this.#results.flush();
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      // Before it is asked, so that what is queued while the answer is on its way is not slept over.
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      const claimed = this.#hasRoom() && (await this.#claim());
      if (this.#stopping.signal.aborted) return;
      this.#startItems();
      if (claimed) continue;
      await Promise.race([woken, pause(this.#options.pollMs)]);
    }
  }

  #hasRoom(): boolean {
    const { maxHeld, maxPayloadBytes } = this.#options;
    return this.#held.size < maxHeld && this.#held.payloadBytes < maxPayloadBytes;
  }

  /** True: something was claimed. */
  async #claim(): Promise<boolean> {
    const { maxBatchBytes, maxHeld, leaseMs } = this.#options;
    try {
      if (this.#lostLease !== null) await this.#store.releaseLease(operator, this.#lostLease);
      const lease = randomUUID();
      this.#lostLease = lease;
      const batch = await this.#store.claimItems(operator, {
        lease,
        maxItems: Math.min(this.#itemsAhead(), maxHeld - this.#held.size),
        maxBytes: maxBatchBytes,
        leaseMs,
        exceptOwners: this.#held.ownersWithWaiting(this.#enoughWaiting()),
      });
      this.#lostLease = null;
      if (batch === null) return false;
      this.#held.add(batch);
      this.#changes.changed(batch.job.id);
      return true;
    } catch (error) {
      this.#onError(error);
      return false;
    }
  }

  /** About a second's work, so that the last items of a slow job do not wait here while other servers have none. */
  #itemsAhead(): number {
    const { maxBatchItems, slots } = this.#options;
    return Math.min(maxBatchItems, Math.max(slots, Math.ceil((slots * CLAIM_AHEAD_MS) / this.#slotMs)));
  }

  /** The next ones are claimed before these have run. */
  #enoughWaiting(): number {
    return Math.max(this.#options.slots, Math.ceil(this.#itemsAhead() / 2));
  }

  #startItems(): void {
    for (let held = this.#held.start(); held !== null; held = this.#held.start()) void this.#runOne(held);
  }

  async #runOne(held: HeldItem): Promise<void> {
    const startedAt = performance.now();
    // Short ones are told of by their end, however slow the machine is.
    if (this.#held.shareOf(held) === 1) this.#progress.begun(held);
    const { end, settled } = await runItem(this.#itemParts, held);
    this.#slotMs += ((performance.now() - startedAt) * this.#held.shareOf(held) - this.#slotMs) / SMOOTHING;
    this.#progress.ended(held);
    this.#held.stopped(held);
    if (this.#held.waiting < this.#enoughWaiting()) this.#wake();
    if (!this.#stopping.signal.aborted) this.#startItems();
    this.#onIdle();
    if (settled) await Promise.race([settled, aborted(held.abort.signal)]);
    this.#end(held, end);
  }

  #end(held: HeldItem, end: ItemEnd): void {
    // Lost meanwhile: whoever has it now says how it ended.
    if (!this.#held.has(held)) return;
    const { batch, item } = held;
    this.#results.add({ jobId: batch.job.id, itemId: item.id, lease: batch.lease, end });
  }

  async #noteProgress(): Promise<void> {
    const notes = this.#progress.notes(new Date());
    if (notes.size === 0) return;
    await this.#store.noteProgress(operator, notes);
    for (const jobId of notes.keys()) this.#changes.changed(jobId);
  }

  async #renew(): Promise<void> {
    const held = [...this.#held.all].map(({ batch, item }) => ({ itemId: item.id, lease: batch.lease }));
    if (held.length === 0) return;
    const leases = new Map(held.map(({ itemId, lease }) => [itemId, lease]));
    for (const itemId of await this.#store.renewLeases(operator, held, this.#options.leaseMs)) {
      this.#results.drop(itemId);
      this.#held.release(itemId, leases.get(itemId));
    }
  }

  /** Good for a moment: short items share it, and with slow ones a key that is revoked stops what waits of their batch. */
  #scopeOf(batch: ClaimedBatch): Promise<Scope> {
    const { principal } = batch.job;
    const { owner } = principal;
    if (owner === null) throw new TypeError('A job of the operator has no owner to run for');
    const now = performance.now();
    const known = this.#scopes.get(batch);
    if (known !== undefined && now - known.madeAt < this.#options.keyCheckMs) return known.scope;
    const scope = scopeOfJob(this.#store, operator, { ...principal, owner });
    this.#scopes.set(batch, { scope, madeAt: now });
    return scope;
  }

  /** Read for the whole batch with its first item: it is bounded, or a single item. */
  async #payloadOf({ batch, item }: HeldItem): Promise<Buffer | null> {
    if (item.payload !== null) return item.payload;
    const reading = this.#payloads.get(batch) ?? this.#readPayloads(batch);
    this.#payloads.set(batch, reading);
    const payloads = await reading;
    const payload = payloads.get(item.id) ?? null;
    payloads.delete(item.id);
    return payload;
  }

  async #readPayloads({ items }: ClaimedBatch): Promise<Map<string, Buffer>> {
    const large = items.flatMap(({ id, payload }) => (payload === null ? [id] : []));
    return new Map(await this.#store.readPayloads(operator, large));
  }

  /** Read for the whole batch too. */
  async #documentOf({ batch, item }: HeldItem, scope: Scope): Promise<DocumentRecord | null> {
    if (item.documentId === null) return null;
    const known = this.#documents.get(batch) ?? this.#readDocuments(batch, scope);
    this.#documents.set(batch, known);
    return (await known).get(item.documentId) ?? null;
  }

  async #readDocuments(batch: ClaimedBatch, scope: Scope): Promise<ReadonlyMap<string, DocumentRecord>> {
    const ids = batch.items.flatMap(({ documentId }) => documentId ?? []);
    const documents = await this.#store.documentsByIds(scope, ids);
    return new Map(documents.flatMap((document) => (document === null ? [] : [[document.id, document] as const])));
  }

  /** Resolves when nothing runs any more, or after the time. */
  async #drained(timeoutMs: number): Promise<void> {
    if (this.#held.running === 0) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      timer = setTimeout(resolve, timeoutMs);
      this.#onIdle = () => {
        if (this.#held.running === 0) resolve();
      };
    });
    clearTimeout(timer);
  }

  #every(ms: number, work: () => Promise<void>): void {
    let isRunning = false;
    const timer = setInterval(() => {
      if (isRunning) return;
      isRunning = true;
      work()
        .catch(this.#onError)
        .finally(() => {
          isRunning = false;
        });
    }, ms);
    // A process that has nothing else to do may end.
    timer.unref();
    this.#timers.push(timer);
  }
}

const CLAIM_AHEAD_MS = 1_000;
/** Items that the average looks back on. */
const SMOOTHING = 16;
/** What a stop gives a claim that is under way, before the items of it are left to the end of their leases. */
const CLAIM_GRACE_MS = 5_000;
/** What aborted items get to come to an end. */
const ABORT_GRACE_MS = 2_000;

/** Keeps no process alive. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
}
