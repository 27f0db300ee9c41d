import { describe, expect, it } from 'vitest';
import type { Doc } from '../../../src/pocket-atlas/bson/values.js';
import { removeExpired } from '../../../src/pocket-atlas/storage/expiry.js';
import { codeOf, insert, look, openWithCollection, scanDocs } from './open-for-test.js';

const at = (seconds: number) => new Date(1_700_000_000_000 + seconds * 1000);

describe('a TTL index', () => {
  it('removes what is older than expireAfterSeconds, and nothing else', async () => {
    const { engine, collection } = await openWithCollection();
    await engine.createIndex(collection, { key: { 'a.at': 1 }, expireAfterSeconds: 60 });
    const docs: Doc[] = [
      { _id: 'old', a: { at: at(0) } },
      { _id: 'just expired', a: { at: at(40) } },
      { _id: 'young', a: { at: at(41) } },
      { _id: 'no date', a: { at: 'yesterday' } },
      { _id: 'a number', a: { at: 0 } },
      { _id: 'null', a: { at: null } },
      { _id: 'missing' },
      { _id: 'array with an old date', a: { at: [at(90), at(1)] } },
      { _id: 'array of young dates', a: { at: [at(90), at(91)] } },
      { _id: 'array of documents', a: [{ at: at(90) }, { at: at(2) }] },
    ];
    await insert(engine, collection, ...docs);
    expect(await removeExpired(engine, at(100))).toBe(4);
    look(engine, (view) => {
      expect(scanDocs(view, collection).map(({ _id }) => _id)).toEqual([
        'young',
        'no date',
        'a number',
        'null',
        'missing',
        'array of young dates',
      ]);
    });
    expect(await removeExpired(engine, at(100))).toBe(0);
  });

  it('removes more than one batch', async () => {
    const { engine, collection } = await openWithCollection();
    await engine.createIndex(collection, { key: { at: -1 }, expireAfterSeconds: 0 });
    await insert(engine, collection, ...Array.from({ length: 1203 }, (_, _id) => ({ _id, at: at(_id) })));
    expect(await removeExpired(engine, at(1200))).toBe(1201);
    look(engine, (view) => expect(view.count(collection)).toBe(2));
  });

  it('is swept by the engine itself at its interval', async () => {
    const { engine, collection } = await openWithCollection({ expiryIntervalMs: 5, now: () => at(100).getTime() });
    await engine.createIndex(collection, { key: { at: 1 }, expireAfterSeconds: 1 });
    const removed = new Promise((resolve) => {
      engine.oplog.subscribe((latest) => {
        if (engine.oplog.read(latest - 1, 10).some(({ kind }) => kind === 'remove')) resolve(undefined);
      });
    });
    await insert(engine, collection, { _id: 1, at: at(0) });
    await removed;
  });

  it('is refused for compound keys, _id and values out of range', async () => {
    const { engine, collection } = await openWithCollection();
    const codes = await Promise.all(
      [
        { key: { a: 1, b: 1 }, expireAfterSeconds: 1 },
        { key: { _id: 1 }, expireAfterSeconds: 1 },
        { key: { a: 1 }, expireAfterSeconds: -1 },
        { key: { a: 1 }, expireAfterSeconds: 'x' },
      ].map((spec) => codeOf(() => engine.createIndex(collection, spec))),
    );
    expect(codes).toEqual([67, 67, 67, 67]);
  });
});
