import { CommandError } from '../errors.js';
import type { Engine, Transaction } from '../storage/engine.js';
import type { Session } from './session.js';
import type { SessionRegistry } from './session-registry.js';
import type { TransactionFields } from './transaction-fields.js';

/**
 * The transaction state machine of a session. Everything here runs while the session's lock is held. Source of states
 * and texts: the transactions specification (mongodb/specifications) and the errors servers answer.
 */

/** Starts the transaction or finds the open one for a statement. */
export function transactionFor(
  session: Session,
  fields: TransactionFields & { readonly txnNumber: bigint },
  dependencies: {
    readonly engine: Engine;
    readonly sessions: SessionRegistry;
    readonly now: number;
    readonly isLeft: () => boolean;
  },
): Transaction {
  const { txnNumber } = fields;
  assertNotOlder(session, txnNumber);
  if (fields.start) {
    if (txnNumber === session.txnNumber && session.transaction.phase !== 'none') {
      throw new CommandError(
        50911,
        `Cannot start a transaction at given transaction number ${txnNumber} a transaction with the same number is in state ${session.transaction.phase}`,
      );
    }
    dependencies.sessions.assertRoomForTransaction();
    session.abort();
    session.txnNumber = txnNumber;
    const work = dependencies.engine.begin();
    session.transaction = { phase: 'inProgress', work, startedAt: dependencies.now, isLeft: dependencies.isLeft };
    return work;
  }
  if (txnNumber !== session.txnNumber) throw noSuchTransaction(session, txnNumber);
  switch (session.transaction.phase) {
    case 'inProgress':
      session.transaction.isLeft = dependencies.isLeft;
      return session.transaction.work;
    case 'committed':
      throw new CommandError(256, `Transaction with { txnNumber: ${txnNumber} } has been committed.`);
    case 'aborted':
      throw abortedTransaction(txnNumber, session.transaction.expired);
    case 'none':
      throw noSuchTransaction(session, txnNumber);
  }
}

/** A retryable write uses up the number; an open transaction of an older number ends. */
export function beginRetryableWrite(session: Session, txnNumber: bigint): void {
  assertNotOlder(session, txnNumber);
  if (txnNumber > session.txnNumber) {
    session.abort();
    session.txnNumber = txnNumber;
    session.transaction = { phase: 'none' };
  } else if (session.transaction.phase !== 'none') {
    throw new CommandError(
      72,
      `Cannot run a retryable write with { txnNumber: ${txnNumber} }: that number belongs to a multi-document transaction.`,
    );
  }
}

/** The key that a commit is remembered under, so that a retry after a restart is answered the same. */
export function commitKey(session: Session, txnNumber: bigint): string {
  return `${session.id}/${txnNumber}/commit`;
}

/** Resolves once the commit is on disk; answering a second time is fine. */
export async function commit(session: Session, txnNumber: bigint, engine: Engine): Promise<void> {
  assertNotOlder(session, txnNumber);
  if (txnNumber === session.txnNumber) {
    const { transaction } = session;
    if (transaction.phase === 'committed') return;
    if (transaction.phase === 'aborted') throw abortedTransaction(txnNumber, transaction.expired);
    if (transaction.phase === 'inProgress') {
      try {
        transaction.work.rememberRetryable(commitKey(session, txnNumber), new Uint8Array([1]));
        await transaction.work.commit();
      } catch (error) {
        session.abort();
        throw error;
      }
      session.transaction = { phase: 'committed' };
      return;
    }
  }
  if (engine.retryableReply(commitKey(session, txnNumber)) !== undefined) return;
  throw noSuchTransaction(session, txnNumber);
}

export function abort(session: Session, txnNumber: bigint): void {
  assertNotOlder(session, txnNumber);
  if (txnNumber !== session.txnNumber) throw noSuchTransaction(session, txnNumber);
  switch (session.transaction.phase) {
    case 'inProgress':
      session.abort();
      return;
    case 'committed':
      throw new CommandError(256, `Transaction with { txnNumber: ${txnNumber} } has been committed.`);
    case 'aborted':
      throw abortedTransaction(txnNumber, session.transaction.expired);
    case 'none':
      throw noSuchTransaction(session, txnNumber);
  }
}

function assertNotOlder(session: Session, txnNumber: bigint): void {
  if (txnNumber >= session.txnNumber) return;
  throw new CommandError(
    225,
    `Cannot start transaction with { txnNumber: ${txnNumber} } on session ${session.id} because a newer transaction with txnNumber ${session.txnNumber} has already started on this session.`,
  );
}

function noSuchTransaction(session: Session, txnNumber: bigint): CommandError {
  return new CommandError(
    251,
    `Given transaction number ${txnNumber} does not match any in-progress transactions. The active transaction number is ${session.txnNumber}`,
  );
}

function abortedTransaction(txnNumber: bigint, expired: boolean): CommandError {
  const why = expired ? ' It lived longer than 60 seconds (transactionLifetimeLimitSeconds).' : '';
  return new CommandError(251, `Transaction with { txnNumber: ${txnNumber} } has been aborted.${why}`);
}
