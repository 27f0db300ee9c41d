import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeScope, operator, type Scope } from '../../src/store/scope.js';
import { VersionMoved } from '../../src/store/store.js';
import { STORE_SERVERS } from '../support/store-servers.js';
import { ONE_PARAGRAPH, openTestStore, paragraphs, type TestStore } from '../support/test-store.js';

// Two owners with the same titles, and two agents of one owner: every function of the store is called with ids of the
// other's, and must answer as if nothing were there.

const ada = makeScope('ada', null);
const eve = makeScope('eve', null);
const red = makeScope('ada', ['red']);
const blue = makeScope('ada', ['blue']);
const chunking = ONE_PARAGRAPH;

describe.each(STORE_SERVERS)('isolation on $name', ({ start, hasSearch }) => {
  let server: Awaited<ReturnType<typeof start>>;
  let store: TestStore;
  /** Documents of ada's: `open` names no agent, `red` and `blue` one, `both` both. */
  const ids: Record<string, string> = {};
  let redChunk: string;

  beforeAll(async () => {
    server = await start();
    store = await openTestStore(server.uri, { requireSearch: hasSearch, filterable: { topic: 'string' } });
    const put = async (scope: Scope, title: string, agentIds: string[]) => {
      const metadata = { topic: 'x' };
      const { document } = await store.upsert(scope, title, paragraphs(2, title), { agentIds, metadata, chunking });
      return document?.id as string;
    };
    ids.open = await put(ada, 'open', []);
    ids.red = await put(ada, 'red', ['red']);
    ids.blue = await put(ada, 'blue', ['blue']);
    ids.both = await put(ada, 'both', ['red', 'blue']);
    await put(eve, 'open', ['red']);
    redChunk = (await store.listChunks(ada, ids.red, { first: 1 })).items[0]?.node.id as string;
  });
  afterAll(async () => {
    await store?.close();
    await server?.stop();
  });

  /** Every read of the store, for a document and a chunk of it. */
  const reads = async (scope: Scope, id: string, title: string, chunkId: string): Promise<unknown[]> => [
    await store.document(scope, { id }),
    (await store.document(scope, { title }))?.id === id ? 'leak' : null,
    (await store.documentsByIds(scope, [id]))[0],
    (await store.texts(scope, [id]))[0],
    (await store.chunksByIds(scope, [chunkId]))[0],
    (await store.chunkTexts(scope, [chunkId]))[0],
    (await store.chunksAt(scope, [{ documentId: id, ordinal: 0 }]))[0],
    (await store.listChunks(scope, id, { first: 10 })).items[0] ?? null,
    (await store.listDocuments(scope, { orderBy: 'TITLE', first: 100, filter: { ids: [id] } })).items[0] ?? null,
    (await store.countDocuments(scope, { ids: [id] })) === 0 ? null : 'leak',
    (await store.chunkHashes(scope, id))[0] ?? null,
    await store.openDocument(scope, id),
    (await store.walkDocuments(scope, null, 100)).some((walked) => walked.id === id) ? 'leak' : null,
    (await store.storedEmbedHashes(scope, id, 's1', [(await store.database.chunks.findOne())?.embed_hash ?? '']))
      .size === 0
      ? null
      : 'leak',
    (await store.waitUntilSearchable(scope, id, 1, { timeoutMs: 0 })) ? 'leak' : null,
  ];

  test('another owner reads nothing, by id or by title', async () => {
    expect(await reads(eve, ids.red as string, 'red', redChunk)).toEqual(Array(15).fill(null));
    // The same calls do find something for its owner.
    expect(
      (await reads(ada, ids.red as string, 'red', redChunk)).filter((found) => found !== null).length,
    ).toBeGreaterThan(9);
  });

  test('another agent of the owner reads nothing either, and a document without agents is for unbound credentials', async () => {
    expect(await reads(blue, ids.red as string, 'red', redChunk)).toEqual(Array(15).fill(null));
    expect(await store.document(red, { title: 'open' })).toBeNull();
    expect(await store.document(ada, { title: 'open' })).toMatchObject({ id: ids.open });
    const { items } = await store.listDocuments(red, { orderBy: 'TITLE', first: 10 });
    expect(items.map(({ node }) => node.title)).toEqual(['both', 'red']);
    expect(await store.countDocuments(blue)).toBe(2);
  });

  test('a filter narrows the scope and never widens it', async () => {
    const titles = async (scope: Scope, filter: object): Promise<string[]> =>
      (await store.listDocuments(scope, { orderBy: 'TITLE', first: 10, filter })).items.map(({ node }) => node.title);
    expect(await titles(red, { agentIds: ['blue'] })).toEqual(['both']);
    expect(await titles(red, { or: [{ agentIds: ['blue'] }, { titles: ['open', 'blue', 'red'] }] })).toEqual([
      'both',
      'red',
    ]);
    expect(await titles(red, { not: { titles: ['red'] } })).toEqual(['both']);
    expect(await titles(eve, { metadata: [{ key: 'topic', ne: 'y' }] })).toEqual(['open']);
    expect(await titles(red, { agentIds: [] })).toEqual([]);
  });

  test('nobody else writes, changes, deletes or marks a document', async () => {
    const before = await store.database.documents.find().sort({ _id: 1 }).toArray();
    for (const scope of [eve, blue]) {
      const id = ids.red as string;
      expect(await store.updateAttributes(scope, { id }, { metadata: { stolen: true } })).toBeNull();
      expect(await store.deleteDocument(scope, { id })).toBeNull();
      await store.recordFailure(scope, id, 'forged');
      await store.clearFailure(scope, id);
      expect(await store.deleteDocuments(scope, { ids: [id] }, { dryRun: false })).toEqual({
        deletedDocuments: 0,
        deletedChunks: 0,
      });
    }
    expect(await store.database.documents.find().sort({ _id: 1 }).toArray()).toEqual(before);
  });

  test('a title of another owner is free, one of another agent is CONFLICT before anything is embedded', async () => {
    store.embedder.asked.length = 0;
    const conflict = { code: 'CONFLICT', path: ['input', 'title'] };
    await expect(store.upsert(blue, 'red', 'mine now')).rejects.toMatchObject(conflict);
    await expect(store.upsert(blue, 'red', 'mine now', { dryRun: true })).rejects.toMatchObject(conflict);
    await expect(store.upsert(red, 'both', 'changed')).rejects.toMatchObject(conflict);
    expect(store.embedder.asked).toEqual([]);
    // The store itself refuses, whoever forgot to ask.
    const version = {
      ...(await store.document(ada, { title: 'red' })),
      title: 'red',
      text: 'x',
      chunks: [],
      vectors: new Map(),
      space: 's1',
      agentIds: ['blue'],
      contentHash: '',
    };
    await expect(store.writeVersion(blue, null, version as never)).rejects.toMatchObject(conflict);
    expect((await store.upsert(eve, 'red', 'another red')).outcome).toBe('CREATED');
    expect(await store.texts(ada, [ids.red as string])).toEqual([paragraphs(2, 'red')]);
  });

  test('a record of another owner is no way to its document', async () => {
    const record = await store.document(ada, { title: 'red' });
    const version = {
      ...record,
      title: 'red',
      text: 'x',
      contentHash: '',
      chunks: [],
      vectors: new Map(),
      space: 's1',
    };
    await expect(store.writeVersion(eve, record, version as never)).rejects.toThrow(VersionMoved);
    await expect(store.writeAttributes(eve, record as never, { sourceUri: 'x' })).rejects.toThrow(VersionMoved);
    await expect(store.writeVersion(blue, record, { ...version, agentIds: ['blue'] } as never)).rejects.toThrow(
      VersionMoved,
    );
    await expect(store.writeAttributes(blue, record as never, { sourceUri: 'x' })).rejects.toThrow();
    expect(await store.document(ada, { title: 'red' })).toEqual(record);
  });

  test('a bound credential creates for its own agents, and gives no others', async () => {
    const created = await store.upsert(red, 'new', 'text');
    expect(created.document?.agentIds).toEqual(['red']);
    const refused = { code: 'INVALID', path: ['input', 'agentIds'] };
    for (const agentIds of [[], null, ['blue'], ['red', 'blue']]) {
      await expect(store.upsert(red, 'newer', 'text', { agentIds })).rejects.toMatchObject(refused);
      await expect(store.updateAttributes(red, { title: 'new' }, { agentIds: agentIds ?? [] })).rejects.toMatchObject(
        refused,
      );
    }
    expect(await store.document(ada, { title: 'newer' })).toBeNull();
  });

  test('a bound credential cannot change or delete what other agents share', async () => {
    const conflict = { code: 'CONFLICT', path: ['input', 'by'] };
    await expect(store.updateAttributes(red, { title: 'both' }, { metadata: {} })).rejects.toMatchObject(conflict);
    await expect(store.deleteDocument(red, { title: 'both' })).rejects.toMatchObject(conflict);
    await expect(store.deleteDocuments(red, { titles: ['both', 'red'] }, { dryRun: false })).rejects.toMatchObject({
      code: 'CONFLICT',
      path: ['input', 'filter'],
    });
    expect(await store.countDocuments(ada, { titles: ['both', 'red'] })).toBe(2);
  });

  test('a withdrawal acts at once, before chunk rows are told', async () => {
    const { document } = await store.upsert(ada, 'shared', 'text', { agentIds: ['red', 'blue'] });
    const [chunk] = (await store.listChunks(ada, document?.id as string, { first: 1 })).items;
    const chunkId = chunk?.node.id as string;
    expect(await store.chunkTexts(blue, [chunkId])).toEqual(['text']);
    // As if the rows' turn had not come yet: only the document knows.
    await store.database.documents.updateOne({ title_key: 'shared' }, { $set: { agent_ids: ['red'] } });
    expect(await store.chunkTexts(blue, [chunkId])).toEqual([null]);
    expect(await store.chunkTexts(red, [chunkId])).toEqual(['text']);
  });

  test('a cursor of one caller opens in no list of another', async () => {
    const page = await store.listDocuments(ada, { orderBy: 'TITLE', first: 1 });
    const after = page.items[0]?.cursor as string;
    expect((await store.listDocuments(ada, { orderBy: 'TITLE', first: 1, after })).items).toHaveLength(1);
    for (const scope of [eve, red])
      await expect(store.listDocuments(scope, { orderBy: 'TITLE', first: 1, after })).rejects.toMatchObject({
        code: 'BAD_USER_INPUT',
      });
  });

  test('erasing an owner leaves the other untouched, jobs and keys included', async () => {
    await store.createApiKey(operator, { owner: 'eve', name: 'k', role: 'READER', agentIds: null, expiresAt: null });
    await store.createApiKey(operator, { owner: 'ada', name: 'k', role: 'READER', agentIds: null, expiresAt: null });
    await store.database.jobs.insertOne({ owner: 'eve' } as never);
    await store.database.jobs.insertOne({ owner: 'ada' } as never);
    const adas = await store.database.chunks.find({ owner: 'ada' }).sort({ _id: 1 }).toArray();
    const documents = await store.countDocuments(eve);
    const expected = {
      documents,
      chunks: await store.database.chunks.countDocuments({ owner: 'eve' }),
      jobs: 1,
      apiKeys: 1,
    };
    expect(await store.eraseOwner(operator, 'eve', { dryRun: true })).toEqual(expected);
    expect(await store.countDocuments(eve)).toBe(documents);
    expect(await store.eraseOwner(operator, 'eve', { dryRun: false })).toEqual(expected);
    for (const collection of [
      store.database.documents,
      store.database.chunks,
      store.database.jobs,
      store.database.apiKeys,
    ])
      expect(await (collection as typeof store.database.jobs).countDocuments({ owner: 'eve' })).toBe(0);
    expect(await store.database.chunks.find({ owner: 'ada' }).sort({ _id: 1 }).toArray()).toEqual(adas);
    expect(await store.database.jobs.countDocuments()).toBe(1);
    expect(await store.listApiKeys(operator)).toHaveLength(1);
  });
});
