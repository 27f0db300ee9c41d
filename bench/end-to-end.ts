import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Binary, MongoClient } from 'mongodb';
import { createHashEmbedder } from '../src/embed/hash.js';
import { makeRandom, makeText, makeWords } from './corpus.js';
import { startEmbeddingServer } from './embedding-server.js';
import { formatSpread, interleaved, percentiles, round, spreadOf, timed } from './measure.js';
import { childrenOf, formatMemory, memoryOf } from './process-memory.js';
import { type BenchServer, startServer } from './server.js';

/** Start-up, ingest and search of the whole server, as its users meet them. */
const UPSERT = `mutation ($input: UpsertDocumentInput!) {
  upsertDocument(input: $input) { document { chunkCount } userErrors { message } }
}`;
const SEARCH = `query ($input: SearchInput!) {
  search(input: $input) { edges { score node { id } } diagnostics { numCandidates } }
}`;

/** One chunk a document of this size: chunks are then what is counted, not how documents are cut. */
const PARAGRAPHS_PER_DOCUMENT = 10;
const PARALLEL_UPSERTS = 4;
const STARTS = 5;
const QUERIES = 100;

export async function benchEndToEnd(print: (line: string) => void, sizes: readonly number[]): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'gazetteer-bench-'));
  try {
    const hash = { EMBEDDING_PROVIDER: 'hash' };
    print(`start-up, fresh: ${formatSpread(spreadOf(await fresh(root, hash)), 'ms')}`);
    for (const chunks of sizes) await benchSize(print, join(root, `n${chunks}`), chunks, hash);
    await benchWideVectors(print, join(root, 'wide'));
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

async function fresh(root: string, env: Record<string, string>): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < STARTS; i++) times.push(await startAndStop(join(root, `fresh${i}`), env));
  return times;
}

async function startAndStop(dataDir: string, env: Record<string, string>): Promise<number> {
  const server = await startServer(dataDir, env);
  await server.stop();
  return server.readyMs;
}

async function benchSize(
  print: (line: string) => void,
  dataDir: string,
  chunks: number,
  env: Record<string, string>,
): Promise<void> {
  const server = await startServer(dataDir, env);
  try {
    print(`\n${chunks} chunks, 256 dimensions (hash)`);
    await ingest(print, server, chunks);
    await search(print, server, dataDir);
    const [engine] = childrenOf(server.pid);
    print(`  memory, API: ${formatMemory(memoryOf(server.pid))}`);
    if (engine !== undefined) print(`  memory, Pocket Atlas: ${formatMemory(memoryOf(engine))}`);
  } finally {
    await server.stop();
  }
  const restarts: number[] = [];
  for (let i = 0; i < STARTS; i++) restarts.push(await startAndStop(dataDir, env));
  print(`  start-up with ${chunks} chunks: ${formatSpread(spreadOf(restarts), 'ms')}`);
}

/** Upserts documents, some at a time, until there are that many chunks; then waits for the index. */
async function ingest(print: (line: string) => void, server: BenchServer, chunks: number): Promise<void> {
  const words = makeWords(makeRandom(1));
  let stored = 0;
  let title = 0;
  const worker = async (): Promise<void> => {
    while (stored < chunks) {
      const input = {
        title: `document ${title++}`,
        text: makeText(words, PARAGRAPHS_PER_DOCUMENT),
        chunking: { maxTokens: 100, overlap: 0 },
        waitUntil: 'STORED',
      };
      const data = await server.graphql<{ upsertDocument: { document: { chunkCount: number } } }>(UPSERT, { input });
      stored += data.upsertDocument.document.chunkCount;
    }
  };
  const ms = await timed(() => Promise.all(Array.from({ length: PARALLEL_UPSERTS }, worker)));
  print(
    `  ingest: ${round((stored / ms) * 1_000)} chunks per second acknowledged (STORED), ${stored} chunks of ${title} documents`,
  );
  const last = { title: 'the last one', text: makeText(words, 1), waitUntil: 'SEARCHABLE' };
  print(`  index caught up ${round(await timed(() => server.graphql(UPSERT, { input: last })))} ms later`);
}

/** End to end against the same `$vectorSearch` sent by the bare driver, in turn. */
async function search(print: (line: string) => void, server: BenchServer, dataDir: string): Promise<void> {
  const client = new MongoClient(
    `mongodb://${encodeURIComponent(join(dataDir, 'pocket.sock'))}/?directConnection=true`,
  );
  try {
    const collection = client.db('gazetteer').collection('chunks');
    const embedder = createHashEmbedder();
    const words = makeWords(makeRandom(2));
    const queries = Array.from({ length: QUERIES }, () => Array.from({ length: 6 }, words).join(' '));
    const vectors = await embedder.embed(queries, { kind: 'query' });
    // the query vector is cached, so that what is measured is the search
    for (const query of queries) await server.graphql(SEARCH, { input: { query, mode: 'VECTOR' } });
    const endToEnd = (mode: string) => (round: number) =>
      server.graphql(SEARCH, { input: { query: queries[round % QUERIES], mode } });
    const bare = (round: number) =>
      collection
        .aggregate([
          {
            $vectorSearch: {
              index: 'gazetteer_vector_s1',
              path: 'embeddings.s1',
              queryVector: Binary.fromFloat32Array(vectors[round % QUERIES]!),
              numCandidates: 200,
              limit: 50,
              exact: false,
              filter: { owner: 'local' },
            },
          },
          { $project: { _id: 1, score: { $meta: 'vectorSearchScore' } } },
        ])
        .toArray();
    const times = await interleaved(
      { bare, vector: endToEnd('VECTOR'), text: endToEnd('TEXT'), hybrid: endToEnd('HYBRID') },
      { rounds: QUERIES, warmUp: 20 },
    );
    const base = percentiles(times.bare);
    print(`  bare $vectorSearch with an owner filter: p50 ${round(base.p50)} ms, p95 ${round(base.p95)} ms`);
    for (const mode of ['vector', 'text', 'hybrid'] as const) {
      const { p50, p95 } = percentiles(times[mode]);
      print(
        `  search ${mode.toUpperCase()}: p50 ${round(p50)} ms, p95 ${round(p95)} ms, ${round(p50 / base.p50)} × the bare $vectorSearch`,
      );
    }
  } finally {
    await client.close();
  }
}

const WIDE_CHUNKS = 2_000;

/** 1 536 dimensions as OpenAI's small model has them, from a local server that answers at once. */
async function benchWideVectors(print: (line: string) => void, dataDir: string): Promise<void> {
  const provider = await startEmbeddingServer(1_536);
  const server = await startServer(dataDir, {
    EMBEDDING_PROVIDER: 'openai',
    EMBEDDING_MODEL: 'text-embedding-3-small',
    OPENAI_API_KEY: 'none-needed-here',
    OPENAI_BASE_URL: provider.url,
  });
  try {
    print(`\n${WIDE_CHUNKS} chunks, 1536 dimensions (an OpenAI-compatible server on loopback)`);
    await ingest(print, server, WIDE_CHUNKS);
  } finally {
    await server.stop();
    await provider.stop();
  }
}
