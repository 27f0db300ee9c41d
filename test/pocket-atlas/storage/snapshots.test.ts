import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { encode } from '../../../src/pocket-atlas/bson/encode.js';
import type { ReadView } from '../../../src/pocket-atlas/storage/engine.js';
import { codeOf, docById, insert, openWithCollection } from './open-for-test.js';
import { temporaryDirectory } from './temporary-directory.js';

describe('views', () => {
  it('of one commit share a snapshot: ten thousand are as good as one', async () => {
    const { engine, collection } = await openWithCollection();
    await insert(engine, collection, { _id: 1 });
    const views = Array.from({ length: 10_000 }, () => engine.view());
    for (const view of views) expect(view.count(collection)).toBe(1);
    for (const view of views) view.release();
  });

  it('of hundreds of commits stay what they were, more than LMDB has readers by default', async () => {
    const { engine, collection } = await openWithCollection();
    const [record] = await insert(engine, collection, { _id: 1, n: -1 });
    const views: ReadView[] = [];
    for (let n = 0; n < 150; n++) {
      await engine.write((transaction) => transaction.replace(collection, record!, encode({ _id: 1, n })));
      views.push(engine.view());
    }
    for (const [n, view] of views.entries()) expect(docById(view, collection, 1)).toEqual({ _id: 1, n });
    for (const view of views) view.release();
  });

  it('show every commit from its acknowledgement on', async () => {
    const { engine, collection } = await openWithCollection();
    const [record] = await insert(engine, collection, { _id: 1, n: 0 });
    for (let n = 1; n <= 60; n++) {
      // A view in the same turn before the commit must not make the one after it an old one.
      engine.view().release();
      const held = engine.view();
      await engine.write((transaction) => transaction.replace(collection, record!, encode({ _id: 1, n })));
      const view = engine.view();
      expect(docById(view, collection, 1)?.n).toBe(n);
      expect(docById(held, collection, 1)?.n).toBe(n - 1);
      view.release();
      held.release();
    }
  });

  it('that were released or outlived the engine are refused', async () => {
    const { engine, collection } = await openWithCollection();
    const released = engine.view();
    released.release();
    released.release();
    const held = engine.view();
    await engine.close();
    for (const view of [released, held]) {
      expect(await codeOf(() => view.count(collection))).toBe(11600);
      expect(await codeOf(() => [...view.scan(collection)])).toBe(11600);
      expect(await codeOf(() => view.findById(collection, 1))).toBe(11600);
    }
    held.release();
    expect(await codeOf(() => engine.view())).toBe(11600);
    expect(await codeOf(() => engine.begin())).toBe(11600);
    expect(await codeOf(() => insert(engine, collection, { _id: 1 }))).toBe(11600);
  });

  it('give their pages back: rewriting a record does not grow the file for ever', async () => {
    const dataDir = temporaryDirectory();
    const { engine, collection } = await openWithCollection({ dataDir });
    const text = 'x'.repeat(50_000);
    const [record] = await insert(engine, collection, { _id: 1, text });
    for (let n = 0; n < 100; n++) {
      const view = engine.view();
      await engine.write((transaction) => transaction.replace(collection, record!, encode({ _id: 1, text, n })));
      view.release();
    }
    expect(statSync(join(dataDir, 'store.mdb')).size).toBeLessThan(2_000_000);
  });
});
