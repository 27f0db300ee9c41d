import type { Readable } from 'node:stream';
import { type Client, routeFailure } from './client.js';
import { CliFailure } from './failure.js';
import { followJob, jobItems } from './follow-job.js';
import { openImportSource } from './import-source.js';
import type { Output } from './output.js';
import { byteCount, makeTicker } from './progress.js';

export interface ImportOptions {
  /** Its path; "-" is standard input. */
  readonly file: string;
  readonly onSpaceMismatch: 'refuse' | 'reembed';
  readonly cwd: string;
  readonly stdin: Readable;
}

/** Failed items that are named; the rest is counted. */
const MOST_NAMED = 1_000;

/** Brings an export in and follows its job to the end. True when every document arrived. */
export async function importDocuments(client: Client, options: ImportOptions, output: Output): Promise<boolean> {
  const { sizeBytes, isGzip, chunks } = await openImportSource(options.file, options);
  const startedAt = performance.now();
  const ticker = makeTicker(output);
  const response = await client.route(`import?onSpaceMismatch=${options.onSpaceMismatch}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson', ...(isGzip && { 'content-encoding': 'gzip' }) },
    async *body() {
      let sent = 0;
      for await (const chunk of chunks) {
        yield chunk;
        sent += chunk.length;
        ticker.update(() => `${byteCount(sent)}${sizeBytes === null ? '' : ` of ${byteCount(sizeBytes)}`} sent`);
      }
    },
  });
  if (!response.ok) {
    ticker.clear();
    const { message } = await routeFailure(response);
    throw new CliFailure(message.replace('onSpaceMismatch=reembed', '--on-space-mismatch reembed'));
  }
  const { jobId } = (await response.json()) as { jobId: string | null };
  if (jobId === null) {
    output.out('0 documents imported: the export holds none');
    return true;
  }
  const end = await followJob(client, jobId, ({ total, done, failed }) =>
    ticker.update(() => `${done + failed} of ${total} documents`),
  );
  ticker.clear();
  const failures = end.failed === 0 ? [] : await jobItems(client, jobId, { states: ['FAILED'], most: MOST_NAMED });
  for (const { name, error } of failures) output.err(`${name}: failed: ${error?.message} (${error?.code})`);
  if (failures.length < end.failed) output.err(`… and ${end.failed - failures.length} more`);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  const cancelled = end.state === 'CANCELLED' ? ', the rest cancelled' : '';
  output.out(`${end.done} documents imported, ${end.failed} failed${cancelled}, in ${seconds} s`);
  return end.state === 'SUCCEEDED';
}
