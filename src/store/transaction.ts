import type { ClientSession } from 'mongodb';
import { type Database, WRITE_CONCERN } from './database.js';
import { askAgainForLostCommits, asTransient } from './lost-connection.js';
import { hasMongoCode, MONGO_CODE } from './mongo-errors.js';

/**
 * Runs `body` in one transaction: it sees one snapshot, and its writes are acknowledged by a majority or none is kept.
 * The driver runs it again after a write conflict or a lost connection (for at most 120 s), so it must be repeatable; it passes `session` to
 * every call and awaits each before the next, because two commands of one transaction at a time are undefined.
 */
export async function inTransaction<T>(database: Database, body: (session: ClientSession) => Promise<T>): Promise<T> {
  // Causal consistency has nothing to add: all reads and writes here are majority or in one snapshot.
  const session = database.client.startSession({ causalConsistency: false });
  askAgainForLostCommits(session);
  try {
    return await session.withTransaction(
      async () => {
        try {
          return await body(session);
        } catch (error) {
          throw asTransient(error);
        }
      },
      {
        readConcern: { level: 'snapshot' },
        writeConcern: WRITE_CONCERN,
        readPreference: 'primary',
        maxCommitTimeMS: MAX_COMMIT_MS,
      },
    );
  } finally {
    await session.endSession();
  }
}

/** The same, once: false, and nothing kept, where another transaction has written what this one writes. Does not wait for it. */
export async function tryTransaction(
  database: Database,
  body: (session: ClientSession) => Promise<void>,
): Promise<boolean> {
  const session = database.client.startSession({ causalConsistency: false });
  try {
    session.startTransaction({
      readConcern: { level: 'snapshot' },
      writeConcern: WRITE_CONCERN,
      readPreference: 'primary',
      maxCommitTimeMS: MAX_COMMIT_MS,
    });
    await body(session);
    await session.commitTransaction();
    return true;
  } catch (error) {
    if (session.inTransaction()) await session.abortTransaction().catch(() => {});
    if (hasMongoCode(error, MONGO_CODE.writeConflict)) return false;
    throw error;
  } finally {
    await session.endSession();
  }
}

const MAX_COMMIT_MS = 60_000;
