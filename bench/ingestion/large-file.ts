import { round } from '../measure.js';
import { startServer } from '../server.js';
import { followJob } from './follow-job.js';
import { formatTree, memoryOfTree, watchPeak } from './peak-memory.js';
import { searchIdle, searchUntil, storeDocuments } from './searches.js';

const INGEST = `mutation ($input: IngestDocumentsInput!) {
  ingestDocuments(input: $input) { job { id } userErrors { message } }
}`;
const ITEM = `query ($id: ID!) { node(id: $id) { ... on Job { items { nodes { state error { message } document { chunkCount } } } } } }`;
const IDLE_SEARCHES = 300;

/** One large file as a job: its time, the memory of both processes, how often there is news, and what searches take meanwhile. */
export async function benchLargeFile(
  print: (line: string) => void,
  dataDir: string,
  file: { readonly label: string; readonly name: string; readonly bytes: Buffer },
): Promise<void> {
  const server = await startServer(dataDir, { EMBEDDING_PROVIDER: 'hash' });
  try {
    await storeDocuments(server);
    const idle = await searchIdle(server, IDLE_SEARCHES);
    print(`\n${file.label}; before it ${formatTree(memoryOfTree(server.pid))}`);
    const peak = watchPeak(server.pid);
    const start = performance.now();
    const jobId = await queue(server, file);
    const queuedMs = performance.now() - start;
    let isOver = false;
    const [end, searched] = await Promise.all([
      followJob(server, jobId).finally(() => {
        isOver = true;
      }),
      searchUntil(server, () => isOver),
    ]);
    const seconds = (performance.now() - start) / 1_000;
    const { both, ...each } = peak.stop();
    const { node } = await server.graphql<{
      node: { items: { nodes: { error: { message: string } | null; document: { chunkCount: number } | null }[] } };
    }>(ITEM, { id: jobId });
    const [item] = node.items.nodes;
    print(
      `  ${end.state} after ${round(seconds)} s (queued in ${round(queuedMs / 1_000)} s): ${item?.error?.message ?? `${item?.document?.chunkCount} chunks`}`,
    );
    print(`  peak of anonymous memory: ${formatTree(each)}, both at one moment ${both.toFixed(0)} MiB`);
    print(
      `  news of the job: ${end.events} times, the longest gap ${round(end.longestGapMs)} ms; the same figures for ${round(end.longestStill.ms)} ms at most (${end.longestStill.phase})`,
    );
    print(
      `  search HYBRID p95 idle ${round(idle.p95)} ms, meanwhile ${round(searched.p95)} ms over ${searched.searches} searches: ${round(searched.p95 / idle.p95)} × (p50 ${round(idle.p50)} and ${round(searched.p50)} ms)`,
    );
  } finally {
    await server.stop();
  }
}

/** A file as the body of an upload where that makes a job of it, else within the mutation. */
async function queue(
  server: { url: string; graphql<T>(query: string, variables: Record<string, unknown>): Promise<T> },
  { name, bytes }: { readonly name: string; readonly bytes: Buffer },
): Promise<string> {
  if (bytes.length > 8 * 1024 * 1024) {
    const url = new URL(`/upload?title=${name}&name=${name}&waitUntil=STORED`, server.url);
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'x-gazetteer-client': 'bench', 'content-type': 'application/octet-stream' },
      body: new Uint8Array(bytes),
    });
    const { jobId } = (await response.json()) as { jobId?: string };
    if (jobId === undefined) throw new Error(`The upload made no job: ${response.status}`);
    return jobId;
  }
  const file = { name, base64: bytes.toString('base64') };
  const { ingestDocuments } = await server.graphql<{ ingestDocuments: { job: { id: string } | null } }>(INGEST, {
    input: { documents: [{ title: name, file, waitUntil: 'STORED' }] },
  });
  if (ingestDocuments.job === null) throw new Error('The file was refused');
  return ingestDocuments.job.id;
}
