import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { decode } from '../../../src/pocket-atlas/bson/decode.js';
import { encode } from '../../../src/pocket-atlas/bson/encode.js';
import type { CollectionInfo, ReadView, Transaction } from '../../../src/pocket-atlas/storage/engine.js';
import type { StorageEngine } from '../../../src/pocket-atlas/storage/storage-engine.js';
import { codeOf, insert, look, openForTest, openWithCollection, scanDocs } from './open-for-test.js';
import { temporaryDirectory } from './temporary-directory.js';

const ACCOUNTS = 8;
const EACH = 1000;
const WORKERS = 6;
const TRANSFERS = 25;

function total(view: ReadView, collection: CollectionInfo): number {
  return scanDocs(view, collection).reduce((sum, { balance }) => sum + Number(balance), 0);
}

function transfer(
  transaction: Transaction,
  collection: CollectionInfo,
  from: number,
  to: number,
  amount: number,
): void {
  for (const [id, change] of [
    [from, -amount],
    [to, amount],
  ] as const) {
    const { recordId, bytes } = transaction.findById(collection, id)!;
    const account = decode(bytes);
    transaction.replace(collection, recordId, encode({ ...account, balance: Number(account.balance) + change }));
  }
}

/** A transaction of a client: begins, yields in the middle, and is given up and begun again on a conflict. */
async function clientTransfer(
  engine: StorageEngine,
  collection: CollectionInfo,
  from: number,
  to: number,
  amount: number,
) {
  for (;;) {
    const transaction = engine.begin();
    const code = await codeOf(async () => {
      transfer(transaction, collection, from, to, amount);
      await nextTurn();
      await transaction.commit();
    });
    transaction.abort();
    if (code === undefined) return;
    expect(code).toBe(112);
    await nextTurn();
  }
}

describe('transfers in parallel', () => {
  it('never make or lose money, in any view at any moment and after reopening', async () => {
    const dataDir = temporaryDirectory();
    const { engine, collection } = await openWithCollection({ dataDir });
    await engine.createIndex(collection, { key: { balance: 1 } });
    await insert(engine, collection, ...Array.from({ length: ACCOUNTS }, (_, _id) => ({ _id, balance: EACH })));
    let done = false;
    const watch = async () => {
      for (; !done; await nextTurn()) {
        look(engine, (view) => {
          expect(total(view, collection)).toBe(ACCOUNTS * EACH);
          const index = view.collection('db', 'c')!.indexes[1]!;
          expect([...view.scanIndex(collection, index, {})]).toHaveLength(ACCOUNTS);
        });
      }
    };
    const watching = watch();
    const work = async (worker: number) => {
      for (let n = 0; n < TRANSFERS; n++) {
        const from = (worker + n) % ACCOUNTS;
        const to = (from + 1 + (n % (ACCOUNTS - 1))) % ACCOUNTS;
        if (n % 2 === 0) await clientTransfer(engine, collection, from, to, n);
        else await engine.write((transaction) => transfer(transaction, collection, from, to, n));
      }
    };
    await Promise.all(Array.from({ length: WORKERS }, (_, worker) => work(worker)));
    done = true;
    await watching;
    await engine.close();
    const again = await openForTest({ dataDir });
    look(again, (view) => expect(total(view, view.collection('db', 'c')!)).toBe(ACCOUNTS * EACH));
  });
});
