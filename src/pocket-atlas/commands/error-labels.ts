import type { ErrorLabel } from '../errors.js';

/**
 * Which labels a failure gets. Source: "Error labels" in mongodb/specifications (transactions, retryable writes) and
 * the behaviour of servers 4.4 and later.
 */

/** Codes after which a client may send a retryable write again. */
const RETRYABLE_CODES = new Set([6, 7, 89, 91, 134, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436]);
/** Conflicts and lost snapshots: the whole transaction may be run again. */
const TRANSIENT_CODES = new Set([24, 112, 239, 246, 249, 267]);
const NO_SUCH_TRANSACTION = 251;

export interface FailureSetting {
  readonly inTransaction: boolean;
  readonly endsTransaction: boolean;
  readonly retryableWrite: boolean;
}

export function labelsFor(code: number, setting: FailureSetting): ErrorLabel[] {
  const labels: ErrorLabel[] = [];
  const retryable = RETRYABLE_CODES.has(code);
  if (setting.inTransaction) {
    const transient =
      TRANSIENT_CODES.has(code) || code === NO_SUCH_TRANSACTION || (retryable && !setting.endsTransaction);
    if (transient) labels.push('TransientTransactionError');
  }
  if (retryable && (setting.retryableWrite || setting.endsTransaction)) labels.push('RetryableWriteError');
  return labels;
}

/** A write concern that failed: the write itself did not, so the transaction is never to be run again. */
export function labelsForWriteConcern(code: number, setting: FailureSetting): ErrorLabel[] {
  const retryable = RETRYABLE_CODES.has(code) && (setting.retryableWrite || setting.endsTransaction);
  return retryable ? ['RetryableWriteError'] : [];
}
