import { describe, expect, it } from 'vitest';
import { encode } from '../../../src/pocket-atlas/bson/encode.js';
import { codeOf, look, openForTest, openWithCollection } from './open-for-test.js';
import { temporaryDirectory } from './temporary-directory.js';

const reply = new Uint8Array([1, 2, 3]);

describe('the reply of a retryable write', () => {
  it('is remembered with the commit, over reopening, and not without it', async () => {
    const dataDir = temporaryDirectory();
    const { engine, collection } = await openWithCollection({ dataDir });
    const aborted = engine.begin();
    aborted.rememberRetryable('lost', reply);
    aborted.abort();
    await engine.write((transaction) => {
      transaction.insert(collection, encode({ _id: 1 }));
      transaction.rememberRetryable('kept', reply);
      expect(engine.retryableReply('kept')).toBeUndefined();
    });
    expect(engine.retryableReply('lost')).toBeUndefined();
    expect(engine.retryableReply('kept')).toEqual(reply);
    await engine.close();
    const again = await openForTest({ dataDir });
    expect(Buffer.from(again.retryableReply('kept')!).equals(reply)).toBe(true);
  });

  it('ends after 30 minutes', async () => {
    let now = 1_000_000;
    const engine = await openForTest({ now: () => now });
    await engine.write((transaction) => transaction.rememberRetryable('k', reply));
    now += 29 * 60_000;
    expect(engine.retryableReply('k')).toEqual(reply);
    now += 2 * 60_000;
    expect(engine.retryableReply('k')).toBeUndefined();
  });

  it('is kept for the newest 10 000 only', async () => {
    const engine = await openForTest();
    for (let batch = 0; batch < 6; batch++) {
      await engine.write((transaction) => {
        for (let n = 0; n < 2000; n++) transaction.rememberRetryable(`${batch}/${n}`, reply);
      });
    }
    expect(engine.retryableReply('0/0')).toBeUndefined();
    expect(engine.retryableReply('0/1999')).toBeUndefined();
    expect(engine.retryableReply('1/0')).toEqual(reply);
    expect(engine.retryableReply('5/1999')).toEqual(reply);
  });

  it('keeps a second attempt of the same write from being done', async () => {
    const { engine, collection } = await openWithCollection();
    const attempt = (id: number) =>
      engine.write((transaction) => {
        transaction.insert(collection, encode({ _id: id }));
        transaction.rememberRetryable('k', reply);
      });
    const [first, second] = await Promise.all([codeOf(() => attempt(1)), codeOf(() => attempt(2))]);
    expect([first, second]).toEqual([undefined, 117]);
    look(engine, (view) => expect(view.count(collection)).toBe(1));
  });

  it('conflicts while another transaction is about to give the same one', async () => {
    const engine = await openForTest();
    const first = engine.begin();
    const second = engine.begin();
    first.rememberRetryable('k', reply);
    expect(await codeOf(() => second.rememberRetryable('k', reply))).toBe(112);
    await first.commit();
    expect(await codeOf(() => second.rememberRetryable('k', reply))).toBe(112);
    second.abort();
  });
});
