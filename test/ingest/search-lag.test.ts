import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ingestKind } from '../../src/ingest/jobs/ingest-kind.js';
import { makeScope } from '../../src/store/scope.js';
import { startTestPocketAtlas, type TestPocketAtlas } from '../support/pocket-atlas.js';
import { ONE_PARAGRAPH, openTestStore, paragraphs, type TestStore } from '../support/test-store.js';
import { ended, jobsOn, seenBy } from './jobs/job-harness.js';

// An index that trails its collection by a second, as real ones do: who does not wait, is told so.

const LAG_MS = 1_000;
const scope = makeScope('ada', null);
let server: TestPocketAtlas;
let store: TestStore;

beforeAll(async () => {
  server = await startTestPocketAtlas({ searchLagMs: LAG_MS });
  store = await openTestStore(server.uri);
});
afterAll(async () => {
  await store?.close();
  await server?.stop();
});

test('SEARCHABLE answers when the index has caught up, STORED at once and with the truth', async () => {
  const stored = await store.upsert(scope, 'stored', paragraphs(3), { chunking: ONE_PARAGRAPH });
  expect(stored.searchable).toBe(false);
  const at = performance.now();
  const waited = await store.upsert(scope, 'waited', paragraphs(3), {
    chunking: ONE_PARAGRAPH,
    waitUntil: 'SEARCHABLE',
  });
  expect(waited.searchable).toBe(true);
  expect(performance.now() - at).toBeGreaterThan(LAG_MS / 2);
  await vi.waitFor(async () => expect((await store.upsert(scope, 'stored', paragraphs(3))).searchable).toBe(true), {
    timeout: 20_000,
  });
});

test('an item that is to be searchable waits for the index also where its first server died over that', async () => {
  const dying = jobsOn({
    ...store,
    endItems: async () => {
      throw new Error('killed');
    },
  });
  dying.start();
  const given = { title: 'resumed', text: paragraphs(3), dryRun: false, waitUntil: 'SEARCHABLE' } as const;
  const job = await dying.ingestDocuments(scope, [given], { apiKeyId: null });
  await vi.waitFor(async () => expect(await store.database.jobItems.countDocuments({ 'stored.version': 1 })).toBe(1), {
    timeout: 20_000,
  });
  await dying.stop();
  store.advance(60_001);
  let found = false;
  const waitUntilSearchable: TestStore['waitUntilSearchable'] = async (...asked) => {
    const isThere = await store.waitUntilSearchable(...asked);
    found ||= isThere;
    return isThere;
  };
  const heir = jobsOn(store, { kinds: [ingestKind(store.ingest, { waitUntilSearchable })] });
  heir.start();
  expect(await ended(heir, scope, job.id)).toMatchObject({ state: 'SUCCEEDED' });
  expect(found).toBe(true);
  await heir.stop();
  const { items } = await store.listJobItems(seenBy(scope), job.id, { first: 1 });
  expect(items[0]?.node).toMatchObject({ outcome: 'CREATED', error: null });
});

test('an abort ends the waiting, and the document is stored', async () => {
  const abort = new AbortController();
  const upserting = store.ingest.upsertDocument(
    scope,
    { title: 'aborted', text: 'text', dryRun: false, waitUntil: 'SEARCHABLE' },
    { signal: abort.signal, onProgress: ({ phase }) => phase === 'indexing' && abort.abort() },
  );
  await expect(upserting).rejects.toThrow(/abort/i);
  expect(await store.document(scope, { title: 'aborted' })).toMatchObject({ version: 1, lastError: null });
});

test('a text index that is missing keeps nobody waiting', async () => {
  await store.database.chunks.dropSearchIndex('gazetteer_text');
  const { searchable } = await store.upsert(scope, 'vectors only', paragraphs(2), { waitUntil: 'SEARCHABLE' });
  expect(searchable).toBe(true);
});
