import { expect, test } from 'vitest';
import { KeyedLock } from '../../src/ingest/keyed-lock.js';

test('work of one key runs in the order asked, work of others at the same time', async () => {
  const lock = new KeyedLock();
  const log: string[] = [];
  let freeA: () => void = () => {};
  const a1 = lock.run('a', () => new Promise<void>((resolve) => (freeA = resolve)).then(() => log.push('a1')));
  const a2 = lock.run('a', async () => log.push('a2'));
  await lock.run('b', async () => log.push('b'));
  expect(log).toEqual(['b']);
  freeA();
  await Promise.all([a1, a2]);
  expect(log).toEqual(['b', 'a1', 'a2']);
});

test('a failure frees the key', async () => {
  const lock = new KeyedLock();
  await expect(lock.run('a', () => Promise.reject(new Error('x')))).rejects.toThrow('x');
  expect(await lock.run('a', async () => 1)).toBe(1);
});
