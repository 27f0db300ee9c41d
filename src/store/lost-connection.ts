import { type ClientSession, MongoBulkWriteError, MongoError, MongoNetworkError } from 'mongodb';

/** Codes that a socket fails with once its peer is gone. */
const GONE = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTCONN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ERR_SOCKET_CLOSED',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
]);

/**
 * Whether an error of a driver's call is its socket's own. Most come as `MongoNetworkError`, but while a command waits for
 * the socket to drain (`Connection.writeCommand`), as large ones do and the first one after the peer died, the driver
 * rejects with what the socket emits, as it is. A Unix socket that is gone is ENOENT, which files are too: only of `connect`.
 */
export function isLostConnection(error: unknown): error is NodeJS.ErrnoException {
  if (!(error instanceof Error) || error instanceof MongoError) return false;
  const { code, syscall } = error as NodeJS.ErrnoException;
  return code !== undefined && (GONE.has(code) || (code === 'ENOENT' && syscall === 'connect'));
}

/** What failed, without the coat that a collection's bulk write puts on every error, the network's included. */
export function withoutBulkCoat(error: unknown): unknown {
  return error instanceof MongoBulkWriteError && (error.errorResponse as unknown) instanceof Error
    ? error.errorResponse
    : error;
}

/**
 * For the body of a transaction: a lost connection as the driver reports it where it does, so that `withTransaction` tries
 * again. That is safe: nothing was asked to be committed yet.
 */
export function asTransient(error: unknown): unknown {
  const bare = withoutBulkCoat(error);
  if (!isLostConnection(bare)) return error;
  return networkError(bare, 'TransientTransactionError');
}

/**
 * Makes a commit whose connection is lost one whose outcome is not known, so that `withTransaction` asks again for the same
 * commit, which is done once however often it is asked for. The driver's own `commitTransaction` fails with a `TypeError`
 * of its own on a bare error, because it looks for labels on it, and nobody would know what became of the transaction.
 */
export function askAgainForLostCommits(session: ClientSession): void {
  const commit = session.commitTransaction.bind(session);
  session.commitTransaction = async (options) => {
    try {
      await commit(options);
    } catch (error) {
      if (error instanceof MongoError || !(isLostConnection(error) || error instanceof TypeError)) throw error;
      throw networkError(error, 'UnknownTransactionCommitResult');
    }
  };
}

function networkError(cause: Error, label: string): MongoNetworkError {
  const error = new MongoNetworkError(cause.message, { cause });
  error.addErrorLabel(label);
  return error;
}
