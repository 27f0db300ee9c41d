import { BSON, type Document, MongoServerError } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { servePocketAtlasHere } from '../../support/pocket-atlas.js';
import { RawConnection } from '../wire/raw-connection.js';

let atlas: Awaited<ReturnType<typeof servePocketAtlasHere>>;
let now = Date.now();
beforeAll(async () => {
  atlas = await servePocketAtlasHere({ now: () => now });
});
afterAll(() => atlas?.stop());

let names = 0;
async function filled(
  count: number,
  document: (i: number) => Document = (i) => ({ _id: i }),
): Promise<{ db: string; connection: RawConnection }> {
  names += 1;
  const db = `cursors${names}`;
  await atlas
    .db(db)
    .collection('c')
    .insertMany(Array.from({ length: count }, (_, i) => document(i)));
  return { db, connection: await RawConnection.open(atlas.uri) };
}

function ids(batch: Document[]): number[] {
  return batch.map(({ _id }) => _id);
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
}

describe('a cursor', () => {
  it('gives 101 documents first, then as many as fit', async () => {
    const { db, connection } = await filled(250);
    const first = await connection.command({ find: 'c', $db: db });
    expect(ids(first.cursor.firstBatch)).toEqual(range(0, 101));
    const rest = await connection.command({ getMore: first.cursor.id, collection: 'c', $db: db });
    expect(ids(rest.cursor.nextBatch)).toEqual(range(101, 250));
    expect(Number(rest.cursor.id)).toBe(0);
    connection.close();
  });

  it('gives no more than 16 MB in a batch', async () => {
    const { db, connection } = await filled(9, (i) => ({ _id: i, a: Buffer.alloc(3 * 1024 * 1024) }));
    const first = await connection.command({ find: 'c', $db: db });
    expect(ids(first.cursor.firstBatch)).toEqual(range(0, 5));
    const rest = await connection.command({ getMore: first.cursor.id, collection: 'c', $db: db });
    expect(ids(rest.cursor.nextBatch)).toEqual(range(5, 9));
    connection.close();
  });

  it.each([
    [{ limit: 4, batchSize: 2 }, [2, 2], true],
    [{ limit: 4, batchSize: 4 }, [4], true],
    [{ limit: 4 }, [4], true],
    [{ batchSize: 0 }, [0, 6], true],
    [{ batchSize: 4, singleBatch: true }, [4], true],
    [{ skip: 5 }, [1], true],
    [{ skip: 50 }, [0], true],
  ] as [Document, number[], boolean][])('with %j comes in batches of %j', async (options, sizes, ends) => {
    const { db, connection } = await filled(6);
    const found = [];
    let { cursor } = await connection.command({ find: 'c', ...options, $db: db });
    found.push(cursor.firstBatch.length);
    while (Number(cursor.id) !== 0) {
      const batchSize = options.batchSize ? { batchSize: options.batchSize } : {};
      ({ cursor } = await connection.command({ getMore: cursor.id, collection: 'c', ...batchSize, $db: db }));
      found.push(cursor.nextBatch.length);
    }
    expect(found).toEqual(sizes);
    expect(Number(cursor.id) === 0).toBe(ends);
    connection.close();
  });

  it.each([
    ['in natural order', { find: 'c' }, range(0, 3_000)],
    ['backwards', { find: 'c', sort: { $natural: -1 } }, range(0, 3_000).reverse()],
    ['over an index', { find: 'c', filter: { x: { $gte: 0 } }, sort: { x: 1 } }, range(0, 3_000)],
    ['sorted in memory', { find: 'c', sort: { y: 1 } }, range(0, 3_000)],
    [
      'of a pipeline',
      { aggregate: 'c', pipeline: [{ $match: { x: { $gte: 0 } } }, { $set: { z: 1 } }] },
      range(0, 3_000),
    ],
  ])('that is read slowly ends with every document once, %s', async (_what, command, expected) => {
    const { db, connection } = await filled(3_000, (i) => ({ _id: i, x: i, y: i }));
    await atlas.db(db).collection('c').createIndex({ x: 1 });
    const options = 'find' in command ? { batchSize: 700 } : { cursor: { batchSize: 700 } };
    let { cursor } = await connection.command({ ...command, ...options, $db: db });
    const found = ids(cursor.firstBatch);
    while (Number(cursor.id) !== 0) {
      now += 2_000;
      await atlas.db(db).collection('other').insertOne({});
      ({ cursor } = await connection.command({ getMore: cursor.id, collection: 'c', batchSize: 700, $db: db }));
      found.push(...ids(cursor.nextBatch));
    }
    expect(found).toEqual(expected);
    connection.close();
  });

  it('ends cleanly when its documents are deleted meanwhile', async () => {
    const { db, connection } = await filled(3_000);
    const first = await connection.command({ find: 'c', batchSize: 100, $db: db });
    const { deletedCount } = await atlas.db(db).collection('c').deleteMany({});
    expect(deletedCount).toBe(3_000);
    now += 2_000;
    const found = ids(first.cursor.firstBatch);
    let { cursor } = first;
    while (Number(cursor.id) !== 0) {
      ({ cursor } = await connection.command({ getMore: cursor.id, collection: 'c', batchSize: 100, $db: db }));
      found.push(...ids(cursor.nextBatch));
    }
    expect(found).toEqual(range(0, found.length));
    connection.close();
  });

  it('of a snapshot shows that moment to its end, whatever is written', async () => {
    const { db, connection } = await filled(2_500);
    const readConcern = { level: 'snapshot' };
    let { cursor } = await connection.command({ find: 'c', batchSize: 1_100, readConcern, $db: db });
    const found = ids(cursor.firstBatch);
    await atlas.db(db).collection('c').deleteMany({});
    await atlas.db(db).collection<{ _id: number }>('c').insertOne({ _id: 99_999 });
    while (Number(cursor.id) !== 0) {
      now += 2_000;
      ({ cursor } = await connection.command({ getMore: cursor.id, collection: 'c', batchSize: 600, $db: db }));
      found.push(...ids(cursor.nextBatch));
    }
    expect(found).toEqual(range(0, 2_500));
    connection.close();
  });

  it('of a session with snapshots reads the moment of the first read, and says when that is kept no longer', async () => {
    const { db } = await filled(3);
    const c = atlas.db(db).collection<{ _id: number }>('c');
    await atlas.client.withSession({ snapshot: true }, async (session) => {
      expect((await c.find({}, { session }).toArray()).length).toBe(3);
      await c.insertOne({ _id: 3 });
      expect((await c.find({}, { session }).toArray()).length).toBe(3);
      expect(await c.distinct('_id', {}, { session })).toEqual([0, 1, 2]);
      now += 2_000;
      await expect(c.find({}, { session }).toArray()).rejects.toMatchObject({ code: 239 });
    });
    expect(await c.countDocuments()).toBe(4);
  });

  it('is gone after ten idle minutes, after killCursors, and with its collection', async () => {
    const { db, connection } = await filled(10);
    const open = async () => (await connection.command({ find: 'c', batchSize: 1, $db: db })).cursor.id;
    const next = (id: unknown) => connection.command({ getMore: id, collection: 'c', batchSize: 1, $db: db });
    const [killed, idle] = [await open(), await open()];
    const notThere = BSON.Long.fromNumber(12_345);
    expect(await connection.command({ killCursors: 'c', cursors: [killed, notThere], $db: db })).toMatchObject({
      cursorsKilled: [killed],
      cursorsNotFound: [12_345],
    });
    expect(await next(killed)).toMatchObject({ ok: 0, code: 43, codeName: 'CursorNotFound' });
    now += 10 * 60_000;
    await expect.poll(() => next(idle), { timeout: 5_000 }).toMatchObject({ code: 43 });
    const dropped = await open();
    await atlas.db(db).collection('c').drop();
    await expect.poll(() => next(dropped), { timeout: 5_000 }).toMatchObject({ code: 43 });
    connection.close();
  });

  it('is read in the session that opened it and on its collection only', async () => {
    const { db, connection } = await filled(10);
    const [mine, other] = [{ id: new BSON.UUID() }, { id: new BSON.UUID() }];
    const { cursor } = await connection.command({ find: 'c', batchSize: 1, lsid: mine, $db: db });
    const next = (fields: Document) =>
      connection.command({ getMore: cursor.id, collection: 'c', batchSize: 1, $db: db, ...fields });
    expect(await next({ lsid: other })).toMatchObject({ ok: 0, code: 50738 });
    expect(await next({})).toMatchObject({ ok: 0, code: 50737 });
    expect(await next({ lsid: mine, collection: 'd' })).toMatchObject({ ok: 0, code: 13 });
    expect(await next({ lsid: mine })).toMatchObject({ ok: 1 });
    connection.close();
  });

  it('says what is wrong with its query before it is opened', async () => {
    const c = atlas.db('cursors-bad').collection('missing');
    for (const filter of [{ a: { $unknown: 1 } }, { $unknown: 1 }]) {
      await expect(c.find(filter).batchSize(0).toArray()).rejects.toThrow(MongoServerError);
    }
    await expect(c.aggregate([{ $unknown: {} }]).toArray()).rejects.toMatchObject({ code: 40324 });
  });
});
