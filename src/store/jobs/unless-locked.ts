import { hasMongoCode, MONGO_CODE } from '../mongo-errors.js';

/** How long a claim waits for a row. Living servers lock one for milliseconds; a dead one's transaction does for a minute. */
export const LOCK_WAIT_MS = 2_000;

/** What a write with `maxTimeMS: LOCK_WAIT_MS` answers; 'LOCKED' where its time ran out. */
export async function unlessLocked<T>(write: Promise<T>): Promise<T | 'LOCKED'> {
  try {
    return await write;
  } catch (error) {
    if (hasMongoCode(error, MONGO_CODE.maxTimeExpired)) return 'LOCKED';
    throw error;
  }
}
