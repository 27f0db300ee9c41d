import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Binary, MongoClient } from 'mongodb';
import { createHashEmbedder } from '../src/embed/hash.js';
import { makeRandom, makeText, makeWords } from './corpus.js';
import { startEmbeddingServer } from './embedding-server.js';
import { langChainContestant, langChainIngest } from './langchain.js';
import { formatSpread, interleaved, percentiles, round, spreadOf, timed } from './measure.js';
import { childrenOf, formatMemory, memoryOf } from './process-memory.js';
import { type BenchServer, startServer } from './server.js';

/** Start-up, ingest and search of the whole server, as its users meet them. */
const UPSERT = `mutation ($input: UpsertDocumentInput!) {
  upsertDocument(input: $input) { document { chunkCount } userErrors { message } }
}`;
const EXPLAIN = `query ($input: SearchInput!) { explainSearch(input: $input) { legs { pipeline } } }`;
const SEARCH = `query ($input: SearchInput!) {
  search(input: $input) { edges { score node { id } } diagnostics { numCandidates } }
}`;

/** One chunk a document of this size: chunks are then what is counted, not how documents are cut. */
const PARAGRAPHS_PER_DOCUMENT = 10;
const PARALLEL_UPSERTS = 4;
const STARTS = 5;
const QUERIES = 100;
const ROUNDS = 300;

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
    print(`  ${await langChainIngest(dataDir, chunks)}`);
    // What a caller wrote in the last minute is looked at by itself: the searches to be measured are those of later.
    await new Promise((resolve) => setTimeout(resolve, 61_000));
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
    `  ingest: ${round((stored / ms) * 1_000)} chunks, ${round((title / ms) * 1_000)} documents per second acknowledged (STORED)`,
  );
  const last = { title: 'the last one', text: makeText(words, 1), waitUntil: 'SEARCHABLE' };
  print(`  index caught up ${round(await timed(() => server.graphql(UPSERT, { input: last })))} ms later`);
}

/** End to end against the leg's own pipeline sent by the bare driver, and against LangChain on the same index, in turn. */
async function search(print: (line: string) => void, server: BenchServer, dataDir: string): Promise<void> {
  const uri = `mongodb://${encodeURIComponent(join(dataDir, 'pocket.sock'))}/?directConnection=true`;
  const client = new MongoClient(uri);
  const langChain = await langChainContestant(uri);
  try {
    const collection = client.db('gazetteer').collection('chunks');
    const embedder = createHashEmbedder();
    const words = makeWords(makeRandom(2));
    const queries = Array.from({ length: QUERIES }, () => Array.from({ length: 6 }, words).join(' '));
    const vectors = await embedder.embed(queries, { kind: 'query' });
    // the query vector is cached, so that what is measured is the search
    for (const query of queries) await server.graphql(SEARCH, { input: { query, mode: 'VECTOR' } });
    const textPipelines = await Promise.all(queries.map((query) => textPipeline(server, query)));
    const at = <T>(list: readonly T[], round: number): T => list[round % QUERIES]!;
    const endToEnd = (mode: string) => (round: number) =>
      server.graphql(SEARCH, { input: { query: at(queries, round), mode } });
    const times = await interleaved(
      {
        bareVector: (round) => collection.aggregate(vectorPipeline(at(vectors, round))).toArray(),
        bareText: (round) => collection.aggregate(at(textPipelines, round)).toArray(),
        langChain: (round) => langChain.search(at(vectors, round)),
        vector: endToEnd('VECTOR'),
        text: endToEnd('TEXT'),
        hybrid: endToEnd('HYBRID'),
      },
      { rounds: ROUNDS, warmUp: 50 },
    );
    const p50 = (name: keyof typeof times): number => percentiles(times[name]).p50;
    const row = (label: string, name: keyof typeof times, against = ''): void => {
      const { p50, p95 } = percentiles(times[name]);
      print(`  ${label.padEnd(34)} p50 ${round(p50)} ms, p95 ${round(p95)} ms${against}`);
    };
    row('bare driver, $vectorSearch', 'bareVector');
    row('bare driver, $search', 'bareText');
    row('LangChain, similarity search', 'langChain');
    const ratio = (name: keyof typeof times, base: number): string => round(p50(name) / base);
    row('search VECTOR', 'vector', `: ${ratio('vector', p50('bareVector'))} × bare, ${ratio('vector', p50('langChain'))} × LangChain`); // biome-ignore format: one line
    row('search TEXT', 'text', `: ${ratio('text', p50('bareText'))} × bare`);
    row('search HYBRID', 'hybrid', `: ${ratio('hybrid', Math.max(p50('vector'), p50('text')))} × the slower leg`);
  } finally {
    await langChain.close();
    await client.close();
  }
}

function vectorPipeline(vector: Float32Array): object[] {
  return [
    {
      $vectorSearch: {
        index: 'gazetteer_vector_s1',
        path: 'embeddings.s1',
        queryVector: Binary.fromFloat32Array(vector),
        numCandidates: 200,
        limit: 50,
        exact: false,
        filter: { owner: 'local' },
      },
    },
    { $project: { _id: 1, score: { $meta: 'vectorSearchScore' } } },
  ];
}

/** The search part of what the server sends for TEXT. */
async function textPipeline(server: BenchServer, query: string): Promise<object[]> {
  const data = await server.graphql<{ explainSearch: { legs: { pipeline: object[] }[] } }>(EXPLAIN, {
    input: { query, mode: 'TEXT' },
  });
  return data.explainSearch.legs[0]!.pipeline.filter((stage) => !('$unionWith' in stage));
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
