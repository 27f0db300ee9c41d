import { AppError } from '../errors.js';
import type { Database } from './database.js';

/**
 * Refuses a server on which documents could not be replaced atomically. A replica set member names its set in `hello`,
 * a mongos says that it is one; a standalone has no transactions. Answers the server's wire version, which says what it can do.
 */
export async function requireTransactions(database: Database): Promise<number> {
  const hello = await database.db.command({ hello: 1 });
  if (hello.setName !== undefined || hello.msg === 'isdbgrid') return Number(hello.maxWireVersion);
  throw new AppError(
    'STORE_UNAVAILABLE',
    'This MongoDB server is a standalone, which has no transactions. Start it as a replica set of one (mongod --replSet rs0, ' +
      'then rs.initiate()), use MongoDB Atlas or Atlas Local, or leave MONGODB_URI unset to use the embedded Pocket Atlas',
  );
}
