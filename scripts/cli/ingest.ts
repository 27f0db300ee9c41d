import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Client } from './client.js';
import { CliFailure } from './failure.js';
import type { Output } from './output.js';
import { makeProgress } from './progress.js';
import { type Found, type FoundFile, findFiles, SKIP_REASONS } from './walk.js';

export interface IngestOptions {
  readonly paths: readonly string[];
  readonly hidden: boolean;
  /** Files that are on their way at once. */
  readonly concurrency: number;
  readonly agentIds: readonly string[] | null;
  readonly cwd: string;
}

const UPSERT = `mutation Ingest($input: UpsertDocumentInput!) {
  upsertDocument(input: $input) {
    outcome warnings document { chunkCount } userErrors { code message }
  }
}`;

interface Upserted {
  readonly upsertDocument: {
    readonly outcome: 'CREATED' | 'UPDATED' | 'UNCHANGED' | null;
    readonly warnings: readonly string[];
    readonly document: { readonly chunkCount: number } | null;
    readonly userErrors: readonly { readonly code: string; readonly message: string }[];
  } | null;
}

const OUTCOMES = ['CREATED', 'UPDATED', 'UNCHANGED'] as const;
type Tally = Record<(typeof OUTCOMES)[number] | 'FAILED', number>;

/** Uploads the files behind the paths, one document each. True when none failed. */
export async function ingest(client: Client, options: IngestOptions, output: Output): Promise<boolean> {
  const found = await findFiles(options.paths, options);
  if (found.files.length === 0) throw new CliFailure(`Nothing to ingest (${skippedText(found) || 'no files found'})`);

  const tally: Tally = { CREATED: 0, UPDATED: 0, UNCHANGED: 0, FAILED: 0 };
  const startedAt = performance.now();
  const progress = makeProgress(output);
  const state = { filesDone: 0, bytesDone: 0, chunks: 0 };
  const total = { files: found.files.length, bytes: found.files.reduce((sum, file) => sum + file.sizeBytes, 0) };
  const elapsedMs = () => performance.now() - startedAt;

  const upload = async (file: FoundFile, waitUntil: 'STORED' | 'SEARCHABLE'): Promise<void> => {
    const { outcome, chunks, complaints } = await uploaded(client, file, options, waitUntil);
    tally[outcome] += 1;
    state.filesDone += 1;
    state.bytesDone += file.sizeBytes;
    state.chunks += chunks;
    if (complaints.length > 0) progress.clear();
    for (const complaint of complaints) output.err(`${file.title}: ${complaint}`);
    progress.update({ ...state, ...total, elapsedMs: elapsedMs() });
  };

  // The indexes follow writes in their order: once the last file can be found, all can.
  const last = found.files.at(-1)!;
  await inParallel(found.files.slice(0, -1), options.concurrency, (file) => upload(file, 'STORED'));
  await upload(last, 'SEARCHABLE');
  progress.clear();
  output.out(summary(tally, state.chunks, elapsedMs(), found));
  return tally.FAILED === 0;
}

async function uploaded(
  client: Client,
  file: FoundFile,
  { agentIds }: IngestOptions,
  waitUntil: 'STORED' | 'SEARCHABLE',
): Promise<{ outcome: keyof Tally; chunks: number; complaints: readonly string[] }> {
  const { title, path } = file;
  // Bytes, not text: what they are is the server's to tell.
  const base64 = (await readFile(path)).toString('base64');
  const input = { title, file: { name: basename(path), base64 }, waitUntil, ...(agentIds && { agentIds }) };
  const { upsertDocument: payload } = await client.run<Upserted>(UPSERT, { input });
  const [refusal] = payload?.userErrors ?? [];
  if (refusal || !payload?.outcome)
    return { outcome: 'FAILED', chunks: 0, complaints: [`failed: ${refusal?.message} (${refusal?.code})`] };
  return {
    outcome: payload.outcome,
    chunks: payload.document?.chunkCount ?? 0,
    complaints: payload.warnings.map((warning) => `warning: ${warning}`),
  };
}

async function inParallel<T>(items: readonly T[], width: number, work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker));
}

function summary(tally: Tally, chunks: number, elapsedMs: number, found: Found): string {
  const counts = [...OUTCOMES, 'FAILED' as const].map((outcome) => `${tally[outcome]} ${outcome.toLowerCase()}`);
  const skipped = skippedText(found);
  const total = SKIP_REASONS.reduce((sum, reason) => sum + found.skipped[reason], 0);
  const seconds = (elapsedMs / 1000).toFixed(1);
  return `${counts.join(', ')}, ${total} skipped${skipped && ` (${skipped})`}; ${chunks} chunks in ${seconds} s`;
}

function skippedText({ skipped }: Found): string {
  return SKIP_REASONS.filter((reason) => skipped[reason] > 0)
    .map((reason) => `${skipped[reason]} ${reason}`)
    .join(', ');
}
