import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeScope, operator } from '../../../src/store/scope.js';
import { STORE_SERVERS } from '../../support/store-servers.js';
import { openTestStore, type TestStore } from '../../support/test-store.js';
import { documents, ended, itemsOf, jobsOn, seenBy } from './job-harness.js';

// A server that dies in a transaction leaves its locks to the database, which keeps them for up to a minute.

const ada = makeScope('ada', null);
const SOON = { timeout: 30_000 };
/** Far below that minute. */
const QUICKLY_MS = 15_000;

describe.each(STORE_SERVERS)('after a server died, cancelling or going on, on $name,', ({ start, hasSearch }) => {
  let server: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    server = await start();
  });
  afterAll(async () => server?.stop());

  /** A job of eight items, five of them in the hands of a server whose lease has ended. */
  const withJob = (name: string, body: (store: TestStore, jobId: string) => Promise<void>): void => {
    test(name, async () => {
      const store = await openTestStore(server.uri, { requireSearch: hasSearch });
      try {
        const items = await itemsOf(store, ada, documents(8));
        const { id } = await store.createJob(ada, { kind: 'INGEST', apiKeyId: null, items });
        await store.claimItems(operator, { maxItems: 5, maxBytes: 1e6, leaseMs: 60_000 });
        store.advance(60_001);
        await body(store, id);
      } finally {
        await store.close();
      }
    });
  };
  /** What the dead server's transaction has written, and nobody ends. */
  const locking = async (
    store: TestStore,
    write: (session: ReturnType<TestStore['database']['client']['startSession']>) => Promise<unknown>,
  ) => {
    const session = store.database.client.startSession();
    session.startTransaction();
    await write(session);
    return async () => {
      await session.abortTransaction();
      await session.endSession();
    };
  };
  const quickly = async <T>(answer: Promise<T>): Promise<T> => {
    const from = performance.now();
    const given = await answer;
    expect(performance.now() - from).toBeLessThan(QUICKLY_MS);
    return given;
  };

  withJob('answers at once, and the job ends as soon as what was locked is free', async (store, jobId) => {
    const { jobItems, documents: rows } = store.database;
    const unlock = await locking(store, async (session) => {
      await jobItems.updateOne({ position: 1 }, { $set: { name: 'locked' } }, { session });
      await rows.updateOne({ title: 'alpha 3' }, { $set: { last_error: 'locked' } }, { session });
    });
    const jobs = jobsOn(store, { runner: { cancelSweepMs: 50 } });
    const answered = await quickly(jobs.cancel(seenBy(ada), jobId));
    expect(answered).toMatchObject({ total: 8, done: 0, cancelled: 6, finishedAt: null });
    expect((await jobItems.find({ state: 'RUNNING' }).toArray()).map(({ position }) => position)).toEqual([1, 3]);
    jobs.start();
    await unlock();
    expect(await ended(jobs, ada, jobId)).toMatchObject({ state: 'CANCELLED', cancelled: 8 });
    expect(await store.countDocuments(ada)).toBe(0);
    await jobs.stop();
    expect(jobs.errors).toEqual([]);
  });

  withJob('says at once that it has to be asked again where the job itself is locked', async (store, jobId) => {
    const unlock = await locking(store, (session) =>
      store.database.jobs.updateOne({}, { $set: { served_at: new Date(0) } }, { session }),
    );
    const jobs = jobsOn(store);
    await quickly(
      expect(jobs.cancel(seenBy(ada), jobId)).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
        details: { retryable: true },
      }),
    );
    await unlock();
    expect(await jobs.cancel(seenBy(ada), jobId)).toMatchObject({ state: 'CANCELLED', cancelled: 8 });
  });

  for (const rows of ['jobs', 'jobTurns'] as const)
    withJob(`keeps no other owner waiting for what is locked in ${rows}`, async (store, jobId) => {
      const unlock = await locking(store, (session) =>
        store.database[rows].updateMany({}, { $set: { served_at: new Date(0) } }, { session }),
      );
      const eve = makeScope('eve', null);
      const jobs = jobsOn(store);
      jobs.start();
      const theirs = await jobs.ingestDocuments(eve, documents(3), { apiKeyId: null });
      expect(await quickly(ended(jobs, eve, theirs.id))).toMatchObject({ state: 'SUCCEEDED', done: 3 });
      await unlock();
      expect(await ended(jobs, ada, jobId)).toMatchObject({ state: 'SUCCEEDED', done: 8 });
      await jobs.stop();
      expect(jobs.errors).toEqual([]);
    });

  test('ends the job within seconds of the dead server’s leases', async () => {
    const store = await openTestStore(server.uri, { requireSearch: hasSearch });
    const items = await itemsOf(store, ada, documents(4));
    const { id } = await store.createJob(ada, { kind: 'INGEST', apiKeyId: null, items });
    await store.claimItems(operator, { maxItems: 2, maxBytes: 1e6, leaseMs: 60_000 });
    const jobs = jobsOn(store, { runner: { cancelSweepMs: 50, sweepMs: 600_000 } });
    jobs.start();
    // They may live: what they run goes on.
    expect(await jobs.cancel(seenBy(ada), id)).toMatchObject({ state: 'RUNNING', cancelled: 2 });
    store.advance(60_001);
    await expect.poll(async () => (await store.job(seenBy(ada), id))?.state, SOON).toBe('CANCELLED');
    await jobs.stop();
    await store.close();
  });
});
