import { expect, test } from 'vitest';
import { KeepAsTheyArrive } from '../../src/ingest/keep-as-they-arrive.js';

/** Writes that end when the test says so. */
function recorder() {
  const batches: string[][] = [];
  const ends: (() => void)[] = [];
  const keeper = new KeepAsTheyArrive<number>(async (batch) => {
    batches.push([...batch.keys()]);
    await new Promise<void>((resolve) => ends.push(resolve));
  });
  const add = (from: number, to: number) => {
    for (let at = from; at < to; at++) keeper.add(String(at), at);
  };
  return { keeper, batches, ends, add };
}

test('a batch that arrives at once is one write, and what arrives meanwhile is the next', async () => {
  const { keeper, batches, ends, add } = recorder();
  add(0, 75);
  await expect.poll(() => batches.length).toBe(1);
  expect(batches[0]).toHaveLength(75);
  add(75, 100);
  add(100, 150);
  ends[0]!();
  await expect.poll(() => batches.length).toBe(2);
  expect(batches[1]).toHaveLength(75);
  ends[1]!();
  await keeper.stop();
});

test('a failure waits until all that arrived is written', async () => {
  const { keeper, batches, ends, add } = recorder();
  add(0, 3);
  expect(batches).toEqual([]);
  let isKept = false;
  const kept = keeper.keepAll().then(() => {
    isKept = true;
  });
  await expect.poll(() => batches).toEqual([['0', '1', '2']]);
  expect(isKept).toBe(false);
  ends[0]!();
  await kept;
});

test('work that is done writes nothing more', async () => {
  const { keeper, batches, add } = recorder();
  add(0, 31);
  await keeper.stop();
  await new Promise((resolve) => setImmediate(resolve));
  expect(batches).toEqual([]);
});

test('a write that fails fails nothing else', async () => {
  const keeper = new KeepAsTheyArrive<number>(async () => {
    throw new Error('the database is away');
  });
  keeper.add('a', 1);
  await keeper.keepAll();
});
