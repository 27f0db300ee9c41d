import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeScope, operator } from '../../src/store/scope.js';
import { startTestPocketAtlas, type TestPocketAtlas } from '../support/pocket-atlas.js';
import { ONE_PARAGRAPH, openTestStore, paragraphs, type TestStore } from '../support/test-store.js';

/**
 * Filterable keys that are declared or retyped while documents are there, and while other servers run: a filter either
 * knows every row, or says that it cannot.
 */
const scope = makeScope('ada', null);
const chunking = ONE_PARAGRAPH;
const YEAR = { year: 'number' } as const;
const after2000 = { metadata: [{ key: 'year', gt: 2000 }] };
let server: TestPocketAtlas;
const stores: TestStore[] = [];

beforeAll(async () => {
  // An index that lags: whoever does not wait for it is caught.
  server = await startTestPocketAtlas({ searchLagMs: 500 });
});
afterAll(async () => {
  await Promise.all(stores.map((store) => store.close()));
  await server?.stop();
});

async function open(dbName: string, options: Parameters<typeof openTestStore>[1] = {}): Promise<TestStore> {
  const store = await openTestStore(server.uri, { dbName, ...options });
  stores.push(store);
  return store;
}

const newDatabase = () => `t_${randomUUID().slice(0, 18)}`;

async function settled(store: TestStore): Promise<void> {
  await expect.poll(() => store.filterKeys().pending.size, { timeout: 20_000 }).toBe(0);
}

/** The chunks that the vector index returns for a year, as a leg asks it. */
async function indexed(store: TestStore, condition: object): Promise<number> {
  const rows = await store.database.searchChunks
    .aggregate([
      {
        $vectorSearch: {
          index: 'gazetteer_vector_s1',
          path: 'embeddings.s1',
          queryVector: Array.from({ length: 256 }, () => 1),
          exact: true,
          limit: 1_000,
          filter: { owner: 'ada', ...condition },
        },
      },
      { $project: { _id: 1 } },
    ])
    .toArray();
  return rows.length;
}

describe('a key that is declared while documents are there', () => {
  test('is INDEX_NOT_READY with its name until rows and index have it; then the index misses none', async () => {
    const dbName = newDatabase();
    const first = await open(dbName);
    for (let index = 0; index < 20; index++)
      await first.upsert(scope, `t${index}`, paragraphs(3), { chunking, metadata: { year: 1_991 + index } });
    const store = await open(dbName, { filterable: YEAR });
    expect([...store.filterKeys().pending]).toEqual(['year']);
    await expect(store.countDocuments(scope, after2000)).rejects.toMatchObject({
      code: 'INDEX_NOT_READY',
      details: { key: 'year' },
    });
    await settled(store);
    // At this very moment, not some time later.
    expect(await indexed(store, { 'metadata.year': { $gt: 2_000 } })).toBe(30);
    expect(await store.countDocuments(scope, after2000)).toBe(10);
    expect(await store.database.cleanups.countDocuments()).toBe(0);
    expect(await store.database.settings.findOne({ _id: 'filterable' })).not.toHaveProperty('copying');
  });

  test('reaches what a server that does not know it writes meanwhile and afterwards', async () => {
    const dbName = newDatabase();
    const old = await open(dbName);
    await old.upsert(scope, 'before', 'text', { metadata: { year: 2001 } });
    const store = await open(dbName, { filterable: YEAR });
    await Promise.all([
      old.upsert(scope, 'meanwhile', 'text', { metadata: { year: 2002 } }),
      old.upsert(scope, 'before', 'another text', { metadata: { year: 2003 } }),
    ]);
    await settled(store);
    await old.upsert(scope, 'after', 'text', { metadata: { year: 2004 } });
    await old.updateAttributes(scope, { title: 'meanwhile' }, { metadata: { year: 2005 } });
    expect(await store.countDocuments(scope, after2000)).toBe(3);
    const years = (await store.database.chunks.find().toArray()).map(({ metadata }) => metadata.year);
    expect(years.sort()).toEqual([2003, 2004, 2005]);
    // And it stays declared for those who come later.
    const again = await open(dbName, { filterable: YEAR });
    expect(again.filterKeys().pending.size).toBe(0);
  });

  test('is copied by one of several servers, and by another when that one dies in the middle', async () => {
    const dbName = newDatabase();
    const first = await open(dbName);
    for (let index = 0; index < 5; index++)
      await first.upsert(scope, `t${index}`, 'text', { metadata: { year: 2001 + index } });
    const [a, b] = await Promise.all([open(dbName, { filterable: YEAR }), open(dbName, { filterable: YEAR })]);
    await Promise.all([settled(a), settled(b)]);
    expect(await b.countDocuments(scope, after2000)).toBe(5);

    // As a server leaves it that dies: some documents have the key, somebody is at it and says nothing any more.
    await a.database.settings.updateOne(
      { _id: 'filterable' },
      { $set: { projected: {}, copying: { by: 'dead', at: new Date(Date.now() - 60_000) } } },
    );
    await a.database.documents.updateMany({ title: /t[123]/ }, { $set: { filterable: {} } });
    await a.database.chunks.updateMany({}, { $set: { metadata: {} } });
    const c = await open(dbName, { filterable: YEAR });
    await settled(c);
    expect(await c.countDocuments(scope, after2000)).toBe(5);
    expect(await c.database.chunks.countDocuments({ 'metadata.year': { $gt: 2_000 } })).toBe(5);
  });

  test('waits for the server that copies while that one lives', async () => {
    const dbName = newDatabase();
    const first = await open(dbName);
    await first.upsert(scope, 't', 'text', { metadata: { year: 2001 } });
    await first.database.settings.updateOne(
      { _id: 'filterable' },
      { $set: { projected: {}, copying: { by: 'another', at: new Date() } } },
      { upsert: true },
    );
    const store = await open(dbName, { filterable: YEAR });
    await expect(store.countDocuments(scope, after2000)).rejects.toMatchObject({ code: 'INDEX_NOT_READY' });
    // Its time has passed.
    store.advance(31_000);
    await settled(store);
    expect(await store.countDocuments(scope, after2000)).toBe(1);
  });
});

test('a key that is retyped is INDEX_NOT_READY until every row and the index hold the new type', async () => {
  const dbName = newDatabase();
  const first = await open(dbName, { filterable: { day: 'string' } });
  const day = '2024-05-01T00:00:00Z';
  for (let index = 0; index < 10; index++) await first.upsert(scope, `t${index}`, 'text', { metadata: { day } });
  const store = await open(dbName, { filterable: { day: 'date' } });
  expect([...store.filterKeys().pending]).toEqual(['day']);
  await settled(store);
  expect(await indexed(store, { 'metadata.day': { $gte: new Date('2024-01-01T00:00:00Z') } })).toBe(10);
  const text = (await store.listSearchIndexes(operator)).find(({ kind }) => kind === 'TEXT');
  expect(text).toMatchObject({ problems: [] });
});
