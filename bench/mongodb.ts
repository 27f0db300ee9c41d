import { fdatasyncSync, openSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Binary, type Collection, type Document, MongoClient } from 'mongodb';
import { spawnPocketAtlas } from '../src/pocket-atlas/spawn.js';
import { makeRandom, makeText, makeWords } from './corpus.js';
import { formatSpread, interleaved, percentiles, round, spreadOf, timed } from './measure.js';

/**
 * Pocket Atlas as a MongoDB, each figure beside what limits it: bulk inserts beside plain writes of the same bytes, finds
 * beside pings, durable writes and transactions beside the disk's own flushes.
 */
const DIMENSIONS = 512;
const BATCH = 1_000;
const FINDS = 2_000;
const SECONDS_PER_RATE = 3;
const ROUNDS = 3;
const PARALLEL = 16;

export async function benchMongoDb(print: (line: string) => void, documents: number): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gazetteer-bench-'));
  const server = await spawnPocketAtlas({ dataDir: join(dataDir, 'data') });
  const client = new MongoClient(server.uri, { maxPoolSize: PARALLEL });
  try {
    const chunks = client.db('bench').collection<Document>('chunks');
    await insertAll(print, chunks, documents, join(dataDir, 'plain'));
    await findById(print, client, chunks, documents);
    await durableRates(print, client, join(dataDir, 'flushed'));
  } finally {
    await client.close();
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function insertAll(
  print: (line: string) => void,
  chunks: Collection<Document>,
  count: number,
  file: string,
): Promise<void> {
  const random = makeRandom(3);
  const words = makeWords(random);
  let bytes = 0;
  let insertMs = 0;
  for (let from = 0; from < count; from += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, count - from) }, (_, i) => {
      const text = makeText(words, 4);
      bytes += text.length + DIMENSIONS * 4;
      const vector = Float32Array.from({ length: DIMENSIONS }, random);
      return {
        _id: (from + i) as never,
        owner: `o${i % 10}`,
        ordinal: i,
        text,
        vector: Binary.fromFloat32Array(vector),
      };
    });
    insertMs += await timed(() => chunks.insertMany(batch));
  }
  const descriptor = openSync(file, 'w');
  const block = Buffer.alloc(Math.ceil(bytes / (count / BATCH)), 1);
  const plainMs = await timed(async () => {
    for (let from = 0; from < count; from += BATCH) {
      writeSync(descriptor, block);
      fdatasyncSync(descriptor);
    }
  });
  print(
    `insertMany of ${count} chunk-sized documents: ${round((count / insertMs) * 1_000)} per second, ` +
      `${round(bytes / 2 ** 20 / (insertMs / 1_000))} MiB/s; plain writes and flushes of the same bytes: ` +
      `${round(bytes / 2 ** 20 / (plainMs / 1_000))} MiB/s`,
  );
}

async function findById(
  print: (line: string) => void,
  client: MongoClient,
  chunks: Collection<Document>,
  count: number,
): Promise<void> {
  const times = await interleaved(
    {
      find: (turn) => chunks.findOne({ _id: ((turn * 7_919) % count) as never }),
      ping: () => client.db('admin').command({ ping: 1 }),
    },
    { rounds: FINDS, warmUp: 200 },
  );
  const [find, ping] = [percentiles(times.find), percentiles(times.ping)];
  print(
    `find by _id: p50 ${round(find.p50)} ms, p95 ${round(find.p95)} ms; ping: p50 ${round(ping.p50)} ms, ` +
      `p95 ${round(ping.p95)} ms (${round(find.p50 / ping.p50)} ×)`,
  );
}

/** In turn, so that a noisy disk is noisy for all of them. */
async function durableRates(print: (line: string) => void, client: MongoClient, file: string): Promise<void> {
  const accounts = client.db('bench').collection<{ _id: number; n: number }>('accounts');
  await accounts.insertMany(Array.from({ length: 1_000 }, (_, _id) => ({ _id, n: 0 })));
  const journaled = { writeConcern: { w: 'majority', journal: true } } as const;
  const descriptor = openSync(file, 'w');
  const block = Buffer.alloc(4_096, 1);
  let account = 0;
  const transfer = (): Promise<unknown> => {
    const [from, to] = [account++ % 1_000, account++ % 1_000];
    return client.withSession((session) =>
      session.withTransaction(async () => {
        await accounts.updateOne({ _id: from }, { $inc: { n: -1 } }, { session });
        await accounts.updateOne({ _id: to }, { $inc: { n: 1 } }, { session });
      }, journaled),
    );
  };
  const rates = {
    'flushes of 4 KiB (fdatasync)': [() => flush(descriptor, block), 1],
    'journaled inserts, one after the other': [() => accounts.insertOne({ _id: 1e6 + account++, n: 0 }, journaled), 1],
    'transactions of two documents, one after the other': [transfer, 1],
    [`transactions of two documents, ${PARALLEL} at a time`]: [transfer, PARALLEL],
  } satisfies Record<string, [() => Promise<unknown>, number]>;
  const measured = Object.fromEntries(Object.keys(rates).map((name) => [name, [] as number[]]));
  for (let turn = 0; turn < ROUNDS; turn++)
    for (const [name, [run, parallel]] of Object.entries(rates))
      measured[name]!.push(await ratePerSecond(run, parallel));
  for (const [name, values] of Object.entries(measured))
    print(`${name}: ${formatSpread(spreadOf(values), 'per second')}`);
}

async function flush(descriptor: number, block: Buffer): Promise<void> {
  writeSync(descriptor, block);
  fdatasyncSync(descriptor);
}

async function ratePerSecond(run: () => Promise<unknown>, parallel: number): Promise<number> {
  let count = 0;
  const start = performance.now();
  const worker = async (): Promise<void> => {
    while (performance.now() - start < SECONDS_PER_RATE * 1_000) {
      await run();
      count++;
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  return (count / (performance.now() - start)) * 1_000;
}
