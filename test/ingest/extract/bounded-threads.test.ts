import { expect, test } from 'vitest';
import { createBoundedThreads } from '../../../src/ingest/extract/bounded-threads.js';

/** Answers what it was given, and to `endless` never. */
const ECHO = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from 'node:worker_threads';
    parentPort.on('message', (given) => { if (given !== 'endless') parentPort.postMessage(given); });
  `)}`,
);
const LIMITS = { threads: 1, spare: 1, patienceMs: 1, timeMs: 60_000, heapMb: 64, waiting: 8 };

test('work without end keeps nobody else waiting until its time is over', async () => {
  const threads = createBoundedThreads<string, string>(ECHO, LIMITS);
  const endless = threads.run('endless').catch((error: Error) => error.message);
  expect(await threads.run('a quick one')).toBe('a quick one');
  expect(await threads.run('another')).toBe('another');
  await threads.close();
  expect(await endless).toContain('closed');
});
