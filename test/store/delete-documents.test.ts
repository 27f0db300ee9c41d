import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LEASE_MS } from '../../src/store/claim.js';
import type { DocumentFilter } from '../../src/store/filter.js';
import { requireDeletingFilter } from '../../src/store/filter-restricts.js';
import { findOrphanedChunks } from '../../src/store/integrity.js';
import { makeScope, operator } from '../../src/store/scope.js';
import { STORE_SERVERS } from '../support/store-servers.js';
import { ONE_PARAGRAPH, openTestStore, paragraphs, type TestStore } from '../support/test-store.js';

const scope = makeScope('ada', null);
const chunking = ONE_PARAGRAPH;

test.each([
  {},
  { and: [] },
  { metadata: [] },
  { metadata: [{ key: 'k', nin: [] }] },
  { not: { ids: ['a'] } },
  { and: [{ not: { ids: ['a'] } }] },
  { or: [{ not: { ids: ['a'] } }] },
  { or: [{ ids: ['a'] }, { and: [] }] },
  { or: [{ ids: ['a'] }, { metadata: [{ key: 'k', nin: [] }] }] },
] as DocumentFilter[])('%j must not delete', (filter) => {
  expect(() => requireDeletingFilter(filter)).toThrow(
    expect.objectContaining({ code: 'INVALID', path: ['input', 'filter'] }),
  );
});

test.each([
  { ids: [] },
  { titles: ['a'] },
  { hasLastError: false },
  { ids: ['a'], not: { titles: ['b'] } },
  { and: [{ not: { ids: ['a'] } }, { statuses: ['READY'] }] },
  { or: [{ titles: ['a'] }, { ids: ['b'] }] },
  { metadata: [{ key: 'k', nin: ['x'] }] },
] as DocumentFilter[])('%j may delete', (filter) => {
  expect(() => requireDeletingFilter(filter)).not.toThrow();
});

describe.each(STORE_SERVERS)('deleting on $name', ({ start, hasSearch }) => {
  let server: Awaited<ReturnType<typeof start>>;
  const stores: TestStore[] = [];
  const open = async (options: Parameters<typeof openTestStore>[1] = {}): Promise<TestStore> => {
    const store = await openTestStore(server.uri, { requireSearch: hasSearch, ...options });
    stores.push(store);
    return store;
  };
  const isEmpty = async ({ database }: TestStore): Promise<boolean> => {
    const collections = [database.documents, database.chunks, database.texts, database.cleanups] as {
      countDocuments(): Promise<number>;
    }[];
    return (await Promise.all(collections.map((collection) => collection.countDocuments()))).every(
      (count) => count === 0,
    );
  };

  beforeAll(async () => {
    server = await start();
  });
  afterAll(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await server?.stop();
  });

  test('takes a small document with its rows and text in one transaction, and counts its chunks', async () => {
    const store = await open();
    const { document } = await store.upsert(scope, 't', paragraphs(4), { chunking });
    const id = document?.id as string;
    await expect(store.deleteDocument(scope, { id }, 7)).rejects.toMatchObject({
      code: 'CONFLICT',
      path: ['input', 'expectedRevision'],
    });
    expect(await store.deleteDocument(scope, { title: ' t ' }, 1)).toEqual({ id, deletedChunks: 4 });
    expect(await isEmpty(store)).toBe(true);
    expect(await store.deleteDocument(scope, { id })).toBeNull();
    expect(await store.deleteDocument(scope, { id: 'JGL-24423/TL' })).toBeNull();
    // A title created again is a new document.
    expect((await store.upsert(scope, 't', paragraphs(4))).document?.id).not.toBe(id);
  });

  test('takes a large document in batches, superseded rows included, and counts the live chunks', async () => {
    const store = await open({ writeLimits: { maxTransactionRows: 3, maxTransactionBytes: 1_000_000 } });
    await store.upsert(scope, 't', paragraphs(9), { chunking });
    await store.upsert(scope, 't', `${paragraphs(1, 'omega')}\n\n${paragraphs(7)}`);
    expect(await store.database.chunks.countDocuments()).toBeGreaterThan(9);
    expect(await store.deleteDocument(scope, { title: 't' })).toMatchObject({ deletedChunks: 8 });
    expect(await isEmpty(store)).toBe(true);
  });

  test('a crash after the document went leaves rows that nobody sees, and the sweeper takes them', async () => {
    const store = await open({ writeLimits: { maxTransactionRows: 3, maxTransactionBytes: 1_000_000 } });
    const { document } = await store.upsert(scope, 't', paragraphs(6), { chunking });
    const [chunk] = (await store.listChunks(scope, document?.id as string, { first: 1 })).items;
    const crashing = await open({
      dbName: store.dbName,
      writeLimits: { maxTransactionRows: 3, maxTransactionBytes: 1_000_000 },
    });
    crashing.database.cleanups.updateOne = () => {
      throw new Error('crashed');
    };
    await expect(crashing.deleteDocument(scope, { title: 't' })).rejects.toThrow('crashed');
    expect(await store.database.chunks.countDocuments()).toBe(6);
    expect(await store.document(scope, { title: 't' })).toBeNull();
    expect(await store.chunkTexts(scope, [chunk?.node.id as string])).toEqual([null]);
    expect(await findOrphanedChunks(store.database)).toBe(0);
    expect(await store.sweep(operator)).toMatchObject({ deletedCleaned: 0 });
    store.advance(LEASE_MS + 1_000);
    expect(await store.sweep(operator)).toMatchObject({ deletedCleaned: 1 });
    expect(await isEmpty(store)).toBe(true);
  });

  test('by a filter counts first, then deletes just what matches', async () => {
    const store = await open({ filterable: { topic: 'string' } });
    for (let index = 0; index < 6; index++)
      await store.upsert(scope, `t${index}`, paragraphs(index + 1), {
        chunking,
        metadata: { topic: index % 2 === 0 ? 'even' : 'odd' },
      });
    const filter = { metadata: [{ key: 'topic', eq: 'odd' }] };
    const counts = { deletedDocuments: 3, deletedChunks: 12 };
    expect(await store.deleteDocuments(scope, filter, { dryRun: true })).toEqual(counts);
    expect(await store.countDocuments(scope)).toBe(6);
    expect(await store.deleteDocuments(scope, filter, { dryRun: false })).toEqual(counts);
    const { items } = await store.listDocuments(scope, { orderBy: 'TITLE', first: 10 });
    expect(items.map(({ node }) => node.title)).toEqual(['t0', 't2', 't4']);
    expect(await store.database.chunks.countDocuments()).toBe(9);
    for (const dangerous of [{}, { and: [] }, { not: { ids: [] } }])
      for (const dryRun of [true, false])
        await expect(store.deleteDocuments(scope, dangerous, { dryRun })).rejects.toMatchObject({ code: 'INVALID' });
    expect(await store.deleteDocuments(scope, { ids: [] }, { dryRun: false })).toEqual({
      deletedDocuments: 0,
      deletedChunks: 0,
    });
    expect(await store.countDocuments(scope)).toBe(3);
  });

  test('and upserting one title at the same time leaves a whole document or none', async () => {
    const store = await open();
    await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        index % 2 === 0
          ? store.upsert(scope, 't', paragraphs(3, `word${index}`), { chunking })
          : store.deleteDocument(scope, { title: 't' }),
      ),
    );
    const document = await store.document(scope, { title: 't' });
    expect(await store.database.chunks.countDocuments()).toBe(document?.chunkCount ?? 0);
    expect(await findOrphanedChunks(store.database)).toBe(0);
  });
});
