import { describe, expect, it } from 'vitest';
import { encode } from '../../../src/pocket-atlas/bson/encode.js';
import { CommandError } from '../../../src/pocket-atlas/errors.js';
import { codeOf, docById, insert, look, openForTest, openWithCollection, scanDocs } from './open-for-test.js';
import { temporaryDirectory } from './temporary-directory.js';

describe('a transaction', () => {
  it('sees its own writes, which nobody else sees before the commit', async () => {
    const { engine, collection } = await openWithCollection();
    const [first] = await insert(engine, collection, { _id: 1, a: 1 }, { _id: 2, a: 2 });
    const transaction = engine.begin();
    transaction.replace(collection, first!, encode({ _id: 1, a: 10 }));
    transaction.insert(collection, encode({ _id: 3, a: 3 }));
    transaction.remove(collection, transaction.findById(collection, 2)!.recordId);
    const expected = [
      { _id: 1, a: 10 },
      { _id: 3, a: 3 },
    ];
    expect(scanDocs(transaction, collection)).toEqual(expected);
    expect(transaction.count(collection)).toBe(2);
    expect(docById(transaction, collection, 2)).toBeUndefined();
    look(engine, (view) => {
      expect(scanDocs(view, collection)).toEqual([
        { _id: 1, a: 1 },
        { _id: 2, a: 2 },
      ]);
    });
    await transaction.commit();
    look(engine, (view) => {
      expect(scanDocs(view, collection)).toEqual(expected);
      expect(view.count(collection)).toBe(2);
      expect(docById(view, collection, 3)).toEqual({ _id: 3, a: 3 });
    });
  });

  it('keeps what was given, whatever the caller does with its bytes afterwards', async () => {
    const { engine, collection } = await openWithCollection();
    const bytes = encode({ _id: 1, text: 'given' });
    await engine.write((transaction) => {
      transaction.insert(collection, bytes);
      bytes.fill(0);
      expect(docById(transaction, collection, 1)).toEqual({ _id: 1, text: 'given' });
    });
    look(engine, (view) => expect(docById(view, collection, 1)).toEqual({ _id: 1, text: 'given' }));
  });

  it('leaves nothing behind when it is aborted', async () => {
    const { engine, collection } = await openWithCollection();
    const transaction = engine.begin();
    transaction.insert(collection, encode({ _id: 1 }));
    transaction.abort();
    expect(await codeOf(() => transaction.insert(collection, encode({ _id: 2 })))).toBe(251);
    look(engine, (view) => expect(scanDocs(view, collection)).toEqual([]));
    await insert(engine, collection, { _id: 1 });
  });

  it('reads the state of its begin, whatever is committed meanwhile', async () => {
    const { engine, collection } = await openWithCollection();
    await insert(engine, collection, { _id: 1 });
    const transaction = engine.begin();
    const view = engine.view();
    await insert(engine, collection, { _id: 2 });
    for (const reader of [transaction, view]) {
      expect(scanDocs(reader, collection)).toEqual([{ _id: 1 }]);
      expect(reader.count(collection)).toBe(1);
      expect(docById(reader, collection, 2)).toBeUndefined();
    }
    view.release();
    transaction.abort();
  });

  it('makes collections that others see from the commit on', async () => {
    const engine = await openForTest();
    const transaction = engine.begin();
    const made = transaction.createCollection('db', 'new', { capped: false });
    transaction.insert(made, encode({ _id: 1 }));
    expect(transaction.collections('db')).toHaveLength(1);
    look(engine, (view) => expect(view.databases()).toEqual([]));
    await transaction.commit();
    look(engine, (view) => {
      expect(view.databases()).toEqual(['db']);
      expect(scanDocs(view, view.collection('db', 'new')!)).toEqual([{ _id: 1 }]);
    });
    expect(await codeOf(() => engine.createCollection('db', 'new', {}))).toBe(48);
  });

  it('refuses more than 64 MB of writes with 257', async () => {
    const { engine, collection } = await openWithCollection();
    const transaction = engine.begin();
    const text = 'x'.repeat(15 * 1024 * 1024);
    for (let id = 0; id < 4; id++) transaction.insert(collection, encode({ _id: id, text }));
    expect(await codeOf(() => transaction.insert(collection, encode({ _id: 4, text })))).toBe(257);
    expect(transaction.count(collection)).toBe(4);
    transaction.abort();
  });
});

describe('two writers of one record', () => {
  it('conflict at the second statement while the first transaction is open', async () => {
    const { engine, collection } = await openWithCollection();
    const [record] = await insert(engine, collection, { _id: 1, n: 0 });
    const first = engine.begin();
    const second = engine.begin();
    first.replace(collection, record!, encode({ _id: 1, n: 1 }));
    try {
      second.replace(collection, record!, encode({ _id: 1, n: 2 }));
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(CommandError);
      expect((error as CommandError).code).toBe(112);
      expect((error as CommandError).labels).toEqual(['TransientTransactionError']);
    }
    second.abort();
    await first.commit();
    look(engine, (view) => expect(docById(view, collection, 1)).toEqual({ _id: 1, n: 1 }));
  });

  it('conflict when one was committed after the other began', async () => {
    const { engine, collection } = await openWithCollection();
    const [record] = await insert(engine, collection, { _id: 1, n: 0 });
    const late = engine.begin();
    await engine.write((transaction) => transaction.replace(collection, record!, encode({ _id: 1, n: 1 })));
    expect(await codeOf(() => late.replace(collection, record!, encode({ _id: 1, n: 2 })))).toBe(112);
    expect(await codeOf(() => late.remove(collection, record!))).toBe(112);
    late.abort();
  });

  it('do not conflict once one was rolled back, or when they write different records', async () => {
    const { engine, collection } = await openWithCollection();
    const [one, two] = await insert(engine, collection, { _id: 1, n: 0 }, { _id: 2, n: 0 });
    const first = engine.begin();
    const second = engine.begin();
    first.replace(collection, one!, encode({ _id: 1, n: 1 }));
    second.replace(collection, two!, encode({ _id: 2, n: 2 }));
    first.abort();
    second.replace(collection, one!, encode({ _id: 1, n: 2 }));
    await second.commit();
    look(engine, (view) => expect(scanDocs(view, collection).map(({ n }) => n)).toEqual([2, 2]));
  });

  it('both succeed as single writes: the second waits for the first', async () => {
    const { engine, collection } = await openWithCollection();
    const [record] = await insert(engine, collection, { _id: 1, n: 0 });
    const increment = () =>
      engine.write((transaction) => {
        const { n } = docById(transaction, collection, 1)!;
        transaction.replace(collection, record!, encode({ _id: 1, n: Number(n) + 1 }));
      });
    await Promise.all(Array.from({ length: 50 }, increment));
    look(engine, (view) => expect(docById(view, collection, 1)).toEqual({ _id: 1, n: 50 }));
  });

  it('end with 50 when the wait is longer than the deadline', async () => {
    const { engine, collection } = await openWithCollection();
    const [record] = await insert(engine, collection, { _id: 1 });
    const holder = engine.begin();
    holder.remove(collection, record!);
    const write = engine.write((transaction) => transaction.remove(collection, record!), { deadline: Date.now() + 20 });
    expect(await codeOf(() => write)).toBe(50);
    holder.abort();
  });
});

describe('a unique key', () => {
  const duplicate = (id: string) => `E11000 duplicate key error collection: db.c index: _id_ dup key: { _id: ${id} }`;

  it('is refused twice with the server text, keyPattern and keyValue', async () => {
    const { engine, collection } = await openWithCollection();
    await engine.createIndex(collection, { key: { name: 1 }, unique: true });
    await insert(engine, collection, { _id: 'a', name: 'x' });
    await expect(insert(engine, collection, { _id: 'a', name: 'y' })).rejects.toThrow(duplicate('"a"'));
    const error = await insert(engine, collection, { _id: 'b', name: 'x' }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 11000,
      message: 'E11000 duplicate key error collection: db.c index: name_1 dup key: { name: "x" }',
      fields: { keyPattern: { name: 1 }, keyValue: { name: 'x' } },
    });
  });

  it('given to two open transactions is a conflict for the second', async () => {
    const { engine, collection } = await openWithCollection();
    const first = engine.begin();
    const second = engine.begin();
    first.insert(collection, encode({ _id: 1 }));
    expect(await codeOf(() => second.insert(collection, encode({ _id: 1 })))).toBe(112);
    first.abort();
    second.abort();
  });

  it('raced for by parallel writes goes to exactly one', async () => {
    const { engine, collection } = await openWithCollection();
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, n) => codeOf(() => insert(engine, collection, { _id: 'same', n }))),
    );
    expect(results.filter((code) => code === undefined)).toHaveLength(1);
    expect(results.filter((code) => code === 11000)).toHaveLength(19);
    look(engine, (view) => expect(view.count(collection)).toBe(1));
  });

  it('can move from one record to another within a transaction', async () => {
    const { engine, collection } = await openWithCollection();
    await engine.createIndex(collection, { key: { k: 1 }, unique: true });
    const [one, two] = await insert(engine, collection, { _id: 1, k: 'a' }, { _id: 2, k: 'b' });
    await engine.write((transaction) => {
      transaction.remove(collection, one!);
      transaction.replace(collection, two!, encode({ _id: 2, k: 'a' }));
    });
    await insert(engine, collection, { _id: 3, k: 'b' });
    expect(await codeOf(() => insert(engine, collection, { _id: 4, k: 'a' }))).toBe(11000);
  });

  it('that a refused statement touched leaves that statement without effect', async () => {
    const { engine, collection } = await openWithCollection();
    await engine.createIndex(collection, { key: { k: 1 }, unique: true });
    await insert(engine, collection, { _id: 1, k: 'a' });
    await engine.write((transaction) => {
      expect(() => transaction.insert(collection, encode({ _id: 2, k: 'a' }))).toThrow('E11000');
      transaction.insert(collection, encode({ _id: 2, k: 'c' }));
    });
    look(engine, (view) =>
      expect(scanDocs(view, collection)).toEqual([
        { _id: 1, k: 'a' },
        { _id: 2, k: 'c' },
      ]),
    );
  });
});

describe('what was committed', () => {
  it('is there after reopening: records, order, counts, indexes, ids that go on', async () => {
    const dataDir = temporaryDirectory();
    const { engine, collection } = await openWithCollection({ dataDir });
    await engine.createIndex(collection, { key: { a: -1 }, name: 'by a' });
    const ids = await insert(engine, collection, { _id: 'x', a: 1 }, { _id: 'y', a: 2 }, { _id: 'z', a: 3 });
    await engine.write((transaction) => transaction.remove(collection, ids[2]!));
    await engine.close();
    const again = await openForTest({ dataDir });
    const reopened = look(again, (view) => view.collection('db', 'c'))!;
    expect(Buffer.from(reopened.uuid).equals(collection.uuid)).toBe(true);
    expect(reopened.indexes.map(({ name }) => name)).toEqual(['_id_', 'by a']);
    look(again, (view) => {
      expect(scanDocs(view, reopened).map(({ _id }) => _id)).toEqual(['x', 'y']);
      expect(view.count(reopened)).toBe(2);
      expect([...view.scanIndex(reopened, reopened.indexes[1]!, {})]).toEqual([ids[1], ids[0]]);
    });
    const [next] = await insert(again, reopened, { _id: 'w' });
    expect(next).toBeGreaterThan(ids[2]!);
  });
});
