import { afterEach, describe, expect, it } from 'vitest';
import { createWorkerPool, type WorkerPool, type WorkerPoolOptions } from '../../src/embed/worker-pool.js';

/** Echoes, waits for a message from elsewhere, or dies, as it is told. */
const WORKER = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort, workerData, threadId } from 'node:worker_threads';
    const gate = workerData?.gate && new Int32Array(workerData.gate);
    parentPort.on('message', (request) => {
      if (request === 'die') process.exit(3);
      if (request === 'throw') throw new Error('thrown inside');
      if (gate) Atomics.wait(gate, 0, 0);
      if (request === 'long') for (const done of [1, 2, 3]) parentPort.postMessage({ progress: [done, 3] });
      parentPort.postMessage({ request, threadId, data: workerData?.name });
    });
  `)}`,
);
interface Reply {
  readonly request: string;
  readonly threadId: number;
  readonly data: string | undefined;
}

const pools: WorkerPool<string, Reply>[] = [];
function pool(options: WorkerPoolOptions<string>): WorkerPool<string, Reply> {
  const made = createWorkerPool<string, Reply>(WORKER, options);
  pools.push(made);
  return made;
}
afterEach(() => Promise.all(pools.splice(0).map((made) => made.close())));

/** Threads that hold their first answer until the gate opens. */
function gated(size: number, waitingLimit?: number) {
  const gate = new SharedArrayBuffer(4);
  const made = pool({
    size,
    ...(waitingLimit && { waitingLimit }),
    lease: () => ({ data: { gate }, release: () => {} }),
  });
  return {
    made,
    open: () => {
      Atomics.store(new Int32Array(gate), 0, 1);
      Atomics.notify(new Int32Array(gate), 0);
    },
  };
}

describe('a worker pool', () => {
  it('answers every request, from no more threads than it may have', async () => {
    const made = pool({ size: 2 });
    const replies = await Promise.all(Array.from({ length: 20 }, (_, at) => made.run(`r${at}`)));
    expect(replies.map(({ request }) => request)).toEqual(Array.from({ length: 20 }, (_, at) => `r${at}`));
    expect(new Set(replies.map(({ threadId }) => threadId)).size).toBeLessThanOrEqual(2);
  });

  it('ends the thread of a request that took so much memory, and the next one gets another', async () => {
    const made = pool({ size: 1, isLast: (request) => request === 'large' });
    const threads: number[] = [];
    for (const request of ['a', 'large', 'b', 'c']) threads.push((await made.run(request)).threadId);
    const [first, large, next, last] = threads;
    expect([large, last]).toEqual([first, next]);
    expect(next).not.toBe(large);
  });

  it('passes on how far a request is, to whoever asked for it', async () => {
    const made = pool({ size: 1 });
    const told: number[][] = [];
    expect(await made.run('long', undefined, (...far) => told.push(far))).toMatchObject({ request: 'long' });
    await made.run('long');
    expect(told).toEqual([
      [1, 3],
      [2, 3],
      [3, 3],
    ]);
  });

  it.each([
    ['die', /code 3/],
    ['throw', /thrown inside/],
  ])('rejects the request whose thread ends by %s, and starts another', async (fatal, message) => {
    const made = pool({ size: 1 });
    const outcomes = await Promise.allSettled([made.run('a'), made.run(fatal), made.run('b')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(String((outcomes[1] as PromiseRejectedResult).reason)).toMatch(message);
  });

  it('answers an abort at once, of what waits and of what has begun', async () => {
    const { made, open } = gated(1);
    const stop = new AbortController();
    const both = Promise.allSettled([made.run('begun', stop.signal), made.run('waiting', stop.signal)]);
    stop.abort(new Error('enough'));
    expect((await both).map((outcome) => String((outcome as PromiseRejectedResult).reason))).toEqual([
      'Error: enough',
      'Error: enough',
    ]);
    open();
    expect((await made.run('next')).request).toBe('next');
  });

  it('refuses more than may wait', async () => {
    const { made, open } = gated(1, 2);
    const running = [made.run('begun'), made.run('one'), made.run('two')];
    await expect(made.run('three')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    open();
    expect((await Promise.all(running)).map(({ request }) => request)).toEqual(['begun', 'one', 'two']);
  });

  it('rejects what waits and what runs when it is closed, and everything after', async () => {
    const { made } = gated(1);
    const running = Promise.allSettled([made.run('begun'), made.run('waiting')]);
    await made.close();
    expect((await running).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(made.run('later')).rejects.toThrow('closed');
  });

  it('gives each thread a lease and releases it when the thread has ended', async () => {
    const held = new Set<string>();
    let leases = 0;
    const made = pool({
      size: 1,
      lease: () => {
        const name = `lease ${leases++}`;
        held.add(name);
        return { data: { name }, release: () => held.delete(name) };
      },
    });
    expect((await made.run('a')).data).toBe('lease 0');
    await expect(made.run('die')).rejects.toThrow();
    expect((await made.run('b')).data).toBe('lease 1');
    expect([...held]).toEqual(['lease 1']);
    await made.close();
    await expect.poll(() => held.size).toBe(0);
  });

  it('fails the request when no lease can be had', async () => {
    const made = pool({
      size: 1,
      lease: () => {
        throw new Error('none left');
      },
    });
    await expect(made.run('a')).rejects.toThrow('none left');
  });
});
