import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { encode } from '../../../src/pocket-atlas/bson/encode.js';
import type { BsonValue, Doc } from '../../../src/pocket-atlas/bson/values.js';
import { compileFilter } from '../../../src/pocket-atlas/query/filter.js';
import type { CollectionInfo, IndexInfo } from '../../../src/pocket-atlas/storage/engine.js';
import { Environment } from '../../../src/pocket-atlas/storage/environment.js';
import { keyExtractor } from '../../../src/pocket-atlas/storage/index-keys.js';
import { indexInfo, normaliseSpec } from '../../../src/pocket-atlas/storage/index-spec.js';
import { idKey } from '../../../src/pocket-atlas/storage/layout.js';
import type { StorageEngine } from '../../../src/pocket-atlas/storage/storage-engine.js';
import { codeOf, insert, look, openForTest, openWithCollection } from './open-for-test.js';
import { temporaryDirectory } from './temporary-directory.js';

function keysOf(spec: Doc, doc: Doc): BsonValue[][] {
  const { keys } = keyExtractor(indexInfo(1, normaliseSpec(spec), false), null)(doc);
  return keys.map(({ values }) => [...values]);
}

function named(engine: StorageEngine, name: string): { collection: CollectionInfo; index: IndexInfo } {
  return look(engine, (view) => {
    const collection = view.collection('db', 'c')!;
    return { collection, index: collection.indexes.find((index) => index.name === name)! };
  });
}

function indexed(engine: StorageEngine, name: string): number[] {
  const { collection, index } = named(engine, name);
  return look(engine, (view) => [...view.scanIndex(collection, index, {})]);
}

describe('the keys of a document', () => {
  it.each<[string, Doc, Doc, BsonValue[][]]>([
    ['a value', { a: 1 }, { a: 5 }, [[5]]],
    ['a missing field as null', { a: 1 }, {}, [[null]]],
    ['a path into a document', { 'a.b': 1 }, { a: { b: 'x' } }, [['x']]],
    ['a path through something else as null', { 'a.b': 1 }, { a: 3 }, [[null]]],
    ['an array by its elements, each once', { a: 1 }, { a: [1, 2, 1] }, [[1], [2]]],
    ['an empty array as undefined', { a: 1 }, { a: [] }, [[undefined]]],
    ['a path into an empty array as null', { 'a.b': 1 }, { a: [] }, [[null]]],
    ['documents in an array', { 'a.b': 1 }, { a: [{ b: 1 }, { b: 2 }, {}, 5] }, [[1], [2], [null]]],
    ['an array in an array as a value', { a: 1 }, { a: [[1, 2], 3] }, [[[1, 2]], [3]]],
    ['an array inside of documents in an array', { 'a.b': 1 }, { a: [{ b: [1, 2] }, { b: 3 }] }, [[1], [2], [3]]],
    ['no path through an array directly in an array', { 'a.b': 1 }, { a: [[{ b: 1 }]] }, [[null]]],
    ['a place in an array', { 'a.1': 1 }, { a: [7, 8] }, [[8]]],
    [
      'parts of one array together',
      { 'a.b': 1, 'a.c': -1 },
      { a: [{ b: 1, c: 2 }, { b: 3 }] },
      [
        [1, 2],
        [3, null],
      ],
    ],
    [
      'an array beside a value',
      { a: 1, b: 1 },
      { a: [1, 2], b: 'x' },
      [
        [1, 'x'],
        [2, 'x'],
      ],
    ],
  ])('hold %s', (_, key, doc, expected) => {
    expect(keysOf({ key }, doc)).toEqual(expected);
  });

  it('cannot be made of two arrays', async () => {
    expect(await codeOf(() => keysOf({ key: { a: 1, b: 1 } }, { a: [1], b: [2] }))).toBe(171);
  });

  it('are none in a sparse index when every path is missing', () => {
    expect(keysOf({ key: { a: 1, b: 1 }, sparse: true }, { c: 1 })).toEqual([]);
    expect(keysOf({ key: { a: 1, b: 1 }, sparse: true }, { b: 1 })).toEqual([[null, 1]]);
    expect(keysOf({ key: { a: 1 }, sparse: true }, { a: null })).toEqual([[null]]);
  });
});

describe('createIndex', () => {
  it('covers what is there and what comes later', async () => {
    const { engine, collection } = await openWithCollection();
    const before = await insert(engine, collection, { _id: 1, a: 2 }, { _id: 2, a: 1 });
    expect(await engine.createIndex(collection, { key: { a: 1 } })).toEqual({ created: true });
    const later = await insert(engine, collection, { _id: 3, a: 1.5 });
    expect(indexed(engine, 'a_1')).toEqual([before[1], later[0], before[0]]);
  });

  it('of an equal index changes nothing; of a conflicting one is refused', async () => {
    const { engine, collection } = await openWithCollection();
    const create = (spec: Doc) => engine.createIndex(collection, spec);
    await create({ key: { a: 1, b: -1 }, name: 'one' });
    expect(await create({ key: { a: 1.0, b: -1 }, name: 'one', v: 2, background: true })).toEqual({ created: false });
    expect(await create({ key: { _id: 1 }, name: '_id_' })).toEqual({ created: false });
    expect(await codeOf(() => create({ key: { a: 1, b: -1 }, name: 'two' }))).toBe(85);
    expect(await codeOf(() => create({ key: { a: 1, b: -1 }, name: 'one', unique: true }))).toBe(85);
    expect(await codeOf(() => create({ key: { b: -1, a: 1 }, name: 'one' }))).toBe(86);
    await create({ key: { b: -1, a: 1 } });
    expect(named(engine, 'b_-1_a_1').index.key).toEqual({ b: -1, a: 1 });
  });

  it('refuses what is not built here', async () => {
    const { engine, collection } = await openWithCollection();
    const codes = await Promise.all(
      [
        { key: {} },
        { key: { a: 'text' } },
        { key: { a: 0 } },
        { key: { '$**': 1 } },
        { key: { a: 1 }, weights: {} },
        { key: { a: 1 }, collation: { locale: 'de' } },
        { key: { a: 1 }, hidden: true },
        { key: 5 },
      ].map((spec) => codeOf(() => engine.createIndex(collection, spec as Doc))),
    );
    expect(codes).toEqual([67, 67, 67, 67, 197, 67, 67, 14]);
  });

  it('unique over equal keys is refused, and leaves no rows behind', async () => {
    const dataDir = temporaryDirectory();
    const { engine, collection } = await openWithCollection({ dataDir });
    await insert(engine, collection, ...Array.from({ length: 2500 }, (_, n) => ({ _id: n, a: n === 2400 ? 7 : n })));
    await expect(engine.createIndex(collection, { key: { a: 1 }, unique: true })).rejects.toThrow(
      'E11000 duplicate key error collection: db.c index: a_1 dup key: { a: 7 }',
    );
    expect(named(engine, '_id_').collection.indexes).toHaveLength(1);
    await insert(engine, collection, { _id: -1, a: 7 });
    const { index } = named(engine, '_id_');
    await engine.close();
    const environment = Environment.open(dataDir);
    const ids = new Set(
      [...environment.range('entries', idKey(0), undefined)].map(({ key }) => Buffer.from(key).readUInt32BE()),
    );
    await environment.close();
    expect([...ids]).toEqual([index.id]);
  });

  it('runs while others read, and lets writers of the collection wait', async () => {
    const { engine, collection } = await openWithCollection();
    await insert(engine, collection, ...Array.from({ length: 5000 }, (_, n) => ({ _id: n, a: n })));
    const building = engine.createIndex(collection, { key: { a: 1 } });
    await nextTurn();
    const writing = insert(engine, collection, { _id: 'late', a: -1 });
    look(engine, (view) => expect(view.findById(collection, 4999)).toBeDefined());
    const transaction = engine.begin();
    expect(await codeOf(() => transaction.insert(collection, encode({ _id: 'x' })))).toBe(112);
    transaction.abort();
    await building;
    const [late] = await writing;
    expect(indexed(engine, 'a_1')[0]).toBe(late);
  });

  it('leaves the event loop its turns', async () => {
    const { engine, collection } = await openWithCollection();
    await insert(engine, collection, ...Array.from({ length: 10_000 }, (_, n) => ({ _id: n, a: n })));
    let turns = 0;
    let building = true;
    const count = () => {
      turns++;
      if (building) setImmediate(count);
    };
    setImmediate(count);
    await engine.createIndex(collection, { key: { a: 1 } });
    building = false;
    // One at least for every 1 000 entries.
    expect(turns).toBeGreaterThanOrEqual(10);
  });

  it('gets its turn while transactions keep writing into the collection', async () => {
    const { engine, collection } = await openWithCollection();
    let stop = false;
    let n = 0;
    const writers = Array.from({ length: 4 }, async () => {
      while (!stop) await insert(engine, collection, { _id: n++ });
    });
    const holder = engine.begin();
    holder.insert(collection, encode({ _id: 'held' }));
    const building = engine.createIndex(collection, { key: { a: 1 } });
    await holder.commit();
    await building;
    stop = true;
    await Promise.all(writers);
    expect(indexed(engine, 'a_1')).toHaveLength(n + 1);
  });
});

describe('a partial index', () => {
  const partial: Doc = { key: { a: 1 }, unique: true, partialFilterExpression: { status: 'live' } };

  it('holds the records that match its filter, as they change, also after reopening', async () => {
    const dataDir = temporaryDirectory();
    const { engine, collection } = await openWithCollection({ dataDir });
    const [one] = await insert(engine, collection, { _id: 1, a: 1, status: 'live' }, { _id: 2, a: 1, status: 'draft' });
    await engine.createIndex(collection, partial);
    expect(indexed(engine, 'a_1')).toEqual([one]);
    await engine.close();
    const again = await openForTest({
      dataDir,
      compileFilter: (filter) => compileFilter(filter, { now: new Date(0), vars: {} }),
    });
    const reopened = named(again, 'a_1').collection;
    const [three] = await insert(again, reopened, { _id: 3, a: 2, status: 'live' });
    expect(await codeOf(() => insert(again, reopened, { _id: 4, a: 1, status: 'live' }))).toBe(11000);
    await again.write((transaction) => transaction.replace(reopened, one!, encode({ _id: 1, a: 1, status: 'draft' })));
    expect(indexed(again, 'a_1')).toEqual([three]);
    await insert(again, reopened, { _id: 4, a: 1, status: 'live' });
  });
});

describe('a multikey index', () => {
  it('is marked so by the first array, for good and over reopening', async () => {
    const dataDir = temporaryDirectory();
    const { engine, collection } = await openWithCollection({ dataDir });
    await engine.createIndex(collection, { key: { a: 1 } });
    const [one] = await insert(engine, collection, { _id: 1, a: 1 });
    expect(named(engine, 'a_1').index.multikey).toBe(false);
    await engine.write((transaction) => {
      transaction.replace(collection, one!, encode({ _id: 1, a: [1, 2] }));
      expect(transaction.collection('db', 'c')!.indexes[1]!.multikey).toBe(true);
    });
    await engine.write((transaction) => transaction.replace(collection, one!, encode({ _id: 1, a: 3 })));
    expect(indexed(engine, 'a_1')).toEqual([one]);
    await engine.close();
    expect(named(await openForTest({ dataDir }), 'a_1').index.multikey).toBe(true);
  });

  it('refuses an array as _id', async () => {
    const { engine, collection } = await openWithCollection();
    expect(await codeOf(() => insert(engine, collection, { _id: [1] }))).toBe(53);
    expect(await codeOf(() => insert(engine, collection, { a: 1 }))).toBe(2);
  });
});

describe('ids and keys beyond LMDB keys', () => {
  it('are found by their whole value, and ordered by it', async () => {
    const { engine, collection } = await openWithCollection();
    await engine.createIndex(collection, { key: { a: -1 }, unique: true });
    const long = 'x'.repeat(5000);
    const ids = await insert(engine, collection, ...[3, 1, 2].map((n) => ({ _id: `${long}${n}`, a: `${long}${n}` })));
    look(engine, (view) => {
      expect(view.findById(collection, `${long}1`)?.recordId).toBe(ids[1]);
      expect(view.findById(collection, `${long}4`)).toBeUndefined();
    });
    expect(indexed(engine, 'a_-1')).toEqual([ids[0], ids[2], ids[1]]);
    expect(await codeOf(() => insert(engine, collection, { _id: 9, a: `${long}2` }))).toBe(11000);
  });
});

describe('dropping', () => {
  it('an index or a collection takes its rows out of the file, also those that a crash left', async () => {
    const dataDir = temporaryDirectory();
    const { engine, collection } = await openWithCollection({ dataDir });
    await engine.createIndex(collection, { key: { a: 1 } });
    await insert(engine, collection, ...Array.from({ length: 2100 }, (_, n) => ({ _id: n, a: n })));
    const old = engine.view();
    await engine.dropIndex(collection, 'a_1');
    expect(await codeOf(() => engine.dropIndex(collection, 'a_1'))).toBe(27);
    expect(await codeOf(() => engine.dropIndex(collection, '_id_'))).toBe(72);
    expect(await engine.dropCollection('db', 'c')).toBe(true);
    expect(await engine.dropCollection('db', 'c')).toBe(false);
    expect([...old.scan(collection)]).toHaveLength(2100);
    old.release();
    await engine.close();
    const environment = Environment.open(dataDir);
    for (const table of ['records', 'entries', 'counters'] as const) {
      expect([...environment.range(table, idKey(0), undefined)]).toEqual([]);
    }
    // As if the process had died between the drop and its clearing up.
    await environment.apply([
      { table: 'records', key: Buffer.concat([idKey(999), Buffer.alloc(6)]), value: Buffer.from('x') },
    ]);
    await environment.close();
    await (await openForTest({ dataDir })).close();
    const after = Environment.open(dataDir);
    expect([...after.range('records', idKey(0), undefined)]).toEqual([]);
    await after.close();
  });

  it('a database drops its collections; renaming keeps records and indexes', async () => {
    const { engine, collection } = await openWithCollection();
    await engine.createIndex(collection, { key: { a: 1 } });
    await insert(engine, collection, { _id: 1, a: 1 });
    await engine.createCollection('other', 'taken', {});
    expect(await codeOf(() => engine.renameCollection('db', 'c', 'other', 'taken', false))).toBe(48);
    expect(await codeOf(() => engine.renameCollection('db', 'none', 'db', 'x', false))).toBe(26);
    await engine.renameCollection('db', 'c', 'other', 'taken', true);
    look(engine, (view) => {
      expect(view.databases()).toEqual(['other']);
      const renamed = view.collection('other', 'taken')!;
      expect(renamed.uuid).toEqual(collection.uuid);
      expect(view.findById(renamed, 1)).toBeDefined();
      expect([...view.scanIndex(renamed, renamed.indexes[1]!, {})]).toHaveLength(1);
    });
    await engine.dropDatabase('other');
    look(engine, (view) => expect(view.databases()).toEqual([]));
  });

  it('a collection waits for open transactions in it, and conflicts with those that began before', async () => {
    const { engine, collection } = await openWithCollection();
    const writer = engine.begin();
    const reader = engine.begin();
    writer.insert(collection, encode({ _id: 1 }));
    let dropped = false;
    const dropping = engine.dropCollection('db', 'c').then(() => {
      dropped = true;
    });
    await insert(engine, await engine.createCollection('db', 'unrelated', {}), { _id: 1 });
    expect(dropped).toBe(false);
    await writer.commit();
    await dropping;
    expect(await codeOf(() => reader.insert(collection, encode({ _id: 2 })))).toBe(112);
    reader.abort();
    expect(await codeOf(() => insert(engine, collection, { _id: 3 }))).toBe(26);
  });
});
