import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { compiledUrl } from '../../src/compiled-url.js';
import { ingestItem } from '../../src/ingest/jobs/ingest-items.js';
import { spawnPocketAtlas } from '../../src/pocket-atlas/spawn.js';
import { findOrphanedChunks, findTornDocuments } from '../../src/store/integrity.js';
import type { JobRecord } from '../../src/store/jobs/job-records.js';
import type { JobViewer } from '../../src/store/jobs/job-store.js';
import { type OpenedStore, openStore } from '../../src/store/open-store.js';
import { makeScope, operator } from '../../src/store/scope.js';
import { type EmbeddingsEndpoint, startEmbeddingsEndpoint } from './embeddings-endpoint.js';

export interface KillJobOptions {
  readonly kills: number;
  readonly documents: number;
  readonly onKill?: (kills: number, job: JobRecord) => void;
}

export interface KillJobReport {
  readonly job: JobRecord;
  readonly kills: number;
  readonly seconds: number;
  readonly chunks: number;
  /** How many chunks were embedded once, twice, … */
  readonly embeddedTimes: Readonly<Record<number, number>>;
  /** What must stay empty. */
  readonly faults: readonly string[];
}

const CHUNKING = { strategy: 'RECURSIVE', maxTokens: 40, overlap: 0, contextual: false } as const;
const PARAGRAPHS = 3;
const DIMENSIONS = 16;
/** Each life of the server ends so soon after its share of the job is done, in the middle of the next items. */
const MAX_MOMENT_MS = 150;
const LEASE_SECONDS = 3;
const POLL_MS = 50;
const PATIENCE_MS = 20 * 60_000;

const scope = makeScope('local', null);
const viewer: JobViewer = { scope, operator };

/**
 * Kills a server with SIGKILL again and again while it runs one job, and looks at the end whether each document is there
 * once and whole, and how often a provider was paid for each chunk. The database is a process of its own that lives on, as
 * it is where several servers share the work.
 */
export async function killJob({ kills, documents, onKill }: KillJobOptions): Promise<KillJobReport> {
  const dataDir = await mkdtemp(join(tmpdir(), 'kill-job-'));
  const endpoint = await startEmbeddingsEndpoint({ delayMs: 60 });
  const engine = await spawnPocketAtlas({ dataDir, onLog: () => {} });
  try {
    const store = await open(engine.uri);
    try {
      return await run(store, { uri: engine.uri, dataDir, endpoint, kills, documents, onKill: onKill ?? (() => {}) });
    } finally {
      await store.close();
    }
  } finally {
    await engine.stop();
    await endpoint.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function open(uri: string): Promise<OpenedStore> {
  const space = {
    provider: 'openai',
    model: 'text-embedding-3-small',
    dimensions: DIMENSIONS,
    similarity: 'cosine',
    maxInputTokens: 8_191,
    languages: null,
  } as const;
  return await openStore({
    uri,
    dbName: 'gazetteer',
    filterable: {},
    languages: ['en'],
    space: { initial: space, explicit: {} },
    sweepIntervalMs: null,
  });
}

async function run(
  store: OpenedStore,
  options: Required<KillJobOptions> & { uri: string; dataDir: string; endpoint: EmbeddingsEndpoint },
): Promise<KillJobReport> {
  const { kills, documents, onKill } = options;
  const space = await store.activeSpace();
  const items = Array.from({ length: documents }, (_, index) =>
    ingestItem(scope, space, {
      title: `document ${index}`,
      text: textOf(index),
      chunking: CHUNKING,
      dryRun: false,
      waitUntil: 'STORED',
    }),
  );
  const { id } = await store.createJob(scope, { kind: 'INGEST', apiKeyId: null, items });
  const begun = performance.now();
  let server = await startServer(options);
  try {
    for (let kill = 1; kill <= kills; kill++) {
      await doneAtLeast(store, id, Math.floor((documents * kill) / (kills + 1)));
      await pause(Math.random() * MAX_MOMENT_MS);
      await killServer(server);
      onKill(kill, await jobOf(store, id));
      server = await startServer(options);
    }
    const job = await ended(store, id);
    const seconds = (performance.now() - begun) / 1_000;
    return { job, kills, seconds, ...(await look(store, job, options)) };
  } finally {
    await killServer(server);
  }
}

function textOf(document: number): string {
  return Array.from(
    { length: PARAGRAPHS },
    (_, paragraph) =>
      `Paragraph ${paragraph} of document ${document} says what nobody else says${', pumps and valves and seals'.repeat(3)}`,
  ).join('\n\n');
}

async function startServer(options: {
  uri: string;
  dataDir: string;
  endpoint: EmbeddingsEndpoint;
}): Promise<ChildProcess> {
  const main = fileURLToPath(compiledUrl('../../src/main.js', import.meta.url).href.replace(/\.ts$/, '.js'));
  const child = spawn(process.execPath, [main], {
    cwd: options.dataDir,
    env: {
      PORT: '0',
      MONGODB_URI: options.uri,
      EMBEDDING_PROVIDER: 'openai',
      EMBEDDING_DIMENSIONS: String(DIMENSIONS),
      OPENAI_API_KEY: 'sk-none',
      OPENAI_BASE_URL: options.endpoint.baseUrl,
      GAZETTEER_JOB_LEASE_SECONDS: String(LEASE_SECONDS),
      GAZETTEER_LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout as Readable, 'data');
  return child;
}

async function killServer(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

async function jobOf(store: OpenedStore, id: string): Promise<JobRecord> {
  const job = await store.job(viewer, id);
  if (job === null) throw new Error('The job is gone');
  return job;
}

async function doneAtLeast(store: OpenedStore, id: string, count: number): Promise<void> {
  await until(store, id, ({ done, failed }) => done + failed >= count);
}

async function ended(store: OpenedStore, id: string): Promise<JobRecord> {
  return await until(store, id, ({ finishedAt }) => finishedAt !== null);
}

async function until(store: OpenedStore, id: string, holds: (job: JobRecord) => boolean): Promise<JobRecord> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const job = await jobOf(store, id);
    if (holds(job)) return job;
    if (performance.now() > deadline) throw new Error(`The job is stuck: ${JSON.stringify(job)}`);
    await pause(POLL_MS);
  }
}

async function look(
  store: OpenedStore,
  job: JobRecord,
  { documents, endpoint }: { documents: number; endpoint: EmbeddingsEndpoint },
): Promise<Pick<KillJobReport, 'chunks' | 'embeddedTimes' | 'faults'>> {
  const faults: string[] = [];
  if (job.state !== 'SUCCEEDED') faults.push(`The job ended as ${job.state}: ${JSON.stringify(job)}`);
  const ready = await store.countDocuments(scope, { statuses: ['READY'] });
  const all = await store.countDocuments(scope);
  if (ready !== documents || all !== documents) faults.push(`${ready} of ${all} documents are READY, of ${documents}`);
  faults.push(...(await findTornDocuments(store.database)));
  const orphans = await findOrphanedChunks(store.database);
  if (orphans > 0) faults.push(`${orphans} documents that do not exist have chunks`);
  for (let index = 0; index < documents; index++) {
    const document = await store.document(scope, { title: `document ${index}` });
    const [text] = document === null ? [] : await store.texts(scope, [document.id]);
    if (text !== textOf(index)) faults.push(`document ${index} has another text`);
  }
  const chunks = await store.database.chunks.countDocuments();
  if (chunks !== documents * PARAGRAPHS) faults.push(`${chunks} chunks are there, expected ${documents * PARAGRAPHS}`);
  const payloads =
    (await store.database.jobPayloads.countDocuments()) +
    (await store.database.jobItems.countDocuments({ payload: { $exists: true } }));
  if (payloads > 0) faults.push(`${payloads} payloads were left behind`);
  const embeddedTimes: Record<number, number> = {};
  for (const times of endpoint.counts.values()) embeddedTimes[times] = (embeddedTimes[times] ?? 0) + 1;
  if (Object.keys(embeddedTimes).some((times) => Number(times) > 2))
    faults.push('A chunk was embedded more than twice');
  return { chunks, embeddedTimes, faults };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
