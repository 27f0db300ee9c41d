import { randomUUID } from 'node:crypto';
import { MongoServerError } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { EmbedderSpace } from '../../src/embed/embedder.js';
import { openStore } from '../../src/store/open-store.js';
import { makeScope, operator } from '../../src/store/scope.js';
import { searchIndexManager } from '../../src/store/search-indexes.js';
import { requireTransactions } from '../../src/store/server-check.js';
import { STORE_SERVERS } from '../support/store-servers.js';
import { openTestStore, paragraphs, type TestStore } from '../support/test-store.js';

const scope = makeScope('ada', null);
const space = (changes: Partial<EmbedderSpace> = {}): EmbedderSpace => ({
  provider: 'hash',
  model: 'feature-hashing-v1',
  dimensions: 256,
  similarity: 'cosine',
  maxInputTokens: 8_192,
  languages: null,
  ...changes,
});

describe.each(STORE_SERVERS)('opening a store on $name', ({ start, hasSearch }) => {
  let server: Awaited<ReturnType<typeof start>>;
  const stores: TestStore[] = [];
  const open = async (options: Parameters<typeof openTestStore>[1] = {}): Promise<TestStore> => {
    const store = await openTestStore(server.uri, { requireSearch: hasSearch, ...options });
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

  test('an empty database gets the configured space, whoever of several starting servers is first', async () => {
    const dbName = `t_${randomUUID().slice(0, 18)}`;
    const opened = await Promise.all([1, 2, 3].map(() => open({ dbName })));
    for (const store of opened) {
      expect(await store.activeSpace()).toMatchObject({ ...space(), id: 's1', state: 'ACTIVE', weights: null });
      expect(await store.listSpaces(operator)).toHaveLength(1);
    }
    const keys = opened.map(({ sealer }) => sealer.seal('x', 1));
    expect(new Set(keys).size).toBe(1);
  });

  test('stored spaces win over unset settings, and explicit others are refused by both names', async () => {
    const { dbName } = await open();
    const other = space({ provider: 'openai', model: 'text-embedding-3-small', dimensions: 1536 });
    const notices: string[] = [];
    const reopened = await open({
      dbName,
      space: { initial: other, explicit: {} },
      onNotice: (notice) => notices.push(notice),
    });
    expect(await reopened.activeSpace()).toMatchObject({ provider: 'hash' });
    const explicit = { provider: 'openai', model: 'text-embedding-3-small' };
    const refused = open({ dbName, space: { initial: other, explicit } });
    await expect(refused).rejects.toMatchObject({ code: 'EMBEDDING_SPACE_MISMATCH' });
    await expect(refused).rejects.toThrow(/hash\/feature-hashing-v1.*openai\/text-embedding-3-small.*reembed/s);
    expect(notices).toEqual([]);
    await reopened.createSpace(operator, { ...other, maxInputTokens: 8_191 });
    await open({ dbName, space: { initial: other, explicit }, onNotice: (notice) => notices.push(notice) });
    expect(notices).toEqual([expect.stringMatching(/hash\/feature-hashing-v1 \(256 dimensions\) is active/)]);
  });

  test('the active space cannot be dropped, another goes with its vectors', async () => {
    const store = await open();
    await store.createSpace(operator, space({ model: 'another' }));
    await store.upsert(scope, 't', paragraphs(2));
    // Every upsert writes a vector for each space.
    for (const row of await store.database.chunks.find().toArray())
      expect(Object.keys(row.embeddings).sort()).toEqual(['s1', 's2']);
    await expect(store.dropSpace(operator, 's1')).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(store.dropSpace(operator, 's9')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await store.dropSpace(operator, 's2')).toBe('s2');
    for (const row of await store.database.chunks.find().toArray()) expect(Object.keys(row.embeddings)).toEqual(['s1']);
    expect(await store.spacesByIds(['s2', 's1'])).toEqual([null, expect.objectContaining({ id: 's1' })]);
  });

  test('what the URI says about reading and writing does not count', async () => {
    const separator = server.uri.includes('?') ? '&' : '?';
    const uri = `${server.uri}${separator}readPreference=secondaryPreferred&readConcernLevel=local&w=0&journal=false`;
    const store = await openTestStore(uri, { requireSearch: hasSearch });
    stores.push(store);
    for (const collection of [store.database.documents, store.database.chunks]) {
      expect(collection.readPreference?.mode).toBe('primary');
      expect(collection.readConcern?.level).toBe('majority');
      expect(collection.writeConcern).toMatchObject({ w: 'majority', journal: true });
    }
    expect((await store.upsert(scope, 't', 'text')).document).toMatchObject({ version: 1 });
  });

  test('a server that is not there is STORE_UNAVAILABLE, without the URI', async () => {
    const refused = openStore({
      uri: 'mongodb://someone:secret@127.0.0.1:1/?directConnection=true',
      dbName: 'x',
      filterable: {},
      languages: ['en'],
      space: { initial: space(), explicit: {} },
      client: { serverSelectionTimeoutMS: 100 },
    });
    await expect(refused).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await expect(refused).rejects.toThrow(/^(?!.*secret).*cannot be reached/);
  });

  test('keys that do not fit an index are refused before anything is created', async () => {
    const filterable = Object.fromEntries(Array.from({ length: 41 }, (_, index) => [`k${index}`, 'string' as const]));
    await expect(open({ filterable })).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
  });

  test('a key declared later is copied to what is there, and filters on it wait for that', async () => {
    const first = await open();
    await first.upsert(scope, 'a', paragraphs(3), { metadata: { year: 2020, day: '2024-05-01T00:00:00Z' } });
    await first.upsert(scope, 'b', paragraphs(2), { metadata: { year: 2021 } });
    const later = await open({ dbName: first.dbName, filterable: { year: 'number', day: 'date' } });
    const filter = { metadata: [{ key: 'year', gt: 2020 }] };
    await vi.waitFor(async () => expect(await later.countDocuments(scope, filter)).toBe(1), { timeout: 20_000 });
    const days = await later.database.chunks.distinct('metadata.day');
    expect(days).toEqual([new Date('2024-05-01T00:00:00Z')]);
    expect(later.filterKeys().pending.size).toBe(0);
    // Retyped: the values are copied again as the new type.
    const retyped = await open({ dbName: first.dbName, filterable: { year: 'number', day: 'string' } });
    await vi.waitFor(() => expect(retyped.filterKeys().pending.size).toBe(0), { timeout: 20_000 });
    expect(await retyped.database.chunks.distinct('metadata.day')).toEqual(['2024-05-01T00:00:00Z']);
    expect(await retyped.countDocuments(scope, { metadata: [{ key: 'day', eq: '2024-05-01T00:00:00Z' }] })).toBe(1);
  });

  test('a filter on a key that is still being copied is INDEX_NOT_READY', async () => {
    const first = await open();
    await first.upsert(scope, 'a', 'text', { metadata: { year: 2020 } });
    const later = await open({ dbName: first.dbName, filterable: { year: 'number' } });
    // Right after opening the copy is under way or done; what is never seen is a wrong count.
    const count = await later
      .countDocuments(scope, { metadata: [{ key: 'year', eq: 2020 }] })
      .catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'INDEX_NOT_READY', details: { key: 'year' } });
        return 1;
      });
    expect(count).toBe(1);
  });

  describe.runIf(hasSearch)('search indexes', () => {
    const names = ['gazetteer_vector_s1', 'gazetteer_text'];
    const ready = async (store: TestStore) =>
      await vi.waitFor(
        async () => {
          const indexes = await store.listSearchIndexes(operator);
          expect(indexes.map(({ status }) => status)).toEqual(['READY', 'READY']);
          return indexes;
        },
        { timeout: 30_000, interval: 50 },
      );

    test('are created at the start, become ready, and lack nothing; a second start changes nothing', async () => {
      const store = await open({ filterable: { topic: 'string', year: 'number', b: 'boolean', d: 'date' } });
      const indexes = await ready(store);
      expect(indexes.map(({ name, problems, queryable }) => ({ name, problems, queryable }))).toEqual(
        names.map((name) => ({ name, problems: [], queryable: true })),
      );
      const again = await open({ dbName: store.dbName, filterable: store.filterable });
      expect(await ready(again)).toEqual(indexes);
    });

    test('a definition with other dimensions is reported and not usable, until it is brought up to date', async () => {
      const store = await open();
      await ready(store);
      const wrong = {
        fields: [
          { type: 'vector', path: 'embeddings.s1', numDimensions: 8, similarity: 'cosine' },
          { type: 'filter', path: 'document_id' },
        ],
      };
      await store.database.chunks.updateSearchIndex('gazetteer_vector_s1', wrong);
      await vi.waitFor(
        async () => expect((await store.searchIndexState('gazetteer_vector_s1', { fresh: true })).usable).toBe(false),
        { timeout: 30_000 },
      );
      // A restart leaves the difference as it is: it may be what an operator wants to look at first.
      const again = await open({ dbName: store.dbName });
      const [vector] = await again.listSearchIndexes(operator);
      expect(vector?.problems).toEqual(
        expect.arrayContaining([
          expect.stringMatching(/numDimensions 8, expected 256/),
          expect.stringMatching(/"owner" is missing/),
        ]),
      );
      await again.ensureSearchIndexes(operator);
      await vi.waitFor(
        async () =>
          expect(await again.searchIndexState('gazetteer_vector_s1', { fresh: true })).toMatchObject({
            usable: true,
            problems: [],
          }),
        { timeout: 30_000 },
      );
    });

    test('grow by a key declared later, and only filters on that key wait', async () => {
      const first = await open();
      await ready(first);
      await first.upsert(scope, 'a', 'text', { metadata: { year: 2020 } });
      const later = await open({ dbName: first.dbName, filterable: { year: 'number' } });
      const state = await later.searchIndexState('gazetteer_vector_s1');
      expect(state.usable).toBe(true);
      await vi.waitFor(
        async () => {
          const fresh = await later.searchIndexState('gazetteer_vector_s1', { fresh: true });
          expect(fresh).toMatchObject({ usable: true, problems: [] });
          expect(fresh.pendingKeys.size).toBe(0);
        },
        { timeout: 30_000, interval: 50 },
      );
    });

    test('a missing index says so, and is made on request', async () => {
      const store = await open();
      await ready(store);
      await store.database.chunks.dropSearchIndex('gazetteer_text');
      await vi.waitFor(
        async () =>
          expect(await store.searchIndexState('gazetteer_text', { fresh: true })).toMatchObject({
            status: 'DOES_NOT_EXIST',
            usable: false,
            problems: [expect.stringMatching(/does not exist: call ensureSearchIndexes/)],
          }),
        { timeout: 30_000 },
      );
      await store.ensureSearchIndexes(operator);
      await ready(store);
    });
  });
});

// Servers that lack what we need cannot be started here: their answers are those of ATLAS.md sections 6 and 7.
describe('a server that cannot do it gets one clear error with the ways out', () => {
  test('a standalone', async () => {
    const database = { db: { command: async () => ({ isWritablePrimary: true, ok: 1 }) } };
    await expect(requireTransactions(database as never)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await expect(requireTransactions(database as never)).rejects.toThrow(/standalone.*--replSet.*Pocket Atlas/);
  });

  const withSearchError = (code: number) => ({
    chunks: {
      listSearchIndexes: () => ({
        toArray: async () => {
          throw new MongoServerError({ code, message: 'no search here' });
        },
      }),
    },
  });
  test.each([31082, 40324, 59])('a server without search (%i)', async (code) => {
    const manager = searchIndexManager(withSearchError(code) as never, {
      filterable: {},
      languages: ['en'],
      spaces: async () => [],
      requireSearch: true,
    });
    await expect(manager.open()).rejects.toMatchObject({ code: 'SEARCH_NOT_SUPPORTED' });
    await expect(manager.open()).rejects.toThrow(/Atlas Local.*mongot.*Pocket Atlas/);
  });

  test('index management that is refused: text search is then missing, vectors print the definition to paste', async () => {
    const database = {
      chunks: {
        listSearchIndexes: () => ({ toArray: async () => [] }),
        createSearchIndex: async () => {
          throw new MongoServerError({ code: 13, message: 'not authorized' });
        },
      },
    };
    const options = { filterable: {}, languages: ['en'], requireSearch: true };
    const record = { ...space(), id: 's1', state: 'ACTIVE' as const, weights: null };
    const refusing = searchIndexManager(database as never, { ...options, spaces: async () => [record] });
    await expect(refusing.open()).rejects.toThrow(/gazetteer_vector_s1 \(not authorized\).*"numDimensions":256/);
    const textOnly = searchIndexManager(database as never, { ...options, spaces: async () => [] });
    await textOnly.open();
    expect(await textOnly.listSearchIndexes(operator)).toEqual([
      expect.objectContaining({
        name: 'gazetteer_text',
        status: 'DOES_NOT_EXIST',
        problems: [expect.stringMatching(/refused to create it \(not authorized\).*lucene\.english/)],
      }),
    ]);
  });
});
