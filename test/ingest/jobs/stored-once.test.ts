import { afterAll, beforeAll, describe, expect } from 'vitest';
import { ingestKind } from '../../../src/ingest/jobs/ingest-kind.js';
import type { JobKindWork } from '../../../src/ingest/jobs/job-kinds.js';
import { importSpec, importWork } from '../../../src/ingest/transfer/import-work.js';
import { receiveImport } from '../../../src/ingest/transfer/receive-items.js';
import { writeExport } from '../../../src/ingest/transfer/write-export.js';
import { CalledOff } from '../../../src/store/alongside.js';
import { findTornDocuments } from '../../../src/store/integrity.js';
import { makeScope, operator } from '../../../src/store/scope.js';
import { STORE_SERVERS } from '../../support/store-servers.js';
import { ONE_PARAGRAPH, paragraphs, type TestStore } from '../../support/test-store.js';
import { documents, ended, jobsOn, seenBy } from './job-harness.js';
import { asBytes, storeTests } from './store-tests.js';

const ada = makeScope('ada', null);
const NO_KEY = { apiKeyId: null };
const SOON = { timeout: 30_000 };
/** Of a server that dies before the end of an item is written. */
const killed = async (): Promise<void> => {
  throw new Error('killed');
};
const input = { dryRun: false, waitUntil: 'STORED', chunking: ONE_PARAGRAPH } as const;

describe.each(STORE_SERVERS)('what an item stored, on $name,', ({ start, hasSearch }) => {
  let server: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    server = await start();
  });
  afterAll(async () => server?.stop());

  const withStore = storeTests(() => server.uri, { requireSearch: hasSearch });

  const itemsOf = async (store: TestStore, jobId: string) => {
    const { items } = await store.listJobItems(seenBy(ada), jobId, { first: 10 });
    return items.map(({ node }) => [node.state, node.outcome, node.documentId]);
  };

  /** Runs the job on a server that dies after its item was stored and before the end of it is. */
  const dieAfterStoring = async (
    store: TestStore,
    given: Parameters<ReturnType<typeof jobsOn>['ingestDocuments']>[1],
  ) => {
    const dying = jobsOn({ ...store, endItems: killed });
    dying.start();
    const job = await dying.ingestDocuments(ada, given, NO_KEY);
    await expect.poll(() => store.database.jobItems.countDocuments({ stored: { $exists: true } }), SOON).toBe(1);
    await dying.stop();
    expect(await itemsOf(store, job.id)).toMatchObject([['RUNNING', null, expect.anything()]]);
    return job;
  };

  const SIZES = [
    ['in one transaction', {}],
    ['by the staged flip', { writeLimits: { maxTransactionRows: 2, maxTransactionBytes: 1_000_000 } }],
  ] as const;
  for (const [how, options] of SIZES)
    withStore(
      `${how}, is not put over a newer text when its server died before it could say so`,
      async (store) => {
        const job = await dieAfterStoring(store, [{ title: 't', text: paragraphs(5, 'older'), ...input }]);
        const byHand = await store.upsert(ada, 't', 'The newer text.');
        expect([byHand.outcome, byHand.document?.version]).toEqual(['UPDATED', 2]);
        store.advance(60_001);
        const heir = jobsOn(store);
        heir.start();
        expect(await ended(heir, ada, job.id)).toMatchObject({ state: 'SUCCEEDED', done: 1 });
        await heir.stop();
        const { id } = byHand.document!;
        expect(await store.document(ada, { title: 't' })).toMatchObject({ version: 2 });
        expect(await store.texts(ada, [id])).toEqual(['The newer text.']);
        expect(await itemsOf(store, job.id)).toEqual([['SUCCEEDED', 'CREATED', id]]);
        expect(await store.database.jobItems.countDocuments({ stored: { $exists: true } })).toBe(0);
        expect(heir.errors).toEqual([]);
      },
      options,
    );

  withStore('attributes alone, is not put over newer ones', async (store) => {
    const text = paragraphs(2);
    const { document } = await store.upsert(ada, 't', text, input);
    const job = await dieAfterStoring(store, [{ title: 't', text, metadata: { state: 'older' }, ...input }]);
    expect(await store.document(ada, { title: 't' })).toMatchObject({ metadata: { state: 'older' }, version: 1 });
    await store.updateAttributes(ada, { title: 't' }, { metadata: { state: 'newer' } });
    store.advance(60_001);
    const heir = jobsOn(store);
    heir.start();
    await ended(heir, ada, job.id);
    await heir.stop();
    expect(await store.document(ada, { title: 't' })).toMatchObject({ metadata: { state: 'newer' } });
    expect(await itemsOf(store, job.id)).toEqual([['SUCCEEDED', 'UPDATED', document?.id]]);
  });

  withStore('of an import, is not put over a newer text either', async (store) => {
    const eve = makeScope('eve', null);
    await store.upsert(eve, 't', paragraphs(3, 'older'), input);
    const { items, space } = await receiveImport(asBytes(writeExport(store, eve)));
    const kinds = [importWork({ store, embedderOf: () => store.embedder })];
    const dying = jobsOn({ ...store, endItems: killed }, { kinds });
    dying.start();
    const job = await dying.create(ada, { kind: 'IMPORT', spec: importSpec(space, 'refuse'), apiKeyId: null, items });
    await expect.poll(() => store.database.jobItems.countDocuments({ stored: { $exists: true } }), SOON).toBe(1);
    await dying.stop();
    const byHand = await store.upsert(ada, 't', 'The newer text.');
    store.advance(60_001);
    const heir = jobsOn(store, { kinds });
    heir.start();
    expect(await ended(heir, ada, job.id)).toMatchObject({ state: 'SUCCEEDED', done: 1 });
    await heir.stop();
    expect(await store.document(ada, { title: 't' })).toMatchObject({ version: 2 });
    expect(await itemsOf(store, job.id)).toEqual([['SUCCEEDED', 'CREATED', byHand.document?.id]]);
  });

  withStore('counts as done where its job is cancelled after its server died', async (store) => {
    const job = await dieAfterStoring(store, [{ title: 't', text: 'A text.', ...input }]);
    store.advance(60_001);
    const jobs = jobsOn(store);
    expect(await jobs.cancel(seenBy(ada), job.id)).toMatchObject({ state: 'SUCCEEDED', done: 1, cancelled: 0 });
    const stored = await store.document(ada, { title: 't' });
    expect(await itemsOf(store, job.id)).toEqual([['SUCCEEDED', 'CREATED', stored?.id]]);
  });

  withStore('is its end, whatever its worker says later', async (store) => {
    const job = await dieAfterStoring(store, [{ title: 't', text: 'A text.', ...input }]);
    const row = await store.database.jobItems.findOne();
    const held = { jobId: job.id, itemId: row!._id.toHexString(), lease: row!.lease! };
    await store.endItems(operator, [{ ...held, end: { ended: 'NOT_YET', afterMs: 0, isInterruption: true } }]);
    expect(await itemsOf(store, job.id)).toEqual([['SUCCEEDED', 'CREATED', row!.stored!.document_id.toHexString()]]);
    expect(await store.job(seenBy(ada), job.id)).toMatchObject({ state: 'SUCCEEDED', done: 1 });
  });

  for (const [how, options] of SIZES)
    withStore(
      `${how}, is nothing where its lease was lost, quietly, and those beside it are stored`,
      async (store) => {
        const inner = ingestKind(store.ingest, store);
        const thief: JobKindWork = {
          kind: 'INGEST',
          async runItem(item, context) {
            if (inner.kind === 'REEMBED') throw new TypeError('not an ingest');
            if (item.position === 1)
              await store.database.jobItems.updateOne({ position: 1 }, { $set: { lease: 'stolen' } });
            return await inner.runItem(item, context);
          },
        };
        const jobs = jobsOn(store, { kinds: [thief] });
        jobs.start();
        const given = documents(6).map((item) => ({ ...item, ...input, text: paragraphs(4, item.title) }));
        const job = await jobs.ingestDocuments(ada, given, NO_KEY);
        await expect.poll(async () => (await store.job(seenBy(ada), job.id))?.done, SOON).toBe(5);
        await jobs.stop();
        expect(jobs.errors).toEqual([]);
        expect(await store.countDocuments(ada, { statuses: ['READY'] })).toBe(5);
        const lost = await store.document(ada, { title: 'alpha 1' });
        expect(lost).toMatchObject({ version: 0, status: 'PENDING', lastError: null });
        expect(await findTornDocuments(store.database)).toEqual([]);
        expect(await store.database.jobItems.countDocuments({ lease: 'stolen', state: 'RUNNING' })).toBe(1);
      },
      options,
    );

  withStore('is called off for attributes alone too, and for whoever noted something already', async (store) => {
    const text = paragraphs(2);
    await store.upsert(ada, 't', text, input);
    const alongside = store.noteStored(operator, { itemId: 'a'.repeat(24), lease: 'of nobody' });
    for (const change of [{ text: 'Another.' }, { text, metadata: { a: 1 } }])
      await expect(
        store.ingest.upsertDocument(ada, { title: 't', ...input, ...change }, { alongside }),
      ).rejects.toThrow(CalledOff);
    expect(await store.document(ada, { title: 't' })).toMatchObject({ version: 1, metadata: {}, lastError: null });
    await dieAfterStoring(store, [{ title: 'u', text, ...input }]);
    const row = await store.database.jobItems.findOne();
    const again = store.noteStored(operator, { itemId: row!._id.toHexString(), lease: row!.lease! });
    await expect(
      store.ingest.upsertDocument(ada, { title: 'u', ...input, text: 'Another.' }, { alongside: again }),
    ).rejects.toThrow(CalledOff);
    expect(await store.document(ada, { title: 'u' })).toMatchObject({ version: 1 });
  });
});
