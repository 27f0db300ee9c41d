import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LEASE_MS } from '../../src/store/claim.js';
import { makeScope, operator } from '../../src/store/scope.js';
import { STORE_SERVERS } from '../support/store-servers.js';
import { ONE_PARAGRAPH, openTestStore, paragraphs, type TestStore } from '../support/test-store.js';

const scope = makeScope('ada', null);
const chunking = ONE_PARAGRAPH;

describe.each(STORE_SERVERS)('attributes on $name', ({ start, hasSearch }) => {
  let server: Awaited<ReturnType<typeof start>>;
  const stores: TestStore[] = [];
  const open = async (options: Parameters<typeof openTestStore>[1] = {}): Promise<TestStore> => {
    const store = await openTestStore(server.uri, {
      requireSearch: hasSearch,
      filterable: { topic: 'string' },
      ...options,
    });
    stores.push(store);
    return store;
  };

  beforeAll(async () => {
    server = await start();
  });
  afterAll(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await server?.stop();
  });

  test('change with the revision alone, and an update that changes nothing is none', async () => {
    const store = await open();
    const { document } = await store.upsert(scope, 't', paragraphs(2), { metadata: { topic: 'a' } });
    const changed = await store.updateAttributes(
      scope,
      { title: 't' },
      { title: 'T 2', metadata: { topic: 'b' }, sourceUri: 'x' },
      1,
    );
    expect(changed).toMatchObject({ id: document?.id, title: 'T 2', version: 1, revision: 2, sourceUri: 'x' });
    expect(await store.document(scope, { title: 't' })).toBeNull();
    expect(await store.updateAttributes(scope, { title: 'T 2' }, { metadata: { topic: 'b' } })).toEqual(changed);
    expect((await store.database.chunks.findOne())?.metadata).toEqual({ topic: 'b' });
  });

  test('an expected revision that is past, a taken title and bad values are refused', async () => {
    const store = await open();
    await store.upsert(scope, 'a', 'x');
    await store.upsert(scope, 'b', 'x');
    const update = (changes: object, revision?: number) =>
      store.updateAttributes(scope, { title: 'a' }, changes, revision);
    await expect(update({ sourceUri: 'x' }, 2)).rejects.toMatchObject({
      code: 'CONFLICT',
      path: ['input', 'expectedRevision'],
    });
    await expect(update({ title: ' b ' })).rejects.toMatchObject({ code: 'CONFLICT', path: ['input', 'title'] });
    await expect(update({ title: '\u200b' })).rejects.toMatchObject({ code: 'INVALID', path: ['input', 'title'] });
    await expect(update({ metadata: { 'a.b': 1 } })).rejects.toMatchObject({
      code: 'INVALID',
      path: ['input', 'metadata'],
    });
    await expect(update({ agentIds: [''] })).rejects.toMatchObject({ code: 'INVALID', path: ['input', 'agentIds'] });
    expect(await store.updateAttributes(scope, { title: 'none' }, { sourceUri: 'x' })).toBeNull();
    expect(await store.document(scope, { title: 'a' })).toMatchObject({ revision: 1 });
  });

  test('of many rows follow their document in batches, and a crash in between is finished by the sweeper', async () => {
    const store = await open({ writeLimits: { maxTransactionRows: 3, maxTransactionBytes: 1_000_000 } });
    const { document } = await store.upsert(scope, 't', paragraphs(8), { chunking, agentIds: ['old'] });
    await store.updateAttributes(scope, { title: 't' }, { agentIds: ['new'] });
    expect(await store.database.chunks.distinct('agent_ids')).toEqual(['new']);
    expect((await store.database.documents.findOne())?.attributes_pending).toBeUndefined();

    const crashing = await open({
      dbName: store.dbName,
      writeLimits: { maxTransactionRows: 3, maxTransactionBytes: 1_000_000 },
    });
    crashing.database.chunks.updateMany = () => {
      throw new Error('crashed');
    };
    await expect(crashing.updateAttributes(scope, { title: 't' }, { agentIds: ['newest'] })).rejects.toThrow('crashed');
    // The document leads: it is what every read goes by.
    expect(await store.document(scope, { title: 't' })).toMatchObject({ agentIds: ['newest'], revision: 3 });
    expect(await store.database.chunks.distinct('agent_ids')).toEqual(['new']);
    expect(await store.waitUntilSearchable(scope, document?.id as string, 1, { timeoutMs: 0 })).toBe(false);
    store.advance(LEASE_MS + 1_000);
    expect(await store.sweep(operator)).toMatchObject({ attributesPropagated: 1 });
    expect(await store.database.chunks.distinct('agent_ids')).toEqual(['newest']);
    expect(await store.sweep(operator)).toMatchObject({ attributesPropagated: 0 });
  });

  test('changed by twenty callers at once end with document and rows at one of them, twenty revisions on', async () => {
    const store = await open();
    await store.upsert(scope, 't', paragraphs(3), { chunking });
    const changes = Array.from({ length: 20 }, (_, index) =>
      store.updateAttributes(scope, { title: 't' }, { agentIds: [`a${index}`] }),
    );
    expect(
      (await Promise.all(changes)).map((document) => document?.revision).sort((a, b) => Number(a) - Number(b)),
    ).toEqual(Array.from({ length: 20 }, (_, index) => index + 2));
    const document = await store.document(scope, { title: 't' });
    expect(document?.revision).toBe(21);
    for (const row of await store.database.chunks.find().toArray()) expect(row.agent_ids).toEqual(document?.agentIds);
  });
});
