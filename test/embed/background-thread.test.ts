import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { createHashEmbedder } from '../../src/embed/hash.js';
import { chunk } from '../../src/ingest/chunk/chunk.js';
import { createCutter, WORKER_TEXT_LENGTH } from '../../src/ingest/cutter.js';
import { createExtractor } from '../../src/ingest/extract.js';
import { resolveChunking } from '../../src/ingest/resolve-chunking.js';

const cutter = createCutter(chunk);
const extractor = createExtractor();
afterAll(() => Promise.all([cutter.close(), extractor.close()]));

/** Of the threads of this process, how many come after the others. Field 19 of stat(5) of proc. */
function niceThreads(): number {
  return readdirSync('/proc/self/task').filter((thread) => {
    const stat = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]) === 5;
  }).length;
}

test.skipIf(process.platform !== 'linux')(
  'threads that read and cut documents come after what answers requests',
  async () => {
    expect(niceThreads()).toBe(0);
    const text = 'A line about pumps.\n'.repeat(WORKER_TEXT_LENGTH / 10);
    const bytes = Buffer.from(text);
    await extractor.extract({ kind: 'file', name: 'a.txt', mediaType: null, bytes });
    expect(niceThreads()).toBe(1);
    const chunking = resolveChunking(null, 8_192);
    await cutter.cut(text, { title: 't', mediaType: 'text/plain', chunking, maxInputTokens: 8_192 }, [
      createHashEmbedder(),
    ]);
    expect(niceThreads()).toBe(2);
  },
);
