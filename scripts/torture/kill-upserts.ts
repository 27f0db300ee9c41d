import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contractEmbedder } from '../../src/embed/contract.js';
import { createHashEmbedder } from '../../src/embed/hash.js';
import { createIngest } from '../../src/ingest/create-ingest.js';
import { spawnPocketAtlas } from '../../src/pocket-atlas/spawn.js';
import { LEASE_MS } from '../../src/store/claim.js';
import { findOrphanedChunks, findTornDocuments } from '../../src/store/integrity.js';
import { type OpenedStore, openStore } from '../../src/store/open-store.js';
import { makeScope, operator } from '../../src/store/scope.js';
import { SUPERSEDED_MS } from '../../src/store/sweeper.js';
import { MAX_TRANSACTION_BYTES } from '../../src/store/write-plan.js';

export interface KillUpsertsOptions {
  readonly rounds: number;
  readonly onRound?: (round: number, report: KillUpsertsReport) => void;
}

export interface KillUpsertsReport {
  acknowledged: number;
  /** Upserts that ended with an error because the engine died under them. */
  interrupted: number;
  /** What must stay empty: documents that are not whole, acknowledged writes that are gone, rows that nothing leads to. */
  readonly faults: string[];
}

const WRITERS = 4;
const TITLES = 6;
/** A round ends after so many acknowledged upserts and a moment more, in the middle of others. */
const MAX_ACKNOWLEDGED_PER_ROUND = 10;
const MAX_MOMENT_MS = 60;
const CHUNKING = { strategy: 'RECURSIVE', maxTokens: 30, overlap: 0, contextual: false } as const;

interface Acknowledged {
  readonly version: number;
  readonly text: string;
}

/**
 * Kills the engine with SIGKILL in the middle of upserts, over and over on one data directory, and looks each time
 * whether all documents are whole and no acknowledged version is gone. Every other round stages its versions. Goal and
 * method of the torture run; the suite runs a few rounds of it.
 */
export async function killUpserts({ rounds, onRound }: KillUpsertsOptions): Promise<KillUpsertsReport> {
  const dataDir = await mkdtemp(join(tmpdir(), 'kill-'));
  const report: KillUpsertsReport = { acknowledged: 0, interrupted: 0, faults: [] };
  const acknowledged = new Map<string, Acknowledged>();
  try {
    for (let round = 0; round < rounds; round++) {
      await runRound(dataDir, round, acknowledged, report);
      onRound?.(round, report);
    }
    return report;
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function runRound(
  dataDir: string,
  round: number,
  acknowledged: Map<string, Acknowledged>,
  report: KillUpsertsReport,
): Promise<void> {
  const server = await spawnPocketAtlas({ dataDir, onLog: () => {} });
  let ending: Promise<unknown> = Promise.resolve();
  try {
    const store = await open(server.uri, round);
    const kill = (): void => {
      process.kill(server.pid, 'SIGKILL');
      // Neither its restart nor the driver's patience is waited for: the next round finds what the kill left.
      ending = Promise.all([server.stop(), store.close()]);
    };
    try {
      for (const fault of await faultsOf(store, acknowledged)) report.faults.push(`round ${round}: ${fault}`);
      await writeUntilKilled(store, round, acknowledged, report, kill);
    } finally {
      await store.close();
    }
  } finally {
    await ending;
    await server.stop();
  }
}

async function open(uri: string, round: number): Promise<OpenedStore> {
  const { space } = createHashEmbedder();
  return await openStore({
    uri,
    dbName: 'torture',
    filterable: {},
    languages: ['en'],
    space: { initial: space, explicit: {} },
    sweepIntervalMs: null,
    // Each round is long enough after the one before that its claims have run out.
    clock: () => new Date(Date.now() + round * 2 * (LEASE_MS + SUPERSEDED_MS)),
    writeLimits: { maxTransactionRows: round % 2 === 0 ? 1_000 : 3, maxTransactionBytes: MAX_TRANSACTION_BYTES },
  });
}

/** Before the sweep documents are whole; after it nothing is left that does not belong to one. */
async function faultsOf(store: OpenedStore, acknowledged: ReadonlyMap<string, Acknowledged>): Promise<string[]> {
  const scope = makeScope('torture', null);
  const faults = await findTornDocuments(store.database);
  for (const [title, last] of acknowledged) {
    const document = await store.document(scope, { title });
    if (document === null || document.version < last.version) {
      faults.push(`${title}: acknowledged version ${last.version} is gone, found ${document?.version ?? 'nothing'}`);
      continue;
    }
    const [text] = await store.texts(scope, [document.id]);
    // A later version may have been stored although its writer never heard of it.
    if (document.version === last.version && text !== last.text)
      faults.push(`${title}: version ${last.version} has another text`);
  }
  await store.sweep(operator);
  faults.push(...(await findTornDocuments(store.database)));
  const orphans = await findOrphanedChunks(store.database);
  if (orphans > 0) faults.push(`${orphans} documents that do not exist have chunks`);
  const claims = await store.database.documents.countDocuments({ attempt: { $exists: true } });
  if (claims > 0) faults.push(`${claims} claims outlived the sweep`);
  const rows = await store.database.chunks.countDocuments();
  let expected = 0;
  for await (const { chunk_count } of store.database.documents.find()) expected += chunk_count;
  if (rows !== expected) faults.push(`${rows} chunk rows are there, expected ${expected}`);
  return faults;
}

async function writeUntilKilled(
  store: OpenedStore,
  round: number,
  acknowledged: Map<string, Acknowledged>,
  report: KillUpsertsReport,
  kill: () => void,
): Promise<void> {
  const embedder = contractEmbedder(createHashEmbedder());
  const ingest = createIngest({ store, embedderOf: () => embedder, detectLanguage: async () => 'en' });
  const scope = makeScope('torture', null);
  const enough = 1 + Math.floor(Math.random() * MAX_ACKNOWLEDGED_PER_ROUND);
  let done = 0;
  let isKilled = false;
  const killSoon = (): void => {
    if (isKilled) return;
    isKilled = true;
    setTimeout(kill, Math.random() * MAX_MOMENT_MS);
  };
  const write = async (writer: number): Promise<void> => {
    for (let turn = 0; ; turn++) {
      const title = `title ${Math.floor(Math.random() * TITLES)}`;
      const text = paragraphs(1 + Math.floor(Math.random() * 12), `r${round} w${writer} t${turn}`);
      try {
        const { document } = await ingest.upsertDocument(
          scope,
          { title, text, chunking: CHUNKING, dryRun: false, waitUntil: 'STORED' },
          {},
        );
        report.acknowledged++;
        if (document !== null && document.version > (acknowledged.get(title)?.version ?? 0))
          acknowledged.set(title, { version: document.version, text });
      } catch (error) {
        // Anything before the kill is a fault of the product; afterwards the engine is simply not there.
        if (!isKilled) throw error;
        report.interrupted++;
        return;
      }
      if (++done >= enough) killSoon();
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
}

/** Some paragraphs are the same in every version, so that rows are kept and moved as well. */
function paragraphs(count: number, word: string): string {
  return Array.from({ length: count }, (_, index) =>
    `${index % 3 === 0 ? 'constant' : word} paragraph number ${index} ${'speaks of things '.repeat(3)}`.trim(),
  ).join('\n\n');
}
