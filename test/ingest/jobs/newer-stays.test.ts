import { afterAll, beforeAll, describe, expect } from 'vitest';
import { importSpec, importWork } from '../../../src/ingest/transfer/import-work.js';
import { receiveImport } from '../../../src/ingest/transfer/receive-items.js';
import { writeExport } from '../../../src/ingest/transfer/write-export.js';
import { makeScope } from '../../../src/store/scope.js';
import { STORE_SERVERS } from '../../support/store-servers.js';
import { paragraphs, type TestStore } from '../../support/test-store.js';
import { ended, jobsOn, seenBy } from './job-harness.js';
import { asBytes, storeTests } from './store-tests.js';

const ada = makeScope('ada', null);
const NO_KEY = { apiKeyId: null };
const input = { dryRun: false, waitUntil: 'STORED' } as const;

describe.each(STORE_SERVERS)('what was queued first, on $name,', ({ start, hasSearch }) => {
  let server: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    server = await start();
  });
  afterAll(async () => server?.stop());

  const withStore = storeTests(() => server.uri, { requireSearch: hasSearch });

  const itemsOf = async (store: TestStore, jobId: string) => {
    const { items } = await store.listJobItems(seenBy(ada), jobId, { first: 10 });
    return items.map(({ node }) => [node.state, node.outcome ?? node.error]);
  };
  const run = async (store: TestStore, jobIds: readonly string[], kinds?: Parameters<typeof jobsOn>[1]) => {
    const jobs = jobsOn(store, kinds);
    jobs.start();
    for (const id of jobIds) await ended(jobs, ada, id);
    await jobs.stop();
    expect(jobs.errors).toEqual([]);
  };
  const textOf = async (store: TestStore, title = 't') => {
    const found = await store.document(ada, { title });
    return (await store.texts(ada, [found!.id]))[0];
  };
  const OLDER = {
    code: 'CONFLICT',
    message: expect.stringContaining('changed after this was queued'),
    retryable: false,
  };

  for (const [what, before] of [
    ['a new document', null],
    ['a document that was there', 'The oldest text.'],
  ] as const)
    withStore(`is a conflict where ${what} was written by hand meanwhile, and costs nothing`, async (store) => {
      if (before !== null) await store.upsert(ada, 't', before);
      const queue = jobsOn(store);
      const job = await queue.ingestDocuments(ada, [{ title: 't', text: 'The older text.', ...input }], NO_KEY);
      const { document } = await store.upsert(ada, 't', 'The newer text.');
      const { calls } = store.embedder;
      await run(store, [job.id]);
      expect(await itemsOf(store, job.id)).toEqual([['FAILED', OLDER]]);
      expect(await textOf(store)).toBe('The newer text.');
      expect(await store.document(ada, { title: 't' })).toMatchObject({
        version: document!.version,
        status: 'READY',
        lastError: null,
      });
      expect(store.embedder.calls).toBe(calls);
      // and stays one when it is tried again
      await queue.retry(seenBy(ada), job.id, NO_KEY);
      await run(store, [job.id]);
      expect(await textOf(store)).toBe('The newer text.');
    });

  withStore('keeps a newer text that came while its own was embedded', async (store) => {
    let byHand: Promise<unknown> | null = null;
    const embed = store.embedder.embed.bind(store.embedder);
    store.embedder.embed = async (texts, options) => {
      if (texts.includes('The older text.')) byHand ??= store.upsert(ada, 't', 'The newer text.');
      if (texts.includes('The older text.')) await byHand;
      return await embed(texts, options);
    };
    const job = await jobsOn(store).ingestDocuments(ada, [{ title: 't', text: 'The older text.', ...input }], NO_KEY);
    await run(store, [job.id]);
    expect(byHand).not.toBeNull();
    expect(await itemsOf(store, job.id)).toEqual([['FAILED', OLDER]]);
    expect(await textOf(store)).toBe('The newer text.');
  });

  for (const [what, before] of [
    ['a new document', null],
    ['a document that was there', 'The oldest text.'],
  ] as const)
    withStore(`does not bring ${what} back that was deleted by hand meanwhile`, async (store) => {
      if (before !== null) await store.upsert(ada, 't', before);
      const queue = jobsOn(store);
      const job = await queue.ingestDocuments(ada, [{ title: 't', text: 'The older text.', ...input }], NO_KEY);
      await store.deleteDocument(ada, { title: 't' });
      await run(store, [job.id]);
      const DELETED = { code: 'CONFLICT', message: expect.stringContaining('was deleted after'), retryable: false };
      expect(await itemsOf(store, job.id)).toEqual([['FAILED', DELETED]]);
      expect(await store.countDocuments(ada)).toBe(0);
      // nor when it is tried again
      await queue.retry(seenBy(ada), job.id, NO_KEY);
      await run(store, [job.id]);
      expect(await store.countDocuments(ada)).toBe(0);
    });

  withStore('does not replace a document that was made anew after a deletion, at the same version', async (store) => {
    await store.upsert(ada, 't', 'The oldest text.');
    const job = await jobsOn(store).ingestDocuments(ada, [{ title: 't', text: 'The older text.', ...input }], NO_KEY);
    await store.deleteDocument(ada, { title: 't' });
    await store.upsert(ada, 't', 'The newer text.');
    await run(store, [job.id]);
    expect(await itemsOf(store, job.id)).toEqual([['FAILED', OLDER]]);
    expect(await textOf(store)).toBe('The newer text.');
  });

  withStore('is stored where a job that was given the same title later is cancelled', async (store) => {
    const queue = jobsOn(store);
    const [first, second] = [
      await queue.ingestDocuments(ada, [{ title: 't', text: 'First.', ...input }], NO_KEY),
      await queue.ingestDocuments(ada, [{ title: 't', text: 'Second.', ...input }], NO_KEY),
    ];
    await queue.cancel(seenBy(ada), second.id);
    expect(await store.document(ada, { title: 't' })).toMatchObject({ status: 'PENDING' });
    await run(store, [first.id]);
    expect(await itemsOf(store, first.id)).toEqual([['SUCCEEDED', 'CREATED']]);
    expect(await textOf(store)).toBe('First.');
  });

  withStore('goes as PENDING with the last of the jobs that were to store it', async (store) => {
    const queue = jobsOn(store);
    const jobs = [];
    for (const text of ['First.', 'Second.'])
      jobs.push(await queue.ingestDocuments(ada, [{ title: 't', text, ...input }], NO_KEY));
    for (const [index, { id }] of jobs.entries()) {
      await queue.cancel(seenBy(ada), id);
      expect(await store.countDocuments(ada, { statuses: ['PENDING'] })).toBe(1 - index);
    }
  });

  withStore('is UNCHANGED where the same was written by hand meanwhile', async (store) => {
    const job = await jobsOn(store).ingestDocuments(ada, [{ title: 't', text: 'One text.', ...input }], NO_KEY);
    await store.upsert(ada, 't', 'One text.');
    await run(store, [job.id]);
    expect(await itemsOf(store, job.id)).toEqual([['SUCCEEDED', 'UNCHANGED']]);
  });

  withStore('takes nothing back of attributes that were set meanwhile, and its text comes', async (store) => {
    await store.upsert(ada, 't', 'The oldest text.');
    await store.upsert(ada, 'u', 'The oldest text.', { metadata: { state: 'oldest' } });
    const given = [
      { title: 't', text: 'Text of the job.', ...input },
      { title: 'u', text: 'Text of the job.', metadata: { state: 'older' }, ...input },
    ];
    const job = await jobsOn(store).ingestDocuments(ada, given, NO_KEY);
    for (const title of ['t', 'u']) await store.updateAttributes(ada, { title }, { metadata: { state: 'newer' } });
    await run(store, [job.id]);
    expect(await itemsOf(store, job.id)).toEqual([
      ['SUCCEEDED', 'UPDATED'],
      ['FAILED', OLDER],
    ]);
    expect(await textOf(store)).toBe('Text of the job.');
    for (const title of ['t', 'u'])
      expect(await store.document(ada, { title })).toMatchObject({ metadata: { state: 'newer' } });
  });

  withStore('loses to what another job was given later, in whatever order they run', async (store) => {
    const queue = jobsOn(store);
    const first = await queue.ingestDocuments(ada, [{ title: 't', text: 'First.', ...input }], NO_KEY);
    store.advance(1_000);
    const second = await queue.ingestDocuments(ada, [{ title: 't', text: 'Second.', ...input }], NO_KEY);
    store.advance(1_000);
    const third = await queue.ingestDocuments(ada, [{ title: 't', text: 'Third.', ...input }], NO_KEY);
    const hold = (ids: readonly string[], isHeld: boolean) =>
      Promise.all(
        ids.map(async (id) => {
          const row = await store.database.jobs.find().toArray();
          const job = row.find(({ _id }) => _id.toHexString() === id)!;
          const due = new Date(Date.now() + (isHeld ? 3_600_000 : 0));
          await store.database.jobItems.updateMany({ job_id: job._id }, { $set: { claimable_at: due } });
        }),
      );
    await hold([first.id, third.id], true);
    await run(store, [second.id]);
    await hold([first.id], false);
    await store.database.jobs.updateMany({}, { $set: { due_at: new Date(0) } });
    await store.database.jobTurns.updateMany({}, { $set: { due_at: new Date(0) } });
    await run(store, [first.id]);
    expect(await itemsOf(store, first.id)).toEqual([['FAILED', OLDER]]);
    expect(await textOf(store)).toBe('Second.');
    await hold([third.id], false);
    await store.database.jobs.updateMany({}, { $set: { due_at: new Date(0) } });
    await store.database.jobTurns.updateMany({}, { $set: { due_at: new Date(0) } });
    await run(store, [third.id]);
    expect(await itemsOf(store, third.id)).toEqual([['SUCCEEDED', 'UPDATED']]);
    expect(await textOf(store)).toBe('Third.');
  });

  withStore('is a conflict in an import too', async (store) => {
    const eve = makeScope('eve', null);
    for (const title of ['t', 'u', 'v']) await store.upsert(eve, title, paragraphs(3, 'older'));
    await store.upsert(ada, 'u', 'The oldest text.');
    const { items, space } = await receiveImport(asBytes(writeExport(store, eve)));
    const kinds = [importWork({ store, embedderOf: () => store.embedder })];
    const job = await jobsOn(store, { kinds }).create(ada, {
      kind: 'IMPORT',
      spec: importSpec(space, 'refuse'),
      apiKeyId: null,
      items,
    });
    for (const title of ['t', 'u']) await store.upsert(ada, title, 'The newer text.');
    await run(store, [job.id], { kinds });
    expect((await itemsOf(store, job.id)).map((item) => item[0]).sort()).toEqual(['FAILED', 'FAILED', 'SUCCEEDED']);
    expect(await itemsOf(store, job.id)).toContainEqual(['FAILED', OLDER]);
    for (const title of ['t', 'u']) expect(await textOf(store, title)).toBe('The newer text.');
    expect(await textOf(store, 'v')).toBe(paragraphs(3, 'older'));
  });
});
