import { join } from 'node:path';
import { HASH_SPACE } from '../../src/embed/hash.js';
import { ingestItem } from '../../src/ingest/jobs/ingest-items.js';
import type { NewJobItem } from '../../src/store/jobs/job-records.js';
import { openStore } from '../../src/store/open-store.js';
import { makeScope } from '../../src/store/scope.js';
import { makeRandom, makeText, makeWords } from '../corpus.js';
import { langChainIngestTexts } from '../langchain.js';
import { round } from '../measure.js';
import { type BenchServer, startServer } from '../server.js';
import { followJob } from './follow-job.js';
import { formatTree, memoryOfTree } from './peak-memory.js';

const QUARTERS = 4;

/** One job of short documents, some 60 words each: from the first item queued to the last one stored. */
export async function benchManyDocuments(
  print: (line: string) => void,
  dataDir: string,
  documents: number,
): Promise<void> {
  const server = await startServer(dataDir, { EMBEDDING_PROVIDER: 'hash' });
  try {
    print(`\n${documents} short documents as one job; before it ${formatTree(memoryOfTree(server.pid))}`);
    const start = performance.now();
    const id = await queueJob(server, dataDir, documents);
    const queuedMs = performance.now() - start;
    let quarter = 1;
    const end = await followJob(server, id, {
      onNews(done) {
        for (; done >= (documents * quarter) / QUARTERS; quarter++)
          print(`  ${quarter * 25} % stored: ${formatTree(memoryOfTree(server.pid))}`);
      },
    });
    const seconds = (performance.now() - start) / 1_000;
    print(
      `  ${end.state}: ${round(end.done / seconds)} documents per second from the first one queued (queueing took ${round(queuedMs / 1_000)} s of ${round(seconds)} s); longest gap between news ${round(end.longestGapMs)} ms`,
    );
    print(`  ${await langChainIngestTexts(dataDir, texts(documents))}`);
  } finally {
    await server.stop();
  }
}

function* texts(count: number): Generator<string> {
  const words = makeWords(makeRandom(5));
  for (let i = 0; i < count; i++) yield makeText(words, 1);
}

/** As another process that shares the database does: a request takes 100 documents, and this is one job. */
async function queueJob(server: BenchServer, dataDir: string, documents: number): Promise<string> {
  const store = await openStore({
    uri: uriOf(dataDir),
    dbName: 'gazetteer',
    filterable: {},
    languages: ['en'],
    space: { initial: HASH_SPACE, explicit: {} },
    sweepIntervalMs: null,
  });
  try {
    const scope = makeScope('local', null);
    const space = await store.activeSpace();
    const items = function* (): Generator<NewJobItem> {
      let i = 0;
      for (const text of texts(documents))
        yield ingestItem(scope, space, { title: `document ${i++}`, text, dryRun: false, waitUntil: 'STORED' });
    };
    await store.createJob(scope, { kind: 'INGEST', apiKeyId: null, items: items() });
  } finally {
    await store.close();
  }
  const { jobs } = await server.graphql<{ jobs: { nodes: { id: string }[] } }>('{ jobs(first: 1) { nodes { id } } }');
  return jobs.nodes[0]!.id;
}

const uriOf = (dataDir: string): string =>
  `mongodb://${encodeURIComponent(join(dataDir, 'pocket.sock'))}/?directConnection=true`;
