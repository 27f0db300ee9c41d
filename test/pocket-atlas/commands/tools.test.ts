import type { Document } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { servePocketAtlasHere } from '../../support/pocket-atlas.js';

let atlas: Awaited<ReturnType<typeof servePocketAtlasHere>>;
beforeAll(async () => {
  atlas = await servePocketAtlasHere();
  await atlas
    .db('shop')
    .collection('orders')
    .insertMany([{ n: 1 }, { n: 2 }]);
});
afterAll(() => atlas?.stop());

describe('what mongosh and Compass send on connecting', () => {
  it.each([
    [{ buildInfo: 1 }, { version: expect.stringMatching(/^8\.2\./), versionArray: [8, 2, 0, 0] }],
    [
      { connectionStatus: 1, showPrivileges: true },
      { authInfo: { authenticatedUsers: [], authenticatedUserPrivileges: [] } },
    ],
    [{ hostInfo: 1 }, { system: { cpuAddrSize: 64 } }],
    [{ getParameter: 1, featureCompatibilityVersion: 1 }, { featureCompatibilityVersion: { version: '8.2' } }],
    [{ getLog: 'startupWarnings' }, { totalLinesWritten: 0, log: [] }],
    [{ getCmdLineOpts: 1 }, { argv: ['pocket-atlas'] }],
    [{ serverStatus: 1 }, { process: 'pocket-atlas', storageEngine: { name: 'lmdb' } }],
    [{ listDatabases: 1, nameOnly: true }, { databases: [{ name: 'shop' }] }],
    [{ listDatabases: 1, filter: { name: /^sh/ } }, { databases: [{ name: 'shop', empty: false }] }],
    [{ hello: 1 }, { isWritablePrimary: true, setName: 'rs0' }],
    [{ isMaster: 1 }, { ismaster: true }],
    [{ startSession: 1 }, { timeoutMinutes: 30 }],
  ] as [Document, Document][])('%j is answered', async (command, expected) => {
    expect(await atlas.db('admin').command(command)).toMatchObject({ ...expected, ok: 1 });
  });

  it.each([[{ atlasVersion: 1 }], [{ replSetGetStatus: 1 }], [{ usersInfo: 1 }]] as [Document][])(
    '%j is no command here, which they take',
    async (command) => {
      await expect(atlas.db('admin').command(command)).rejects.toMatchObject({ code: 59, codeName: 'CommandNotFound' });
    },
  );

  it('finds no atlascli document, so nobody takes it for Atlas Local', async () => {
    expect(
      await atlas
        .db('admin')
        .collection('atlascli')
        .aggregate([{ $match: {} }])
        .toArray(),
    ).toEqual([]);
  });

  it('shows collections, indexes and sizes', async () => {
    const db = atlas.db('shop');
    const orders = db.collection('orders');
    await orders.createIndex({ n: 1 }, { unique: true, name: 'by n' });
    expect(await db.listCollections({}, { nameOnly: true }).toArray()).toEqual([
      { name: 'orders', type: 'collection' },
    ]);
    expect(await orders.listIndexes().toArray()).toEqual([
      { v: 2, key: { _id: 1 }, name: '_id_' },
      { v: 2, key: { n: 1 }, name: 'by n', unique: true },
    ]);
    expect(await db.command({ dbStats: 1 })).toMatchObject({ collections: 1, objects: 2, indexes: 2 });
    expect(await db.command({ collStats: 'orders' })).toMatchObject({ count: 2, nindexes: 2 });
    expect((await orders.aggregate([{ $collStats: { storageStats: {} } }]).toArray())[0]).toMatchObject({
      storageStats: { count: 2 },
    });
    expect((await orders.aggregate([{ $indexStats: {} }]).toArray()).map(({ name }) => name)).toEqual(['_id_', 'by n']);
    expect(await db.command({ validate: 'orders' })).toMatchObject({ valid: true, nrecords: 2 });
    await expect(db.collection('none').listIndexes().toArray()).rejects.toMatchObject({ code: 26 });
  });
});

describe('the catalogue', () => {
  it('renames, drops and lists', async () => {
    const db = atlas.db('catalogue');
    await db.collection('a').insertOne({ x: 1 });
    await db.collection('b').insertOne({ x: 2 });
    await db.collection('a').rename('c');
    await expect(db.collection('c').rename('b')).rejects.toMatchObject({ code: 48 });
    await db.collection('c').rename('b', { dropTarget: true });
    expect(await db.collection('b').distinct('x')).toEqual([1]);
    expect((await db.listCollections().toArray()).map(({ name }) => name)).toEqual(['b']);
    await db.collection('b').createIndex({ x: 1 });
    await db.collection('b').dropIndex('x_1');
    await expect(db.collection('b').dropIndex('x_1')).rejects.toMatchObject({ code: 27, codeName: 'IndexNotFound' });
    await expect(db.collection('b').dropIndex('_id_')).rejects.toMatchObject({ code: 72 });
    await db.dropDatabase();
    expect(await db.listCollections().toArray()).toEqual([]);
    expect(await db.dropCollection('b')).toBe(true);
  });

  it('makes indexes once, and says so', async () => {
    const db = atlas.db('indexes');
    const spec = { createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a_1' }] };
    expect(await db.command(spec)).toMatchObject({
      numIndexesBefore: 1,
      numIndexesAfter: 2,
      createdCollectionAutomatically: true,
    });
    expect(await db.command(spec)).toMatchObject({
      numIndexesBefore: 2,
      numIndexesAfter: 2,
      note: 'all indexes already exist',
    });
    await expect(db.collection('c').createIndex({ b: 1 }, { name: 'a_1' })).rejects.toMatchObject({ code: 86 });
  });

  it('manages search indexes by the helpers of the driver', async () => {
    const c = await atlas.db('search').createCollection('c');
    const definition = { fields: [{ type: 'vector', path: 'v', numDimensions: 2, similarity: 'cosine' }] };
    expect(await c.createSearchIndex({ name: 'i', type: 'vectorSearch', definition })).toBe('i');
    await expect
      .poll(() => c.listSearchIndexes('i').toArray(), { timeout: 20_000 })
      .toMatchObject([{ name: 'i', queryable: true }]);
    await c.insertOne({ v: [1, 0] });
    const search = { $vectorSearch: { index: 'i', path: 'v', queryVector: [1, 0], limit: 1, numCandidates: 1 } };
    await expect
      .poll(() => c.aggregate([search, { $project: { _id: 0, score: { $meta: 'vectorSearchScore' } } }]).toArray(), {
        timeout: 20_000,
      })
      .toEqual([{ score: 1 }]);
    await c.dropSearchIndex('i');
    await expect.poll(() => c.listSearchIndexes().toArray(), { timeout: 20_000 }).toEqual([]);
  });
});
