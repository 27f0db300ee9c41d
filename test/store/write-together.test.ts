import { type Document, MongoServerError } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../src/store/database.js';
import { inTransaction } from '../../src/store/transaction.js';
import { type WriteTogether, writeGroup, writeTogether } from '../../src/store/write-together.js';
import { STORE_SERVERS } from '../support/store-servers.js';
import { openTestStore, type TestStore } from '../support/test-store.js';

const SERVER_7_0 = 21;
const SERVER_8_0 = 25;

describe.each(STORE_SERVERS)('on $name', ({ start, hasSearch }) => {
  let server: Awaited<ReturnType<typeof start>>;
  let store: TestStore;
  let database: Database;

  beforeAll(async () => {
    server = await start();
    store = await openTestStore(server.uri, { requireSearch: hasSearch });
    database = store.database;
  });
  afterAll(async () => {
    await store?.close();
    await server?.stop();
  });

  describe.each([
    ['in one command, on servers from 8.0', SERVER_8_0],
    ['in one command per collection, on older ones', SERVER_7_0],
  ])('writes to several collections %s', (_, wireVersion) => {
    const collections = () => {
      const suffix = `${wireVersion}_${Math.random().toString(36).slice(2)}`;
      return {
        left: database.db.collection<Document>(`left_${suffix}`),
        right: database.db.collection<Document>(`right_${suffix}`),
      };
    };
    const together: WriteTogether = (...args) => writeTogether(database.client, wireVersion)(...args);

    it('answers per group how many documents its updates and deletes found', async () => {
      const { left, right } = collections();
      await left.insertMany([{ _id: 1 }, { _id: 2 }, { _id: 3 }] as never);
      const results = await inTransaction(database, (session) =>
        together(session, [
          writeGroup(left, [{ updateMany: { filter: { _id: { $lt: 3 } as never }, update: { $set: { a: 1 } } } }]),
          writeGroup(left, []),
          writeGroup(right, [{ insertOne: { document: { _id: 'r' } as never } }]),
          writeGroup(left, [
            { deleteMany: { filter: { _id: { $gt: 1 } as never } } },
            { updateOne: { filter: { _id: 99 as never }, update: { $set: { a: 1 } } } },
          ]),
        ]),
      );
      expect(results.map(({ matchedCount, deletedCount }) => [matchedCount, deletedCount])).toEqual([
        [2, 0],
        [0, 0],
        [0, 0],
        [0, 2],
      ]);
      expect(await left.find().toArray()).toEqual([{ _id: 1, a: 1 }]);
      expect(await right.countDocuments()).toBe(1);
    });

    it('answers for the one group that can find something, among inserts', async () => {
      const { left, right } = collections();
      await left.insertMany([{ _id: 1 }, { _id: 2 }] as never);
      const results = await inTransaction(database, (session) =>
        together(session, [
          writeGroup(right, [{ insertOne: { document: { _id: 'a' } as never } }]),
          writeGroup(left, [
            { updateMany: { filter: {}, update: { $set: { a: 1 } } } },
            { deleteMany: { filter: { _id: 2 as never } } },
          ]),
          writeGroup(right, [{ insertOne: { document: { _id: 'b' } as never } }]),
        ]),
      );
      expect(results.map(({ matchedCount, deletedCount }) => [matchedCount, deletedCount])).toEqual([
        [0, 0],
        [2, 1],
        [0, 0],
      ]);
    });

    it('keeps nothing when one of them is refused, and says the code', async () => {
      const { left, right } = collections();
      await right.insertOne({ _id: 'taken' } as never);
      await left.insertOne({ _id: 'before' } as never);
      const writing = inTransaction(database, (session) =>
        together(session, [
          writeGroup(left, [{ insertOne: { document: { _id: 'new' } as never } }]),
          writeGroup(right, [{ insertOne: { document: { _id: 'taken' } as never } }]),
        ]),
      );
      await expect(writing).rejects.toSatisfy((error) => error instanceof MongoServerError && error.code === 11_000);
      expect(await left.countDocuments()).toBe(1);
    });

    it('is tried again by withTransaction after a write conflict', async () => {
      const { left } = collections();
      await left.insertOne({ _id: 'counter', n: 0 } as never);
      let rounds = 0;
      await inTransaction(database, async (session) => {
        rounds++;
        // The transaction's snapshot is from before the other write.
        await left.findOne({ _id: 'counter' as never }, { session });
        if (rounds === 1) await left.updateOne({ _id: 'counter' as never }, { $inc: { n: 10 } });
        await together(session, [
          writeGroup(left, [{ updateOne: { filter: { _id: 'counter' as never }, update: { $inc: { n: 1 } } } }]),
        ]);
      });
      expect(rounds).toBe(2);
      expect(await left.findOne({ _id: 'counter' as never })).toMatchObject({ n: 11 });
    });
  });
});
