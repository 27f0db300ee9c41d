import { CommandError } from '../errors.js';
import { Session, type TransactionState } from './session.js';

/** logicalSessionTimeoutMinutes of hello, in ms. */
export const SESSION_TIMEOUT_MS = 30 * 60_000;
/** transactionLifetimeLimitSeconds of the server, in ms. */
export const TRANSACTION_LIFETIME_MS = 60_000;
/**
 * A transaction whose client closed its connection and does not come back on another one goes after this: that of a
 * process that was killed would hold up all others for its lifetime. Drivers that lost a connection are back at once.
 */
export const LEFT_TRANSACTION_MS = 5_000;
/** Sessions without an open transaction are forgotten beyond this, the longest unused first. */
const SESSIONS_MAX = 20_000;
const OPEN_TRANSACTIONS_MAX = 1_000;

export interface SessionRegistryOptions {
  readonly now: () => number;
  /** Called when a session's transaction ends or the session itself: its cursors go with it. */
  readonly onEnd?: (session: Session, why: 'transaction' | 'session') => void;
}

export class SessionRegistry {
  /** In order of last use. */
  readonly #sessions = new Map<string, Session>();
  readonly #options: SessionRegistryOptions;

  constructor(options: SessionRegistryOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#sessions.size;
  }

  list(): readonly Session[] {
    return [...this.#sessions.values()];
  }

  get openTransactions(): number {
    let open = 0;
    for (const session of this.#sessions.values()) if (session.inTransaction) open += 1;
    return open;
  }

  /** The session with this id, made when unknown; using it keeps it alive. */
  use(id: string): Session {
    const now = this.#options.now();
    const session = this.#sessions.get(id) ?? new Session(id, now);
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    session.lastUsedAt = now;
    if (this.#sessions.size > SESSIONS_MAX) this.#forgetOldest();
    return session;
  }

  find(id: string): Session | undefined {
    return this.#sessions.get(id);
  }

  /** @throws CommandError 261 when so many transactions are open that another would endanger the store. */
  assertRoomForTransaction(): void {
    if (this.openTransactions < OPEN_TRANSACTIONS_MAX) return;
    throw new CommandError(
      261,
      `${OPEN_TRANSACTIONS_MAX} transactions are open, which is the limit. Commit or abort some of them first.`,
    );
  }

  async end(id: string): Promise<void> {
    const session = this.#sessions.get(id);
    if (session === undefined) return;
    this.#sessions.delete(id);
    await session.lock.run(() => {
      session.abort();
      this.#options.onEnd?.(session, 'session');
    });
  }

  /** Ends what has outlived its limits. Call it every second or so. */
  async sweep(): Promise<void> {
    const now = this.#options.now();
    const ends: Promise<void>[] = [];
    for (const session of this.#sessions.values()) {
      const { transaction } = session;
      if (transaction.phase === 'inProgress') {
        if (isExpired(transaction, now) || isLeft(session, transaction, now))
          ends.push(this.#expire(session, transaction.startedAt));
      } else if (now - session.lastUsedAt >= SESSION_TIMEOUT_MS && session.lock.size === 0) {
        ends.push(this.end(session.id));
      }
    }
    await Promise.all(ends);
  }

  /** Behind a statement that is still running, never in the middle of it. */
  async #expire(session: Session, startedAt: number): Promise<void> {
    await session.lock.run(() => {
      const { transaction } = session;
      if (transaction.phase !== 'inProgress' || transaction.startedAt !== startedAt) return;
      const now = this.#options.now();
      const expired = isExpired(transaction, now);
      // Who came back while this waited goes on.
      if (!expired && !isLeft(session, transaction, now)) return;
      session.abort(expired);
      this.#options.onEnd?.(session, 'transaction');
    });
  }

  async endAll(): Promise<void> {
    await Promise.all([...this.#sessions.keys()].map((id) => this.end(id)));
  }

  #forgetOldest(): void {
    for (const session of this.#sessions.values()) {
      if (session.inTransaction || session.lock.size > 0) continue;
      this.#sessions.delete(session.id);
      this.#options.onEnd?.(session, 'session');
      return;
    }
  }
}

type Open = Extract<TransactionState, { phase: 'inProgress' }>;

function isExpired({ startedAt }: Open, now: number): boolean {
  return now - startedAt >= TRANSACTION_LIFETIME_MS;
}

function isLeft({ lastUsedAt }: Session, transaction: Open, now: number): boolean {
  return now - lastUsedAt >= LEFT_TRANSACTION_MS && transaction.isLeft();
}
