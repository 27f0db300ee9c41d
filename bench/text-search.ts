import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import MiniSearch from 'minisearch';
import { Binary, MongoClient } from 'mongodb';
import { makeRandom, makeText, makeWords } from './corpus.js';
import { formatLoopDelay } from './loop-delay.js';
import { percentiles, round, timed } from './measure.js';
import { startPocketAtlas } from './pocket-atlas-process.js';
import { formatMemory, memoryOf } from './process-memory.js';

/**
 * `$search` over texts of 60 words, six-word questions, through the driver; with an owner filter and without. MiniSearch, in
 * this process and without a socket between, is there for scale.
 */
const BATCH = 1_000;
const QUESTIONS = 100;
/** A second each at full size. */
const PEER_QUESTIONS = 10;

export async function benchTextSearch(print: (line: string) => void, count: number): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'text-bench-'));
  const server = await startPocketAtlas(dataDir);
  const client = new MongoClient(server.uri);
  try {
    const texts = client.db('bench').collection('texts');
    const words = makeWords(makeRandom(5));
    const peer = new MiniSearch({ fields: ['text'] });
    let peerMs = 0;
    for (let i = 0; i < count; i += BATCH) {
      const batch = Array.from({ length: Math.min(BATCH, count - i) }, (_, j) => ({
        owner: `owner ${(i + j) % 10}`,
        text: makeText(words, 1),
        pad: new Binary(Buffer.alloc(64)),
      }));
      await texts.insertMany(batch);
      peerMs += await timed(async () => peer.addAll(batch.map(({ text }, j) => ({ id: i + j, text }))));
    }
    const mappings = { dynamic: false, fields: { text: { type: 'string' }, owner: { type: 'token' } } };
    await server.loopDelay();
    const built = await timed(async () => {
      await texts.createSearchIndex({ name: 'text', type: 'search', definition: { mappings } });
      while (!((await texts.listSearchIndexes('text').toArray())[0] as { queryable?: boolean } | undefined)?.queryable)
        await new Promise((resolve) => setTimeout(resolve, 50));
    });
    print(`\n${count} texts of 60 words: index built in ${round(built)} ms`);
    print(`  its event loop meanwhile: ${formatLoopDelay(await server.loopDelay())}`);
    const question = (): string => Array.from({ length: 6 }, words).join(' ');
    const text = () => ({ text: { query: question(), path: 'text' } });
    await search(print, texts, 'all', text);
    await search(print, texts, 'one owner of ten', () => ({
      compound: { must: [text()], filter: [{ equals: { path: 'owner', value: 'owner 3' } }] },
    }));
    const { p50, p95 } = percentiles(await timesOf(PEER_QUESTIONS, async () => peer.search(question())));
    print(`  MiniSearch (built in ${round(peerMs)} ms), all: p50 ${round(p50)} ms, p95 ${round(p95)} ms`);
    print(`  memory: ${formatMemory(memoryOf(server.pid))}`);
  } finally {
    await client.close();
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function search(
  print: (line: string) => void,
  texts: ReturnType<ReturnType<MongoClient['db']>['collection']>,
  name: string,
  query: () => object,
): Promise<void> {
  const stages = (): object[] => [
    { $search: { index: 'text', ...query() } },
    { $limit: 10 },
    { $project: { score: { $meta: 'searchScore' } } },
  ];
  const { p50, p95 } = percentiles(await timesOf(QUESTIONS, () => texts.aggregate(stages()).toArray()));
  print(`  $search of six words, ${name}: p50 ${round(p50)} ms, p95 ${round(p95)} ms`);
}

/** In ms, after a few that do not count. */
async function timesOf(count: number, run: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let i = -Math.ceil(count / 5); i < count; i++) {
    const ms = await timed(run);
    if (i >= 0) times.push(ms);
  }
  return times;
}
