import { randomBytes } from 'node:crypto';
import { CommandError } from '../errors.js';
import type { Cursor } from './cursor.js';

/** Idle cursors end after this (cursorTimeoutMillis of the server). */
export const CURSOR_TIMEOUT_MS = 10 * 60_000;
const CURSORS_MAX = 5_000;

export class CursorRegistry {
  readonly #cursors = new Map<bigint, Cursor>();
  readonly #now: () => number;

  constructor(options: { readonly now: () => number }) {
    this.#now = options.now;
  }

  get size(): number {
    return this.#cursors.size;
  }

  /** Returns its id. @throws CommandError 261 when too many are open. */
  add(cursor: Cursor): bigint {
    if (this.#cursors.size >= CURSORS_MAX) {
      throw new CommandError(261, `${CURSORS_MAX} cursors are open, which is the limit. Close some of them first.`);
    }
    let id = 0n;
    // Ids are positive and within what a client can hold as a double, as servers give them.
    while (id === 0n || this.#cursors.has(id)) id = randomBytes(8).readBigUInt64LE() & 0x7fff_ffff_ffff_ffffn;
    cursor.lastUsedAt = this.#now();
    this.#cursors.set(id, cursor);
    return id;
  }

  /** @throws CommandError 43 when there is none (any more). */
  get(id: bigint): Cursor {
    const cursor = this.#cursors.get(id);
    if (cursor === undefined) throw new CommandError(43, `cursor id ${id} not found`);
    return cursor;
  }

  async close(id: bigint): Promise<boolean> {
    const cursor = this.#cursors.get(id);
    if (cursor === undefined) return false;
    this.#cursors.delete(id);
    await cursor.close();
    return true;
  }

  closeOfTransaction(sessionId: string): void {
    this.#closeWhere((cursor) => cursor.owner.sessionId === sessionId && cursor.owner.txnNumber !== undefined);
  }

  closeOfSession(sessionId: string): void {
    this.#closeWhere((cursor) => cursor.owner.sessionId === sessionId);
  }

  closeOfNamespace(namespace: string): void {
    this.#closeWhere((cursor) => cursor.namespace === namespace);
  }

  /** Ends idle cursors and lets go of views that are held too long. Call it every second or so. */
  async sweep(): Promise<void> {
    const now = this.#now();
    for (const [id, cursor] of this.#cursors) {
      if (cursor.lock.size > 0) continue;
      if (!cursor.isKept && now - cursor.lastUsedAt >= CURSOR_TIMEOUT_MS) {
        await this.close(id);
        continue;
      }
      if (cursor.holdsViewTooLong(now)) await cursor.lock.run(() => cursor.detach());
    }
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#cursors.keys()].map((id) => this.close(id)));
  }

  #closeWhere(matches: (cursor: Cursor) => boolean): void {
    for (const [id, cursor] of this.#cursors) {
      // A getMore that runs just now finds its cursor gone when it comes back.
      if (matches(cursor)) void this.close(id).catch(() => {});
    }
  }
}
