import { CommandError } from '../errors.js';
import { Session } from './session.js';

/** logicalSessionTimeoutMinutes of hello, in ms. */
export const SESSION_TIMEOUT_MS = 30 * 60_000;
/** transactionLifetimeLimitSeconds of the server, in ms. */
export const TRANSACTION_LIFETIME_MS = 60_000;
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
        if (now - transaction.startedAt >= TRANSACTION_LIFETIME_MS)
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
      session.abort(true);
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
