import { describe, expect, it } from 'vitest';
import { encode } from '../../../src/pocket-atlas/bson/encode.js';
import type { StorageEngine } from '../../../src/pocket-atlas/storage/storage-engine.js';
import { insert, openForTest, openWithCollection } from './open-for-test.js';
import { temporaryDirectory } from './temporary-directory.js';

const kinds = (engine: StorageEngine, after: number) =>
  engine.oplog
    .read(after, 1000)
    .map(({ kind, recordId, commitNumber }) => `${commitNumber - after} ${kind} ${recordId}`);

describe('the oplog', () => {
  it('lists the changes of each commit in order, with the time of the commit', async () => {
    const { engine, collection } = await openWithCollection({ now: () => 1234 });
    const start = engine.oplog.latest;
    const [one, two] = await insert(engine, collection, { _id: 1 }, { _id: 2 });
    await engine.write((transaction) => {
      transaction.replace(collection, one!, encode({ _id: 1, a: 1 }));
      transaction.remove(collection, two!);
    });
    await engine.dropCollection('db', 'c');
    expect(kinds(engine, start)).toEqual(['1 put 1', '1 put 2', '2 put 1', '2 remove 2', '3 dropCollection 0']);
    expect(engine.oplog.latest).toBe(start + 3);
    const [first] = engine.oplog.read(start, 1);
    expect(first).toMatchObject({ collectionId: collection.id, at: 1234 });
  });

  it('gives whole commits, as many as the limit needs', async () => {
    const { engine, collection } = await openWithCollection();
    const start = engine.oplog.latest;
    await insert(engine, collection, { _id: 1 }, { _id: 2 }, { _id: 3 });
    await insert(engine, collection, { _id: 4 });
    expect(engine.oplog.read(start, 2)).toHaveLength(3);
    expect(engine.oplog.read(start + 1, 2)).toHaveLength(1);
    expect(engine.oplog.read(start + 2, 2)).toHaveLength(0);
  });

  it('tells listeners of each durable commit, in which a view then shows it', async () => {
    const { engine, collection } = await openWithCollection();
    const seen: [number, number][] = [];
    const unsubscribe = engine.oplog.subscribe((latest) => {
      const view = engine.view();
      seen.push([latest, view.commitNumber]);
      view.release();
    });
    await insert(engine, collection, { _id: 1 });
    unsubscribe();
    await insert(engine, collection, { _id: 2 });
    expect(seen).toHaveLength(1);
    expect(seen[0]![0]).toBe(seen[0]![1]);
  });

  it('does not list what was rolled back or what only keyspaces wrote', async () => {
    const { engine, collection } = await openWithCollection();
    const start = engine.oplog.latest;
    const transaction = engine.begin();
    transaction.insert(collection, encode({ _id: 1 }));
    transaction.abort();
    await engine.keyspace('side').commit([{ key: Buffer.from('k'), value: Buffer.from('v') }]);
    expect(engine.oplog.latest).toBe(start);
    expect(kinds(engine, start)).toEqual([]);
  });

  it('is trimmed behind the slowest consumer, and never before it', async () => {
    const dataDir = temporaryDirectory();
    const { engine, collection } = await openWithCollection({ dataDir });
    engine.oplog.checkpoint('slow', 0);
    engine.oplog.checkpoint('fast', 0);
    const inserts = Array.from({ length: 2500 }, (_, _id) => insert(engine, collection, { _id }));
    await Promise.all(inserts);
    const { latest } = engine.oplog;
    engine.oplog.checkpoint('fast', latest);
    await engine.keyspace('settle').commit([]);
    expect(engine.oplog.oldest).toBe(1);
    engine.oplog.checkpoint('slow', 1600);
    await waitFor(() => engine.oplog.oldest > 1);
    expect(engine.oplog.oldest).toBeLessThanOrEqual(1601);
    expect(engine.oplog.read(1600, 1)[0]?.commitNumber).toBe(1601);
    engine.oplog.forget('slow');
    await waitFor(() => engine.oplog.oldest > 2000);
    await engine.close();
    const again = await openForTest({ dataDir });
    expect(again.oplog.oldest).toBeGreaterThan(2000);
    expect(again.oplog.latest).toBe(latest);
  });

  it('is bounded when there is no consumer', async () => {
    const { engine, collection } = await openWithCollection();
    for (let batch = 0; batch < 12; batch++) {
      const inserts = Array.from({ length: 1000 }, (_, n) => insert(engine, collection, { _id: batch * 1000 + n }));
      await Promise.all(inserts);
    }
    await waitFor(() => engine.oplog.latest - engine.oplog.oldest <= 11_000);
  });
});

/** Waits for background work by running commits through the same queue. */
async function waitFor(condition: () => boolean): Promise<void> {
  for (let turn = 0; !condition(); turn++) {
    if (turn > 5000) throw new Error('The condition never came true');
    await new Promise((resolve) => setImmediate(resolve));
  }
}
