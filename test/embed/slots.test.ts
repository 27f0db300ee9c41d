import { expect, test } from 'vitest';
import { createSlots } from '../../src/embed/slots.js';

const [ada, bob] = [{}, {}];

test('callers take turns, whoever asked for more; what one caller asks for comes in order', async () => {
  const slots = createSlots(1);
  const served: string[] = [];
  const release = await slots.take(ada);
  const take = async (caller: object, name: string) => {
    const done = await slots.take(caller);
    served.push(name);
    done();
  };
  const all = [take(ada, 'a1'), take(ada, 'a2'), take(ada, 'a3'), take(bob, 'b1'), take(bob, 'b2')];
  release();
  await Promise.all(all);
  expect(served).toEqual(['a1', 'b1', 'a2', 'b2', 'a3']);
});

test('who stops waiting leaves the line, and nobody waits for it', async () => {
  const slots = createSlots(1);
  const release = await slots.take(ada);
  const stop = new AbortController();
  const stopped = slots.take(ada, stop.signal);
  const next = slots.take(bob);
  stop.abort(new Error('enough'));
  await expect(stopped).rejects.toThrow('enough');
  release();
  (await next)();
  (await slots.take(ada))();
});

test('giving a slot back twice gives it back once', async () => {
  const slots = createSlots(1);
  const release = await slots.take(ada);
  release();
  release();
  const first = await slots.take(ada);
  let isServed = false;
  const second = slots.take(bob).then((done) => {
    isServed = true;
    return done;
  });
  await Promise.resolve();
  expect(isServed).toBe(false);
  first();
  (await second)();
});
