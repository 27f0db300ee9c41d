import type { ClaimedBatch } from '../../store/jobs/job-records.js';

/** An item that this server leases: waiting for its turn, running, or waiting for its end to be written. */
export interface HeldItem {
  readonly batch: ClaimedBatch;
  readonly item: ClaimedBatch['items'][number];
  readonly abort: AbortController;
}

export interface SlotRules {
  /** Items that run at once; short documents take a part of a slot each. */
  readonly slots: number;
  /** A document with a smaller payload is short: a moment's work that then waits for the commit it shares with others. */
  readonly lightBytes: number;
  /** An item with a larger payload may not run beside another such: each is text, chunks and vectors many times over. */
  readonly heavyBytes: number;
}

/** Short documents in a slot. */
export const LIGHT_PER_SLOT = 4;

/**
 * What this server has in hand, and which of it runs next. The owner with the least running goes first, and none takes
 * the last slot while it has another, so that one owner's hour-long documents never keep all others waiting.
 */
export class HeldItems {
  readonly #rules: SlotRules;
  readonly #held = new Map<string, HeldItem>();
  readonly #waiting = new Map<string, HeldItem[]>();
  /** In parts of a slot. */
  readonly #running = new Map<string, number>();
  #partsRunning = 0;
  #heavy = 0;
  #runningCount = 0;
  #waitingCount = 0;
  #payloadBytes = 0;

  constructor(rules: SlotRules) {
    this.#rules = rules;
  }

  get all(): Iterable<HeldItem> {
    return this.#held.values();
  }

  get size(): number {
    return this.#held.size;
  }

  get running(): number {
    return this.#runningCount;
  }

  get waiting(): number {
    return this.#waitingCount;
  }

  /** Bytes of payloads in memory. */
  get payloadBytes(): number {
    return this.#payloadBytes;
  }

  /** Owners of whom enough waits here already. */
  ownersWithWaiting(atLeast: number): string[] {
    return [...this.#waiting].flatMap(([owner, items]) => (items.length >= atLeast ? [owner] : []));
  }

  add(batch: ClaimedBatch): void {
    const owner = ownerOf(batch);
    for (const item of batch.items) {
      // Its lease ended before it could be renewed, and this very server came upon it again.
      this.release(item.id);
      const held: HeldItem = { batch, item, abort: new AbortController() };
      this.#held.set(item.id, held);
      this.#waiting.set(owner, [...(this.#waiting.get(owner) ?? []), held]);
      this.#waitingCount++;
      this.#payloadBytes += item.payloadBytes;
    }
  }

  /** The next one to run, now counted as running; null: no room, or nothing that may have it. */
  start(): HeldItem | null {
    const { slots, heavyBytes } = this.#rules;
    const owners = [...this.#waiting.keys()].sort((a, b) => this.#runningOf(a) - this.#runningOf(b));
    for (const owner of owners) {
      const waiting = this.#waiting.get(owner) ?? [];
      const index = waiting.findIndex(({ item }) => this.#heavy === 0 || item.payloadBytes <= heavyBytes);
      if (index < 0) continue;
      const parts = this.#partsOf(waiting[index] as HeldItem);
      // What needs a whole slot waits for one, or short documents would pass it for ever.
      if (this.#partsRunning + parts > slots * LIGHT_PER_SLOT) return null;
      if (slots > 1 && this.#runningOf(owner) + parts > (slots - 1) * LIGHT_PER_SLOT) continue;
      const [next] = waiting.splice(index, 1) as [HeldItem];
      if (waiting.length === 0) this.#waiting.delete(owner);
      this.#waitingCount--;
      this.#runningCount++;
      this.#partsRunning += parts;
      this.#running.set(owner, this.#runningOf(owner) + parts);
      if (next.item.payloadBytes > heavyBytes) this.#heavy++;
      return next;
    }
    return null;
  }

  /** Its slot is free; it stays in hand until its end is written. */
  stopped(held: HeldItem): void {
    const { batch, item } = held;
    const parts = this.#partsOf(held);
    const left = this.#runningOf(ownerOf(batch)) - parts;
    if (left === 0) this.#running.delete(ownerOf(batch));
    else this.#running.set(ownerOf(batch), left);
    this.#runningCount--;
    this.#partsRunning -= parts;
    this.#payloadBytes -= item.payloadBytes;
    if (item.payloadBytes > this.#rules.heavyBytes) this.#heavy--;
  }

  /** The share of a slot that it takes. */
  shareOf(held: HeldItem): number {
    return this.#partsOf(held) / LIGHT_PER_SLOT;
  }

  /** Takes out what has not started. */
  takeWaiting(): HeldItem[] {
    const waiting = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    this.#waitingCount = 0;
    for (const { item } of waiting) this.#payloadBytes -= item.payloadBytes;
    return waiting;
  }

  /** Under this very lease. */
  has(held: HeldItem): boolean {
    return this.#held.get(held.item.id) === held;
  }

  /** No longer ours (under that lease, where one is given): its end is written, or it is lost. What still runs is told. */
  release(itemId: string, lease?: string): void {
    const held = this.#held.get(itemId);
    if (held === undefined || (lease !== undefined && held.batch.lease !== lease)) return;
    this.#held.delete(itemId);
    held.abort.abort();
    const owner = ownerOf(held.batch);
    const waiting = this.#waiting.get(owner);
    const index = waiting?.indexOf(held) ?? -1;
    if (waiting === undefined || index < 0) return;
    waiting.splice(index, 1);
    if (waiting.length === 0) this.#waiting.delete(owner);
    this.#waitingCount--;
    this.#payloadBytes -= held.item.payloadBytes;
  }

  #partsOf({ batch, item }: HeldItem): number {
    // What is embedded anew lies in the database: how much it is, the payload does not say.
    const isLight = item.payloadBytes < this.#rules.lightBytes && batch.job.kind !== 'REEMBED';
    return isLight ? 1 : LIGHT_PER_SLOT;
  }

  #runningOf(owner: string): number {
    return this.#running.get(owner) ?? 0;
  }
}

/** The operator's jobs stand beside those of owners, whose names are never empty. */
export function ownerOf({ job }: ClaimedBatch): string {
  return job.principal.owner ?? '';
}
