import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Binary, type Collection, type Document, MongoClient } from 'mongodb';
import { newNativeIndex } from '../src/pocket-atlas/search/vector/graph.js';
import { type NativeIndex, usearch } from '../src/pocket-atlas/search/vector/usearch.js';
import { formatLoopDelay } from './loop-delay.js';
import { percentile, percentiles, round, timed } from './measure.js';
import { type PocketAtlasProcess, startPocketAtlas } from './pocket-atlas-process.js';
import { formatMemory, memoryOf } from './process-memory.js';
import { INSTALL_HINT, runLanceDb } from './vector-search/lancedb.js';
import { createWorkload, queryAt, recall, trueNeighbours, vectorAt, type Workload } from './vector-search/workload.js';

/**
 * `$vectorSearch` end to end (driver, socket, server, lookup of the records) under owner filters of 100, 50, 10 and 1 %, beside
 * the limit, bare `usearch` in this process without a filter, and the peer, LanceDB with the same filters.
 */
const DIMENSIONS = 512;
const QUERIES = 100;
const ROUNDS = 3;
const INSERT_BATCH = 1_000;

export async function benchVectorSearch(
  print: (line: string) => void,
  sizes: readonly number[] = [20_000, 100_000],
  quantizations: readonly string[] = ['none', 'scalar'],
): Promise<void> {
  for (const rows of sizes) {
    const workload = createWorkload(rows, DIMENSIONS, QUERIES);
    const rawMiB = (rows * DIMENSIONS * 4) / 2 ** 20;
    print(`${rows} vectors of ${DIMENSIONS} dimensions (${round(rawMiB)} MiB of float32), limit 10, numCandidates 200`);
    const truths = workload.filters.map((filter) => trueNeighbours(workload, filter));
    const bare = buildBareIndex(print, workload);
    for (const quantization of quantizations) {
      await benchPocketAtlas(print, workload, truths, quantization, bare);
    }
    await benchLanceDb(print, workload, truths);
  }
}

interface Row {
  readonly label: string;
  readonly times: readonly number[];
  readonly recall: number;
}

function printRow(print: (line: string) => void, { label, times, recall: share }: Row): void {
  const { p50, p95 } = percentiles(times);
  print(`  ${label.padEnd(36)} p50 ${round(p50)} ms, p95 ${round(p95)} ms, recall@10 ${share.toFixed(3)}`);
}

function buildBareIndex(print: (line: string) => void, workload: Workload): NativeIndex | undefined {
  const library = usearch();
  if (library === undefined) {
    print('  usearch is not installed: no limit to compare with');
    return undefined;
  }
  const { dimensions, rows } = workload;
  const spec = { dimensions, maxEdges: 16, numEdgeCandidates: 128 };
  const index = newNativeIndex(library, spec as never, { metric: 'cos', scalar: 'f16' });
  const start = performance.now();
  for (let from = 0; from < rows; from += INSERT_BATCH) {
    const count = Math.min(INSERT_BATCH, rows - from);
    const keys = BigUint64Array.from({ length: count }, (_, i) => BigInt(from + i));
    index.add(keys, workload.vectors.subarray(from * dimensions, (from + count) * dimensions), availableParallelism());
  }
  print(`  bare usearch (f16): built in ${round((performance.now() - start) / 1_000)} s`);
  return index;
}

function searchBare(index: NativeIndex, workload: Workload, query: number, k: number): number[] {
  const [keys, , counts] = index.search(queryAt(workload, query), k, 1);
  return Array.from(keys.subarray(0, Math.min(workload.limit, Number(counts[0]))), Number);
}

async function benchPocketAtlas(
  print: (line: string) => void,
  workload: Workload,
  truths: readonly Set<number>[][],
  quantization: string,
  bare: NativeIndex | undefined,
): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gazetteer-bench-'));
  let server: PocketAtlasProcess | undefined = await startPocketAtlas(dataDir);
  let client = new MongoClient(server.uri);
  try {
    print(`  Pocket Atlas, quantization ${quantization}`);
    let chunks = client.db('bench').collection<Document>('chunks');
    const insertMs = await timed(() => insertAll(chunks, workload));
    const before = memoryOf(server.pid);
    const pings = startPinging(server.uri);
    await server.loopDelay();
    const readyMs = await timed(() => createIndex(chunks, workload, quantization));
    const graphMs = await timed(() => graphsDone(dataDir));
    const { p50, p99, max } = await pings.stop();
    print(
      `  inserted in ${round(insertMs / 1_000)} s; index answers after ${round(readyMs / 1_000)} s, ` +
        `graphs are built ${round(graphMs / 1_000)} s later`,
    );
    print(`  another connection's ping meanwhile: p50 ${round(p50)} ms, p99 ${round(p99)} ms, max ${round(max)} ms`);
    print(`  its event loop meanwhile: ${formatLoopDelay(await server.loopDelay())}`);
    for (const [position, filter] of workload.filters.entries()) {
      const truth = truths[position] as Set<number>[];
      const rows = await compete(chunks, workload, filter, truth, bare, position === 0);
      for (const row of rows) printRow(print, row);
    }
    print(`  memory before the index: ${formatMemory(before)}; with it: ${formatMemory(memoryOf(server.pid))}`);

    await client.close();
    await server.stop();
    await dropPageCache(print);
    const start = performance.now();
    server = await startPocketAtlas(dataDir);
    client = new MongoClient(server.uri);
    chunks = client.db('bench').collection<Document>('chunks');
    const restarted = chunks;
    const first = async () => (await searchOnce(restarted, workload, 0, { field: 'all', share: 1 })).length > 0;
    while (!(await first().catch(() => false))) await pause(5);
    print(
      `  restart: first answer after ${round(performance.now() - start)} ms; ${formatMemory(memoryOf(server.pid))}`,
    );
  } finally {
    await client.close();
    await server?.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Ours and bare usearch take turns, query by query. */
async function compete(
  chunks: Collection<Document>,
  workload: Workload,
  filter: Workload['filters'][number],
  truth: readonly Set<number>[],
  bare: NativeIndex | undefined,
  withBare: boolean,
): Promise<Row[]> {
  const share = `${100 / filter.share} %`;
  const contestants: { label: string; search: (query: number) => Promise<number[]> | number[] }[] = [
    { label: `Pocket Atlas, owner filter ${share}`, search: (query) => searchOnce(chunks, workload, query, filter) },
  ];
  if (withBare && bare !== undefined) {
    const k = workload.numCandidates;
    contestants.push(
      { label: `bare usearch, no filter, k = ${k}`, search: (query) => searchBare(bare, workload, query, k) },
      { label: 'bare usearch, no filter, k = 10', search: (query) => searchBare(bare, workload, query, 10) },
    );
  }
  const times = contestants.map((): number[] => []);
  const found = contestants.map((): number[][] => []);
  for (let roundNumber = -1; roundNumber < ROUNDS; roundNumber++) {
    for (let query = 0; query < workload.queryCount; query++) {
      for (const [position, { search }] of contestants.entries()) {
        const start = performance.now();
        const hits = await search(query);
        if (roundNumber < 0) continue;
        times[position]?.push(performance.now() - start);
        if (roundNumber === 0) found[position]?.push(hits);
      }
    }
  }
  return contestants.map(({ label }, i) => ({
    label,
    times: times[i] as number[],
    recall: recall(found[i] as number[][], truth),
  }));
}

async function searchOnce(
  chunks: Collection<Document>,
  workload: Workload,
  query: number,
  { field, share }: Workload['filters'][number],
): Promise<number[]> {
  const { limit, numCandidates } = workload;
  const queryVector = Binary.fromFloat32Array(queryAt(workload, query));
  const filter = { [field]: `t${query % share}` };
  const hits = await chunks
    .aggregate<{ _id: number }>([
      { $vectorSearch: { index: 'vectors', path: 'vector', queryVector, limit, numCandidates, filter } },
      { $project: { score: { $meta: 'vectorSearchScore' } } },
    ])
    .toArray();
  return hits.map(({ _id }) => _id);
}

async function insertAll(chunks: Collection<Document>, workload: Workload): Promise<void> {
  for (let from = 0; from < workload.rows; from += INSERT_BATCH) {
    const docs = Array.from({ length: Math.min(INSERT_BATCH, workload.rows - from) }, (_, i) => {
      const row = from + i;
      const tenants = Object.fromEntries(workload.filters.map(({ field, share }) => [field, `t${row % share}`]));
      return { _id: row as never, ...tenants, vector: Binary.fromFloat32Array(vectorAt(workload, row)) };
    });
    await chunks.insertMany(docs);
  }
}

async function createIndex(chunks: Collection<Document>, workload: Workload, quantization: string): Promise<void> {
  const vector = { type: 'vector', path: 'vector', numDimensions: DIMENSIONS, similarity: 'cosine', quantization };
  const filters = workload.filters.map(({ field }) => ({ type: 'filter', path: field }));
  await chunks.createSearchIndex({
    name: 'vectors',
    type: 'vectorSearch',
    definition: { fields: [vector, ...filters] },
  });
  for (;;) {
    const [row] = (await chunks.listSearchIndexes('vectors').toArray()) as { queryable?: boolean }[];
    if (row?.queryable) return;
    await pause(20);
  }
}

/** Pings over a connection of its own, one after the other, until it is stopped. */
function startPinging(uri: string): { stop(): Promise<{ p50: number; p99: number; max: number }> } {
  const client = new MongoClient(uri);
  const times: number[] = [];
  let stopped = false;
  const run = (async () => {
    await client.db('admin').command({ ping: 1 });
    while (!stopped) {
      times.push(await timed(() => client.db('admin').command({ ping: 1 })));
      await pause(3);
    }
    await client.close();
  })();
  return {
    async stop() {
      stopped = true;
      await run;
      times.sort((a, b) => a - b);
      return { p50: percentile(times, 50), p99: percentile(times, 99), max: times.at(-1) ?? Number.NaN };
    },
  };
}

/** Graphs are built in quiet moments, after merges: until the files of the index have not changed for a while. */
async function graphsDone(dataDir: string): Promise<void> {
  const QUIET_MS = 4_000;
  let known = '';
  for (let since = performance.now(); performance.now() - since < QUIET_MS || !known.includes('.graph'); ) {
    const names = await readdir(join(dataDir, 'search-vectors'), { recursive: true }).catch(() => []);
    const now = names.sort().join();
    const isBuilding = now.includes('.tmp') || !now.includes('.graph');
    if (now !== known || isBuilding) since = performance.now();
    known = now;
    if (usearch() === undefined) return;
    await pause(100);
  }
}

async function benchLanceDb(
  print: (line: string) => void,
  workload: Workload,
  truths: readonly Set<number>[][],
): Promise<void> {
  const result = await runLanceDb(workload, ROUNDS);
  if (result === undefined) return print(`  LanceDB is not installed (${INSTALL_HINT}): no peer to compare with`);
  print(`  LanceDB: loaded and indexed in ${round(result.buildMs / 1_000)} s`);
  for (const { field, share, times, found } of result.results) {
    const label = field === null ? 'LanceDB, no filter' : `LanceDB, owner filter ${100 / share} %`;
    const truth = truths[workload.filters.findIndex((filter) => filter.share === share)] as Set<number>[];
    printRow(print, { label, times, recall: recall(found, truth) });
  }
}

/** So that a restart reads from the disk; only root may. */
async function dropPageCache(print: (line: string) => void): Promise<void> {
  try {
    const { writeFile } = await import('node:fs/promises');
    await writeFile('/proc/sys/vm/drop_caches', '3');
  } catch {
    print('  the page cache could not be dropped: the restart is a warm one');
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
