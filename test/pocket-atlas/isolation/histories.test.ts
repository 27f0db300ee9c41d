import { type Collection, MongoServerError } from 'mongodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestPocketAtlas, type TestPocketAtlas } from '../../support/pocket-atlas.js';
import { checkHistory, type HistoryTransaction, type Operation } from './check-history.js';

/** Random transactions of many clients at once, through the official driver; then the checker looks at what they saw. */
const CLIENTS = 8;
const TRANSACTIONS = Number(process.env.POCKET_ATLAS_HISTORIES ?? 40);
const KEYS = ['a', 'b', 'c', 'd', 'e', 'f'];
const MAX_OPERATIONS = 5;
/** Over two collections, since a snapshot spans all of them. */
const COLLECTIONS = ['left', 'right'];
const ROLLED_BACK = 0.1;

let atlas: TestPocketAtlas;
beforeAll(async () => {
  atlas = await startTestPocketAtlas();
});
afterAll(() => atlas?.stop());

type List = { _id: string; list: number[] };

it('of many clients at once hold nothing that snapshot isolation forbids', { timeout: 300_000 }, async () => {
  const db = atlas.db('histories');
  const of = (key: string): Collection<List> =>
    db.collection<List>(COLLECTIONS[KEYS.indexOf(key) % COLLECTIONS.length]!);
  for (const key of KEYS) await of(key).insertOne({ _id: key, list: [] });

  const history: HistoryTransaction[] = [];
  let conflicts = 0;
  let lastId = 0;
  const client = async (number: number): Promise<void> => {
    const connection = await atlas.connect();
    const here = (key: string) => connection.db('histories').collection<List>(of(key).collectionName);
    for (let i = 0; i < TRANSACTIONS; i++) {
      const id = ++lastId;
      const operations: Operation[] = [];
      const session = connection.startSession();
      session.startTransaction({ readConcern: { level: 'snapshot' }, writeConcern: { w: 'majority' } });
      let committed = false;
      try {
        for (let left = 1 + Math.floor(Math.random() * MAX_OPERATIONS); left > 0; left--) {
          const key = KEYS[Math.floor(Math.random() * KEYS.length)]!;
          const hasAppended = operations.some((operation) => operation.kind === 'append' && operation.key === key);
          if (Math.random() < 0.5 && !hasAppended) {
            await here(key).updateOne({ _id: key }, { $push: { list: id } }, { session });
            operations.push({ kind: 'append', key });
          } else {
            const row = await here(key).findOne({ _id: key }, { session });
            operations.push({ kind: 'read', key, list: row!.list });
          }
        }
        if (Math.random() < ROLLED_BACK) await session.abortTransaction();
        else {
          await session.commitTransaction();
          committed = true;
        }
      } catch (error) {
        if (!(error instanceof MongoServerError && error.hasErrorLabel('TransientTransactionError'))) throw error;
        conflicts++;
        await session.abortTransaction().catch(() => {});
      } finally {
        await session.endSession();
      }
      history.push({ id, committed, client: number, operations });
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));

  const rows = (await Promise.all(COLLECTIONS.map((name) => db.collection<List>(name).find().toArray()))).flat();
  expect(checkHistory(history, new Map(rows.map(({ _id, list }) => [_id, list])))).toEqual([]);
  // Without these the history says nothing.
  expect(conflicts).toBeGreaterThan(0);
  expect(history.filter(({ committed }) => committed).length).toBeGreaterThan(TRANSACTIONS);
});
