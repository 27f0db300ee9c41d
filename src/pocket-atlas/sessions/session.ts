import type { Transaction } from '../storage/engine.js';
import { Lock } from './lock.js';

/** States of the transaction that a session's current number stands for. */
export type TransactionState =
  /** The number belongs to retryable writes, or to nothing yet. */
  | { readonly phase: 'none' }
  | {
      readonly phase: 'inProgress';
      readonly work: Transaction;
      readonly startedAt: number;
      /** Whether the connection is closed that its last statement came over. */
      isLeft: () => boolean;
    }
  | { readonly phase: 'committed' }
  | { readonly phase: 'aborted'; readonly expired: boolean };

/** A logical session: one client's sequence of transactions and retryable writes. */
export class Session {
  /** Hex of lsid.id. */
  readonly id: string;
  readonly lock = new Lock();
  lastUsedAt: number;
  /** The newest number this session used; -1 before the first. */
  txnNumber = -1n;
  transaction: TransactionState = { phase: 'none' };

  constructor(id: string, now: number) {
    this.id = id;
    this.lastUsedAt = now;
  }

  get inTransaction(): boolean {
    return this.transaction.phase === 'inProgress';
  }

  /** Ends an open transaction without keeping anything of it. */
  abort(expired = false): void {
    if (this.transaction.phase !== 'inProgress') return;
    const { work } = this.transaction;
    this.transaction = { phase: 'aborted', expired };
    work.abort();
  }
}
