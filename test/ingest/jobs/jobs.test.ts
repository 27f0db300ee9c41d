import { afterAll, beforeAll, describe, expect } from 'vitest';
import { AppError, Refusal } from '../../../src/errors.js';
import type { IngestItem } from '../../../src/ingest/jobs/ingest-items.js';
import type { JobKindWork } from '../../../src/ingest/jobs/job-kinds.js';
import { openJobStore } from '../../../src/store/jobs/open-job-store.js';
import { makeScope, operator, type Scope } from '../../../src/store/scope.js';
import { startTestPocketAtlas, type TestPocketAtlas } from '../../support/pocket-atlas.js';
import { openTestStore } from '../../support/test-store.js';
import { documents, ended, itemsOf, jobsOn, seenBy } from './job-harness.js';
import { storeTests } from './store-tests.js';

let server: TestPocketAtlas;
beforeAll(async () => {
  server = await startTestPocketAtlas();
});
afterAll(async () => server.stop());

const ada = makeScope('ada', null);
const eve = makeScope('eve', null);
const NO_KEY = { apiKeyId: null };
/** For a machine that is busy. */
const SOON = { timeout: 30_000 };

const withStore = storeTests(() => server.uri);

describe('a job', () => {
  withStore('of large documents leaves nothing of what they were run with', async (store) => {
    const jobs = jobsOn(store);
    const given = [20_000, 200_000].map((length) => ({
      title: `of ${length}`,
      text: 'pumps and valves '.repeat(length / 17),
      chunking: { strategy: 'RECURSIVE', contextual: false },
      dryRun: false,
      waitUntil: 'STORED',
    })) satisfies IngestItem[];
    const job = await jobs.ingestDocuments(ada, given, NO_KEY);
    expect(await store.database.jobPayloads.countDocuments()).toBe(2);
    jobs.start();
    expect(await ended(jobs, ada, job.id)).toMatchObject({ state: 'SUCCEEDED', done: 2 });
    await jobs.stop();
    expect(await store.database.jobPayloads.countDocuments()).toBe(0);
    for (const { title, text } of given) {
      const document = await store.document(ada, { title });
      expect(await store.texts(ada, [document!.id])).toEqual([text]);
    }
  });

  withStore('stores every document once, whole, and ends as SUCCEEDED with its counts', async (store) => {
    const jobs = jobsOn(store);
    jobs.start();
    const job = await jobs.ingestDocuments(ada, documents(25), NO_KEY);
    expect(job).toMatchObject({ kind: 'INGEST', total: 25, done: 0 });
    expect(await ended(jobs, ada, job.id)).toMatchObject({ state: 'SUCCEEDED', total: 25, done: 25, failed: 0 });
    const { items } = await store.listDocuments(ada, { orderBy: 'TITLE', first: 100 });
    expect(items.map(({ node }) => [node.version, node.status])).toEqual(Array(25).fill([1, 'READY']));
    const listed = await store.listJobItems(seenBy(ada), job.id, { first: 100 });
    expect(listed.items.map(({ node }) => node.name)).toEqual(documents(25).map(({ title }) => title));
    expect(new Set(listed.items.map(({ node }) => `${node.state} ${node.outcome}`))).toEqual(
      new Set(['SUCCEEDED CREATED']),
    );
    expect(listed.items[3]?.node.documentId).toBe((await store.document(ada, { title: 'alpha 3' }))?.id);
    expect(await store.database.jobItems.countDocuments({ payload: { $exists: true } })).toBe(0);
    await jobs.stop();
    expect(jobs.errors).toEqual([]);
  });

  withStore('runs as soon as it is there, however seldom this server looks for jobs of others', async (store) => {
    const jobs = jobsOn(store, { runner: { pollMs: 3_600_000 } });
    jobs.start();
    for (let round = 0; round < 3; round++) {
      const items = await itemsOf(store, ada, documents(2, `round ${round}`));
      const { id } = await jobs.create(ada, { kind: 'INGEST', apiKeyId: null, items });
      expect(await ended(jobs, ada, id)).toMatchObject({ state: 'SUCCEEDED', done: 2 });
    }
    await jobs.stop();
  });

  withStore('ends as PARTIAL where some failed, and says of each what and of its document too', async (store) => {
    const jobs = jobsOn(store);
    await store.upsert(ada, 'stored before', 'A text that stays.');
    jobs.start();
    const blank = { text: ' \n ', dryRun: false, waitUntil: 'STORED' } as const;
    const job = await jobs.ingestDocuments(
      ada,
      [...documents(3), { title: 'blank', ...blank }, { title: 'stored before', ...blank }],
      NO_KEY,
    );
    expect(await ended(jobs, ada, job.id)).toMatchObject({ state: 'PARTIAL', done: 3, failed: 2 });
    const failed = await store.listJobItems(seenBy(ada), job.id, { states: ['FAILED'], first: 10 });
    expect(failed.items.map(({ node }) => [node.name, node.error?.code, node.error?.retryable])).toEqual([
      ['blank', 'EMPTY_TEXT', false],
      ['stored before', 'EMPTY_TEXT', false],
    ]);
    expect(await store.document(ada, { title: 'blank' })).toMatchObject({
      version: 0,
      status: 'FAILED',
      lastError: failed.items[0]?.node.error?.message,
    });
    expect(await store.document(ada, { title: 'stored before' })).toMatchObject({
      version: 1,
      status: 'READY',
      lastError: expect.stringMatching(/./),
    });
    await jobs.stop();
  });

  withStore('ends as FAILED where all failed, at once where none could be read at all', async (store) => {
    const jobs = jobsOn(store);
    const job = await jobs.ingestDocuments(
      ada,
      [
        { title: '', text: 'x', dryRun: false, waitUntil: 'STORED' },
        { title: 'refused', refused: new Refusal('INVALID', 'not base64') },
      ],
      NO_KEY,
    );
    expect(job).toMatchObject({ state: 'FAILED', total: 2, failed: 2, finishedAt: expect.any(Date) });
    expect(await store.countDocuments(ada)).toBe(0);
  });

  withStore('refuses what is not for jobs, with the path', async (store) => {
    const jobs = jobsOn(store);
    const [first] = documents(1);
    const ask = (given: Parameters<typeof jobs.ingestDocuments>[1]) => jobs.ingestDocuments(ada, given, NO_KEY);
    await expect(ask([])).rejects.toMatchObject({ code: 'INVALID', path: ['input', 'documents'] });
    await expect(ask(documents(101))).rejects.toMatchObject({ code: 'INVALID', path: ['input', 'documents'] });
    await expect(ask([first!, { title: 't', text: 'x', dryRun: true, waitUntil: 'STORED' }])).rejects.toMatchObject({
      code: 'INVALID',
      path: ['input', 'documents', '1', 'dryRun'],
    });
    // Two spellings of é.
    const twins = ['caf\u00e9  bar', 'other', ' cafe\u0301 bar'].map((title) => ({ ...first!, title }));
    await expect(ask(twins)).rejects.toMatchObject({
      code: 'INVALID',
      message: expect.stringContaining('at 0'),
      path: ['input', 'documents', '2', 'title'],
    });
    expect(await store.database.jobs.countDocuments()).toBe(0);
  });

  withStore('of waitUntil SEARCHABLE ends once search finds the document', async (store) => {
    const jobs = jobsOn(store);
    jobs.start();
    const given = documents(4).map((item) => ({ ...item, waitUntil: 'SEARCHABLE' as const }));
    const job = await jobs.ingestDocuments(ada, given, NO_KEY);
    await ended(jobs, ada, job.id);
    for (const { title } of given) {
      const document = await store.document(ada, { title });
      expect(await store.waitUntilSearchable(ada, document!.id, 1, { timeoutMs: 0 })).toBe(true);
    }
    await jobs.stop();
  });
});

describe('before its first version a document', () => {
  withStore('is PENDING with what was given, invisible to search, and can be deleted', async (store) => {
    const jobs = jobsOn(store);
    await jobs.ingestDocuments(
      ada,
      [
        {
          title: 'awaited',
          text: 'Some text.',
          metadata: { topic: 'pumps' },
          agentIds: ['red'],
          dryRun: false,
          waitUntil: 'STORED',
        },
      ],
      NO_KEY,
    );
    const pending = await store.document(ada, { title: 'awaited' });
    expect(pending).toMatchObject({
      status: 'PENDING',
      version: 0,
      revision: 0,
      chunkCount: 0,
      textLength: 0,
      space: null,
      agentIds: ['red'],
      metadata: { topic: 'pumps' },
    });
    expect(await store.countDocuments(ada, { statuses: ['PENDING'] })).toBe(1);
    expect(await store.texts(ada, [pending!.id])).toEqual(['']);
    expect(await store.document(eve, { title: 'awaited' })).toBeNull();
    expect(await store.document(makeScope('ada', ['blue']), { title: 'awaited' })).toBeNull();
    expect(await store.deleteDocument(ada, { title: 'awaited' })).toMatchObject({ deletedChunks: 0 });
    expect(await store.countDocuments(ada)).toBe(0);
  });

  withStore('can be written by anyone else meanwhile, as one that does not exist yet', async (store) => {
    const jobs = jobsOn(store);
    const job = await jobs.ingestDocuments(ada, documents(1), NO_KEY);
    const { outcome, document } = await store.upsert(ada, 'alpha 0', 'Another text.', { expectedVersion: 0 });
    expect([outcome, document?.version, document?.status]).toEqual(['CREATED', 1, 'READY']);
    jobs.start();
    // Which is the newer one then, and stays: see newer-stays.test.ts.
    expect(await ended(jobs, ada, job.id)).toMatchObject({ state: 'FAILED', failed: 1 });
    expect(await store.document(ada, { title: 'alpha 0' })).toMatchObject({ version: 1, status: 'READY' });
    await jobs.stop();
  });

  withStore('that got another title meanwhile does not stay behind', async (store) => {
    const jobs = jobsOn(store);
    const job = await jobs.ingestDocuments(ada, documents(1), NO_KEY);
    await store.updateAttributes(ada, { title: 'alpha 0' }, { title: 'renamed' });
    jobs.start();
    expect(await ended(jobs, ada, job.id)).toMatchObject({ state: 'SUCCEEDED' });
    const { items } = await store.listDocuments(ada, { orderBy: 'TITLE', first: 10 });
    expect(items.map(({ node }) => [node.title, node.status])).toEqual([['alpha 0', 'READY']]);
    await jobs.stop();
  });

  withStore('goes with a cancelled job, where nothing was stored of it', async (store) => {
    const jobs = jobsOn(store);
    const job = await jobs.ingestDocuments(ada, documents(3), NO_KEY);
    await store.upsert(ada, 'alpha 1', 'Stored by hand.');
    expect(await jobs.cancel(seenBy(ada), job.id)).toMatchObject({ state: 'CANCELLED', cancelled: 3, done: 0 });
    const { items } = await store.listDocuments(ada, { orderBy: 'TITLE', first: 10 });
    expect(items.map(({ node }) => node.title)).toEqual(['alpha 1']);
    expect(await store.database.jobItems.countDocuments({ payload: { $exists: true } })).toBe(0);
  });
});

/** Items that end when the test says so. */
function gatedKind(): JobKindWork & { readonly begun: string[]; aborted: number; open(): void } {
  const begun: string[] = [];
  let open = (): void => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    kind: 'INGEST',
    begun,
    aborted: 0,
    open: () => open(),
    async runItem({ name }, { signal }) {
      begun.push(name);
      const abort = new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
      );
      await Promise.race([gate, abort]).catch((error: unknown) => {
        this.aborted++;
        throw error;
      });
      return { outcome: 'CREATED', documentId: null };
    },
  };
}

describe('cancelling', () => {
  withStore('stops what has not started and lets the rest finish', async (store) => {
    const kind = gatedKind();
    const jobs = jobsOn(store, { kinds: [kind], runner: { slots: 3, maxBatchItems: 4 } });
    const job = await jobs.create(ada, {
      kind: 'INGEST',
      apiKeyId: null,
      items: await itemsOf(store, ada, documents(20)),
    });
    jobs.start();
    await expect.poll(() => kind.begun.length, SOON).toBe(2);
    expect(await jobs.cancel(seenBy(ada), job.id)).toMatchObject({ state: 'RUNNING', done: 0 });
    await expect(jobs.retry(seenBy(ada), job.id, NO_KEY)).rejects.toMatchObject({ code: 'CONFLICT' });
    kind.open();
    const last = await ended(jobs, ada, job.id);
    // What this server had claimed counts as started.
    expect(last.state).toBe('CANCELLED');
    expect(last.done).toBeLessThanOrEqual(8);
    expect(last.done + last.cancelled).toBe(20);
    expect(kind.begun).toHaveLength(last.done);
    expect(await jobs.cancel(seenBy(ada), job.id)).toMatchObject({ state: 'CANCELLED' });
    await jobs.stop();
  });

  withStore('of a job that has ended is a conflict', async (store) => {
    const jobs = jobsOn(store);
    jobs.start();
    const job = await jobs.ingestDocuments(ada, documents(1), NO_KEY);
    await ended(jobs, ada, job.id);
    await expect(jobs.cancel(seenBy(ada), job.id)).rejects.toMatchObject({ code: 'CONFLICT' });
    await jobs.stop();
  });
});

describe('retrying', () => {
  withStore('runs the failed items again, and only those', async (store) => {
    let isBroken = true;
    const ran: string[] = [];
    const kind: JobKindWork = {
      kind: 'INGEST',
      async runItem({ name, payload }) {
        ran.push(name);
        if (isBroken && Number(name.split(' ')[1]) % 2 === 0)
          throw new AppError('PROVIDER_UNAVAILABLE', 'The model is away', { details: { retryable: true } });
        expect(payload.length).toBeGreaterThan(10);
        return { outcome: 'CREATED', documentId: null };
      },
    };
    const jobs = jobsOn(store, { kinds: [kind] });
    jobs.start();
    const job = await jobs.ingestDocuments(ada, documents(6), NO_KEY);
    expect(await ended(jobs, ada, job.id)).toMatchObject({ state: 'PARTIAL', done: 3, failed: 3 });
    expect(await store.countDocuments(ada, { statuses: ['FAILED'] })).toBe(3);
    isBroken = false;
    ran.length = 0;
    expect(await jobs.retry(seenBy(ada), job.id, NO_KEY)).toMatchObject({ failed: 0, finishedAt: null });
    expect(await store.countDocuments(ada, { statuses: ['FAILED'] })).toBe(0);
    expect(await ended(jobs, ada, job.id)).toMatchObject({ state: 'SUCCEEDED', done: 6, failed: 0 });
    expect(ran.sort()).toEqual(['alpha 0', 'alpha 2', 'alpha 4']);
    await expect(jobs.retry(seenBy(ada), job.id, NO_KEY)).rejects.toMatchObject({ code: 'CONFLICT' });
    await jobs.stop();
  });
});

describe('owners', () => {
  withStore('take turns: three items end long before five hundred that were queued earlier', async (store) => {
    const jobs = jobsOn(store, { runner: { slots: 4, maxBatchItems: 16 } });
    const many = await jobs.create(ada, {
      kind: 'INGEST',
      apiKeyId: null,
      items: await itemsOf(store, ada, documents(500)),
    });
    jobs.start();
    const few = await jobs.ingestDocuments(eve, documents(3), NO_KEY);
    expect(await ended(jobs, eve, few.id)).toMatchObject({ state: 'SUCCEEDED' });
    const meanwhile = await store.job(seenBy(ada), many.id);
    expect(meanwhile?.state).toBe('RUNNING');
    expect(meanwhile?.done).toBeLessThan(250);
    await jobs.cancel(seenBy(ada), many.id);
    await jobs.stop();
  });

  withStore('never keep each other waiting: one slot stays free of whoever has all the others', async (store) => {
    const kind = gatedKind();
    const jobs = jobsOn(store, { kinds: [kind], runner: { slots: 3 } });
    jobs.start();
    await jobs.ingestDocuments(ada, documents(10, 'slow'), NO_KEY);
    await expect.poll(() => kind.begun.length, SOON).toBe(2);
    await jobs.ingestDocuments(eve, documents(1, 'quick'), NO_KEY);
    await expect.poll(() => kind.begun, SOON).toContain('quick 0');
    kind.open();
    await jobs.stop();
  });

  withStore('and agents see no jobs but their own', async (store) => {
    const jobs = jobsOn(store);
    const red = makeScope('ada', ['red']);
    const both = makeScope('ada', ['red', 'blue']);
    const ofRed = await jobs.ingestDocuments(red, documents(1, 'red'), NO_KEY);
    const ofAll = await jobs.ingestDocuments(ada, documents(1, 'all'), NO_KEY);
    const ofOperator = await jobs.create(operator, {
      kind: 'REEMBED',
      apiKeyId: null,
      items: [{ name: 'slice', payload: Buffer.from('x') }],
    });
    const seen = async (viewer: Parameters<typeof store.listJobs>[0]) => {
      const { items } = await store.listJobs(viewer, { first: 10 });
      expect(items).toHaveLength(await store.countJobs(viewer));
      for (const id of [ofRed.id, ofAll.id, ofOperator.id])
        expect((await store.job(viewer, id)) !== null).toBe(items.some(({ node }) => node.id === id));
      return items.map(({ node }) => node.id);
    };
    expect(await seen(seenBy(ada))).toEqual([ofAll.id, ofRed.id]);
    expect(await seen(seenBy(red))).toEqual([ofRed.id]);
    expect(await seen(seenBy(both))).toEqual([ofRed.id]);
    expect(await seen(seenBy(makeScope('ada', ['blue'])))).toEqual([]);
    expect(await seen(seenBy(eve))).toEqual([]);
    expect(await seen({ scope: eve, operator })).toEqual([ofOperator.id]);
    for (const id of [ofRed.id, ofOperator.id, 'c'.repeat(24), 'rubbish']) {
      expect(await jobs.cancel(seenBy(eve), id)).toBeNull();
      expect(await jobs.retry(seenBy(eve), id, NO_KEY)).toBeNull();
      expect(await store.listJobItems(seenBy(eve), id, { first: 10 })).toEqual({ items: [], hasNextPage: false });
      await expect(jobs.watch(seenBy(eve), id, AbortSignal.timeout(1_000))).rejects.toMatchObject({
        code: 'BAD_USER_INPUT',
      });
    }
  });
});

describe('the key behind a job', () => {
  withStore('takes what is left along when it is revoked; another one retries it', async (store) => {
    const key = { owner: 'ada', name: 'k', role: 'WRITER', agentIds: null, expiresAt: null } as const;
    const { apiKey } = await store.createApiKey(operator, key);
    const jobs = jobsOn(store);
    const job = await jobs.ingestDocuments(ada, documents(3), { apiKeyId: apiKey.id });
    await store.revokeApiKey(operator, apiKey.id);
    jobs.start();
    expect(await ended(jobs, ada, job.id)).toMatchObject({ state: 'FAILED', failed: 3 });
    const { items } = await store.listJobItems(seenBy(ada), job.id, { first: 1 });
    expect(items[0]?.node.error).toMatchObject({ code: 'UNAUTHENTICATED' });
    const other = await store.createApiKey(operator, key);
    await jobs.retry(seenBy(ada), job.id, { apiKeyId: other.apiKey.id });
    expect(await ended(jobs, ada, job.id)).toMatchObject({ state: 'SUCCEEDED', done: 3 });
    await jobs.stop();
  });
});

describe('the key behind a job that runs', () => {
  withStore('takes along what its worker has claimed and not begun', async (store) => {
    const key = { owner: 'ada', name: 'k', role: 'WRITER', agentIds: null, expiresAt: null } as const;
    const { apiKey } = await store.createApiKey(operator, key);
    const kind = gatedKind();
    const jobs = jobsOn(store, { kinds: [kind], runner: { slots: 4, keyCheckMs: 0 } });
    const job = await jobs.ingestDocuments(ada, documents(6), { apiKeyId: apiKey.id });
    jobs.start();
    await expect.poll(() => kind.begun.length, SOON).toBe(3);
    await store.revokeApiKey(operator, apiKey.id);
    kind.open();
    expect(await ended(jobs, ada, job.id)).toMatchObject({ state: 'PARTIAL', done: 3, failed: 3 });
    await jobs.stop();
  });
});

describe('a worker', () => {
  withStore('that is gone loses its items when their lease ends, and no earlier', async (store) => {
    const job = await store.createJob(ada, {
      kind: 'INGEST',
      apiKeyId: null,
      items: await itemsOf(store, ada, documents(5)),
    });
    const dead = await store.claimItems(operator, { maxItems: 3, maxBytes: 1e6, leaseMs: 60_000 });
    expect(dead?.items.map(({ position }) => position)).toEqual([0, 1, 2]);
    const jobs = jobsOn(store);
    jobs.start();
    await expect.poll(async () => (await store.job(seenBy(ada), job.id))?.done, SOON).toBe(2);
    expect(await store.claimItems(operator, { maxItems: 3, maxBytes: 1e6, leaseMs: 60_000 })).toBeNull();
    store.advance(60_001);
    expect(await ended(jobs, ada, job.id)).toMatchObject({ state: 'SUCCEEDED', done: 5 });
    // Back from the dead, it can note nothing any more.
    await store.endItems(
      operator,
      dead!.items.map(({ id }) => ({
        jobId: job.id,
        itemId: id,
        lease: dead!.lease,
        end: { ended: 'FAILED', error: { code: 'X', message: 'x', retryable: false } },
      })),
    );
    expect(await store.job(seenBy(ada), job.id)).toMatchObject({ state: 'SUCCEEDED', done: 5, failed: 0 });
    await jobs.stop();
  });

  withStore('that died in the middle of a write holds up what that locks, and nothing else', async (store) => {
    const items = await itemsOf(store, ada, documents(8));
    const job = await store.createJob(ada, { kind: 'INGEST', apiKeyId: null, items });
    await store.claimItems(operator, { maxItems: 5, maxBytes: 1e6, leaseMs: 60_000 });
    store.advance(60_001);
    const { client, jobItems } = store.database;
    const session = client.startSession();
    session.startTransaction();
    await jobItems.updateMany({ position: { $in: [1, 3] } }, { $set: { name: 'locked' } }, { session });
    const jobs = jobsOn(store);
    jobs.start();
    await expect.poll(async () => (await store.job(seenBy(ada), job.id))?.done, SOON).toBe(6);
    expect(await jobItems.countDocuments({ position: { $in: [1, 3] }, state: 'RUNNING', attempts: 1 })).toBe(2);
    await session.abortTransaction();
    await session.endSession();
    expect(await ended(jobs, ada, job.id)).toMatchObject({ state: 'SUCCEEDED', done: 8 });
    await jobs.stop();
    expect(jobs.errors).toEqual([]);
  });

  withStore('that never heard what it claimed gets it back at once, and nothing of others', async (store) => {
    const items = await itemsOf(store, ada, documents(6));
    const job = await store.createJob(ada, { kind: 'INGEST', apiKeyId: null, items });
    const claim = { maxItems: 2, maxBytes: 1e6, leaseMs: 60_000 };
    const other = await store.claimItems(operator, claim);
    let lost = '';
    const jobs = jobsOn({
      ...store,
      async claimItems(by, options) {
        const batch = await store.claimItems(by, { ...options, ...(lost === '' && { maxItems: 2 }) });
        if (lost !== '') return batch;
        lost = batch?.lease ?? '';
        throw new AppError('STORE_UNAVAILABLE', 'The answer is lost');
      },
    });
    jobs.start();
    await expect.poll(async () => (await store.job(seenBy(ada), job.id))?.done, SOON).toBe(4);
    await jobs.stop();
    expect(jobs.errors).toHaveLength(1);
    const { jobItems } = store.database;
    expect(await jobItems.countDocuments({ lease: other!.lease, state: 'RUNNING', attempts: 1 })).toBe(2);
    // It was claimed once more, and that was no failed try.
    expect(await jobItems.countDocuments({ position: { $in: [2, 3] }, state: 'SUCCEEDED', attempts: 1 })).toBe(2);
  });

  withStore('that goes on renews its leases, and stops what it lost', async (store) => {
    const kind = gatedKind();
    const jobs = jobsOn(store, { kinds: [kind], runner: { leaseMs: 1_500, slots: 3 } });
    jobs.start();
    await jobs.ingestDocuments(ada, documents(2), NO_KEY);
    await expect.poll(() => kind.begun.length, SOON).toBe(2);
    const until = async () => (await store.database.jobItems.findOne())?.claimable_at?.getTime() ?? 0;
    const before = await until();
    await expect.poll(until, SOON).toBeGreaterThan(before);
    await store.database.jobItems.updateMany({}, { $set: { lease: 'stolen' } });
    // The signal of what was lost fires, so the kind gives up; the items belong to the thief.
    await expect.poll(() => kind.aborted, SOON).toBe(2);
    await jobs.stop();
    expect(await store.database.jobItems.countDocuments({ lease: 'stolen' })).toBe(2);
  });

  withStore('that slept over its leases comes upon its own items, and ends each once', async (store) => {
    const kind = gatedKind();
    const jobs = jobsOn(store, { kinds: [kind], runner: { slots: 5 } });
    const items = ['a', 'b'].map((name) => ({ name, payload: Buffer.alloc(10_000) }));
    const job = await jobs.create(ada, { kind: 'INGEST', apiKeyId: null, items });
    jobs.start();
    await expect.poll(() => kind.begun.length, SOON).toBe(2);
    store.advance(60_001);
    await expect.poll(() => kind.begun.length, SOON).toBe(4);
    expect(kind.aborted).toBe(2);
    kind.open();
    expect(await ended(jobs, ada, job.id)).toMatchObject({ state: 'SUCCEEDED', done: 2, failed: 0 });
    await jobs.stop();
    expect(jobs.errors).toEqual([]);
  });

  withStore('that stops gives back what it has not begun, at once', async (store) => {
    const kind = gatedKind();
    const jobs = jobsOn(store, { kinds: [kind], runner: { slots: 2, drainMs: 50 } });
    jobs.start();
    const job = await jobs.ingestDocuments(ada, documents(10), NO_KEY);
    await expect.poll(() => kind.begun.length, SOON).toBe(1);
    await jobs.stop();
    expect(await store.database.jobItems.countDocuments({ state: 'QUEUED', attempts: 0 })).toBe(10);
    const heir = jobsOn(store);
    heir.start();
    expect(await ended(heir, ada, job.id)).toMatchObject({ state: 'SUCCEEDED', done: 10 });
    await heir.stop();
  });

  withStore('gives an item up that took ten workers with it, and suspects run alone', async (store) => {
    const job = await store.createJob(ada, {
      kind: 'INGEST',
      apiKeyId: null,
      items: await itemsOf(store, ada, documents(4)),
    });
    await store.database.jobItems.updateOne({ position: 0 }, { $set: { attempts: 3 } });
    await store.database.jobItems.updateOne({ position: 2 }, { $set: { attempts: 10 } });
    const claim = { maxItems: 10, maxBytes: 1e6, leaseMs: 1_000 };
    expect((await store.claimItems(operator, claim))?.items.map(({ position }) => position)).toEqual([0]);
    expect((await store.claimItems(operator, claim))?.items.map(({ position }) => position)).toEqual([1]);
    store.advance(1_001);
    const jobs = jobsOn(store);
    jobs.start();
    expect(await ended(jobs, ada, job.id)).toMatchObject({ state: 'PARTIAL', done: 3, failed: 1 });
    const { items } = await store.listJobItems(seenBy(ada), job.id, { states: ['FAILED'], first: 5 });
    expect(items[0]?.node.error?.message).toContain('10 times');
    await jobs.stop();
  });

  withStore('runs postponed items again, and others meanwhile', async (store) => {
    const order: string[] = [];
    let left = 3;
    const kind: JobKindWork = {
      kind: 'INGEST',
      async runItem({ name, position }) {
        if (position === 0 && left > 0) return { postponeMs: 20 };
        order.push(name);
        left--;
        return { outcome: null, documentId: null };
      },
    };
    const jobs = jobsOn(store, { kinds: [kind] });
    jobs.start();
    const job = await jobs.ingestDocuments(ada, documents(4), NO_KEY);
    expect(await ended(jobs, ada, job.id)).toMatchObject({ state: 'SUCCEEDED', done: 4 });
    expect(order.at(-1)).toBe('alpha 0');
    await jobs.stop();
  });
});

describe('two servers', () => {
  withStore('share one job and count every item once', async (store) => {
    const other = await openTestStore(server.uri, { dbName: store.dbName });
    const both = [jobsOn(store, { runner: { maxBatchItems: 10 } }), jobsOn(other, { runner: { maxBatchItems: 10 } })];
    for (const jobs of both) jobs.start();
    const job = await both[0]!.create(ada, {
      kind: 'INGEST',
      apiKeyId: null,
      items: await itemsOf(store, ada, documents(120)),
    });
    // Watched through the one that hears of the other's progress by asking only.
    expect(await ended(both[1]!, ada, job.id)).toMatchObject({ state: 'SUCCEEDED', done: 120, failed: 0 });
    expect(await store.countDocuments(ada, { statuses: ['READY'] })).toBe(120);
    expect(store.embedder.asked.length + other.embedder.asked.length).toBe(120);
    expect(store.embedder.asked.length).toBeGreaterThan(0);
    expect(other.embedder.asked.length).toBeGreaterThan(0);
    await Promise.all(both.map((jobs) => jobs.stop()));
    await other.close();
  });
});

describe('filling', () => {
  withStore('a stream that is cut leaves no job, no payload and no document', async (store) => {
    const items = await itemsOf(store, ada, documents(700));
    const jobs = jobsOn(store);
    jobs.start();
    async function* cut() {
      yield* items;
      throw new Refusal('INVALID', 'the file is incomplete');
    }
    await expect(jobs.create(ada, { kind: 'INGEST', apiKeyId: null, items: cut() })).rejects.toMatchObject({
      code: 'INVALID',
    });
    const { database } = store;
    for (const collection of [database.jobs, database.jobItems, database.jobPayloads, database.documents])
      expect(await collection.countDocuments()).toBe(0);
    await jobs.stop();
  });

  withStore('that was given up by its server is swept; until then nobody sees or runs it', async (store) => {
    const items = await itemsOf(store, ada, documents(3));
    let stall = (): void => {};
    const stalled = new Promise<void>((resolve) => {
      stall = resolve;
    });
    async function* slow() {
      yield* Array.from({ length: 600 }, (_, index) => ({ ...items[0]!, name: `n${index}` }));
      await stalled;
      yield items[1]!;
    }
    const created = store.createJob(ada, { kind: 'INGEST', apiKeyId: null, items: slow() });
    created.catch(() => {});
    await expect.poll(() => store.database.jobItems.countDocuments(), SOON).toBe(500);
    expect(await store.countJobs(seenBy(ada))).toBe(0);
    expect(await store.claimItems(operator, { maxItems: 3, maxBytes: 1e6, leaseMs: 1_000 })).toBeNull();
    await store.sweepJobs(operator);
    expect(await store.database.jobs.countDocuments()).toBe(1);
    store.advance(10 * 60_000 + 1);
    await store.sweepJobs(operator);
    expect(await store.database.jobs.countDocuments()).toBe(0);
    stall();
    await expect(created).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    expect(await store.database.jobItems.countDocuments()).toBe(0);
  });

  withStore('payloads of any size come back whole, and only who runs an item reads them', async (store) => {
    const payload = Buffer.alloc(3 * 1024 * 1024 + 7, 'abcdefg');
    await store.createJob(ada, {
      kind: 'INGEST',
      apiKeyId: null,
      items: [
        { name: 'large', payload },
        { name: 'empty', payload: Buffer.alloc(0) },
        { name: 'after', payload: Buffer.from('x') },
      ],
    });
    const claim = await store.claimItems(operator, { maxItems: 10, maxBytes: 1024, leaseMs: 60_000 });
    expect(claim?.items.map(({ name }) => name)).toEqual(['large']);
    const rest = await store.claimItems(operator, { maxItems: 10, maxBytes: 1024, leaseMs: 60_000 });
    expect(rest?.items.map(({ name }) => name)).toEqual(['empty', 'after']);
    const [large] = claim!.items;
    const read = await store.readPayloads(operator, [large!.id]);
    expect([large!.payload, read.get(large!.id)?.equals(payload)]).toEqual([null, true]);
    // Small ones lie with their items.
    expect(rest!.items.map((item) => String(item.payload))).toEqual(['', 'x']);
    expect(await store.database.jobPayloads.countDocuments()).toBe(4);
  });
});

describe('what an owner may have unfinished', () => {
  withStore('is bounded in jobs, items and bytes, each refused by name, with nothing left behind', async (store) => {
    const { database, clock, sealer, filterable } = store;
    const bounded = openJobStore(database, {
      clock,
      sealer,
      filterable,
      quota: { jobs: 2, items: 5, payloadBytes: 1_000 },
    });
    const create = (owner: Scope, count: number, bytes = 1) =>
      bounded.createJob(owner, {
        kind: 'INGEST',
        apiKeyId: null,
        items: Array.from({ length: count }, (_, index) => ({ name: `n${index}`, payload: Buffer.alloc(bytes) })),
      });
    const refused = (message: RegExp) =>
      expect.objectContaining({ code: 'QUOTA_EXCEEDED', message: expect.stringMatching(message) });
    await expect(create(ada, 6)).rejects.toEqual(refused(/5 unfinished items/));
    await expect(create(ada, 2, 501)).rejects.toEqual(refused(/1000 bytes/));
    await create(ada, 4);
    await expect(create(ada, 2)).rejects.toEqual(refused(/5 unfinished items/));
    await create(ada, 1);
    await expect(create(ada, 1)).rejects.toEqual(refused(/2 unfinished jobs/));
    await create(eve, 5);
    expect(await database.jobs.countDocuments()).toBe(3);
    expect(await database.jobItems.countDocuments()).toBe(10);
    expect(await database.jobPayloads.countDocuments()).toBe(0);
  });
});

describe('retention', () => {
  withStore(
    'a job is gone a week after its end, for readers at once and from the disk with the next sweep',
    async (store) => {
      const jobs = jobsOn(store);
      jobs.start();
      const job = await jobs.ingestDocuments(ada, documents(2), NO_KEY);
      await ended(jobs, ada, job.id);
      await jobs.stop();
      store.advance(7 * 24 * 3_600_000 - 60_000);
      expect(await store.job(seenBy(ada), job.id)).not.toBeNull();
      store.advance(120_000);
      expect(await store.job(seenBy(ada), job.id)).toBeNull();
      expect(await store.countJobs(seenBy(ada))).toBe(0);
      await store.sweepJobs(operator);
      expect(await store.database.jobs.countDocuments()).toBe(0);
      expect(await store.database.jobItems.countDocuments()).toBe(0);
      expect(await store.countDocuments(ada, { statuses: ['READY'] })).toBe(2);
    },
  );

  withStore('an erased owner leaves no job behind, and what was only announced is counted too', async (store) => {
    const jobs = jobsOn(store);
    await jobs.ingestDocuments(ada, documents(3), NO_KEY);
    await jobs.ingestDocuments(eve, documents(1), NO_KEY);
    expect(await store.eraseOwner(operator, 'ada', { dryRun: true })).toMatchObject({ jobs: 1, documents: 3 });
    expect(await store.eraseOwner(operator, 'ada', { dryRun: false })).toMatchObject({ jobs: 1, documents: 3 });
    const { database } = store;
    expect(await database.jobs.countDocuments()).toBe(1);
    expect(await database.jobItems.countDocuments()).toBe(1);
    expect((await database.jobTurns.find().toArray()).map(({ owner }) => owner)).toEqual(['eve']);
    expect(await store.countDocuments(ada)).toBe(0);
  });
});
