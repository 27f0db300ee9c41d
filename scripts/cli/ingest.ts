import { resolve } from 'node:path';
import type { Client } from './client.js';
import { embeddingCost } from './embedding-cost.js';
import { CliFailure, usageFailure } from './failure.js';
import { IngestRecord } from './ingest-record.js';
import { unchangedFiles } from './known-files.js';
import type { Output } from './output.js';
import { makeProgress } from './progress.js';
import { prune, type VanishedFile, vanishedFiles } from './prune.js';
import { type Outcome, type Sent, sendFile } from './send-file.js';
import { type Found, type FoundFile, findFiles, SKIP_REASONS } from './walk.js';
import { changesBelow } from './watch.js';

export interface IngestOptions {
  readonly paths: readonly string[];
  readonly hidden: boolean;
  /** Files that are on their way at once. */
  readonly concurrency: number;
  readonly agentIds: readonly string[] | null;
  readonly cwd: string;
  /** Where it is remembered what was sent; null: nowhere, so that every file is sent again. */
  readonly stateDir: string | null;
  /** Send files also where they are known to be unchanged. */
  readonly full?: boolean;
  /** Delete the documents of files that vanished from the folders, at most so many; null: keep them. */
  readonly pruneLimit?: number | null;
  /** Say what would happen and what it would cost, and change nothing. */
  readonly dryRun?: boolean;
  /** US dollars per million tokens; null: the model's, where it is known. */
  readonly price?: number | null;
}

const OUTCOMES = ['CREATED', 'UPDATED', 'UNCHANGED'] as const satisfies readonly Outcome[];
type Tally = Record<Outcome | 'FAILED', number>;

/** Uploads the files behind the paths, one document each. True when none failed. */
export async function ingest(client: Client, options: IngestOptions, output: Output): Promise<boolean> {
  const found = await findFiles(options.paths, options);
  if (found.files.length === 0)
    throw new CliFailure(
      `Nothing to ingest (${skippedText(found) || 'no files found'})` +
        (options.pruneLimit == null
          ? ''
          : ', and --prune takes nothing of an empty folder, which may be a disk that is not mounted'),
    );
  return await pass(client, found, options, output);
}

/** The same, and again whenever something changes below the folders, until the signal. A failed pass is tried with the next change. */
export async function ingestAndWatch(
  client: Client,
  options: IngestOptions,
  output: Output,
  signal: AbortSignal,
): Promise<void> {
  const changes = changesBelow(
    options.paths.map((path) => resolve(options.cwd, path)),
    signal,
  );
  // Watching begins before the first pass, so that nothing falls between them.
  for (let next = changes.next(); ; ) {
    next.catch(() => undefined);
    try {
      await pass(client, await findFiles(options.paths, options), options, output);
    } catch (error) {
      if (!(error instanceof CliFailure)) throw error;
      output.err(error.message);
    }
    if ((await next).done) return;
    next = changes.next();
  }
}

async function pass(client: Client, found: Found, options: IngestOptions, output: Output): Promise<boolean> {
  const { agentIds, dryRun = false, full = false, pruneLimit = null } = options;
  const startedAt = performance.now();
  const records = await openRecords(client, found, options);
  const recordOf = ({ root }: FoundFile) => records.get(root ?? options.cwd)!;
  const vanished = pruneLimit === null ? [] : vanishedFiles(foldersOf(records, found, options), pruneLimit);
  const known = full ? new Map<FoundFile, never>() : await unchangedFiles(client, found.files, recordOf, agentIds);

  const total: Total = {
    tally: { CREATED: 0, UPDATED: 0, UNCHANGED: known.size, FAILED: 0 },
    chunks: 0,
    chunksEmbedded: 0,
    embeddingTokens: 0,
  };
  const progress = makeProgress(output);
  const rest = found.files.filter((file) => !known.has(file));
  const bytes = rest.reduce((sum, file) => sum + file.sizeBytes, 0);
  let filesDone = 0;
  let bytesDone = 0;

  const send = async (file: FoundFile, waitUntil: 'STORED' | 'SEARCHABLE'): Promise<void> => {
    const sent = await sendFile(client, file, { agentIds, waitUntil, dryRun });
    add(total, sent);
    const complaints = complaintsOf(sent);
    if (complaints.length > 0) progress.clear();
    for (const complaint of complaints) output.err(`${file.title}: ${complaint}`);
    if (!dryRun && sent.outcome !== 'FAILED' && sent.document !== null)
      await recordOf(file).note(file.title, {
        sizeBytes: file.sizeBytes,
        modifiedMs: file.modifiedMs,
        agentIds,
        documentId: sent.document.id,
        version: sent.document.version,
      });
    filesDone += 1;
    bytesDone += file.sizeBytes;
    progress.update({
      filesDone,
      files: rest.length,
      bytesDone,
      bytes,
      chunks: total.chunks,
      elapsedMs: performance.now() - startedAt,
    });
  };

  // The indexes follow writes in their order: once the last file can be found, all can.
  await inParallel(rest.slice(0, -1), options.concurrency, (file) => send(file, 'STORED'));
  const last = rest.at(-1);
  if (last !== undefined) await send(last, 'SEARCHABLE');
  progress.clear();
  const pruned = dryRun ? null : await prune(client, vanished, output.err);
  output.out(
    summary(total, found, {
      elapsedMs: performance.now() - startedAt,
      dryRun,
      pruned: pruneLimit === null ? null : pruned,
    }),
  );
  if (dryRun) await sayWhatWouldBe(client, total, vanished, options, output);
  return total.tally.FAILED === 0;
}

interface Total {
  readonly tally: Tally;
  chunks: number;
  chunksEmbedded: number;
  embeddingTokens: number;
}

function add(total: Total, sent: Sent): void {
  total.tally[sent.outcome] += 1;
  if (sent.outcome === 'FAILED') return;
  total.chunks += sent.document?.chunkCount ?? 0;
  total.chunksEmbedded += sent.chunksEmbedded;
  total.embeddingTokens += sent.embeddingTokens;
}

function complaintsOf(sent: Sent): readonly string[] {
  if (sent.outcome === 'FAILED') return [`failed: ${sent.reason}`];
  return sent.warnings.map((warning) => `warning: ${warning}`);
}

/** One per folder given, and one for what was named besides. */
async function openRecords(
  client: Client,
  { files }: Found,
  { stateDir, cwd, paths }: IngestOptions,
): Promise<ReadonlyMap<string, IngestRecord>> {
  const { viewer } = await client.run<{ viewer: { ownerId: string } }>('{ viewer { ownerId } }');
  const roots = new Set([cwd, ...paths.map((path) => resolve(cwd, path)), ...files.flatMap(({ root }) => root ?? [])]);
  const records = new Map<string, IngestRecord>();
  for (const root of roots)
    records.set(root, await IngestRecord.open(stateDir, { url: client.url, ownerId: viewer.ownerId, root }));
  return records;
}

/** Only what was found in a folder that was given can have vanished from it. */
function foldersOf(
  records: ReadonlyMap<string, IngestRecord>,
  { files }: Found,
  { paths, cwd }: IngestOptions,
): ReadonlyMap<string, IngestRecord> {
  const given = new Set(paths.map((path) => resolve(cwd, path)));
  const folders = new Set(files.flatMap(({ root }) => root ?? []));
  const others = [...given].filter((path) => !folders.has(path));
  if (others.length > 0) throw usageFailure(`--prune takes folders that hold documents, got ${others.join(', ')}`);
  return new Map([...records].filter(([root]) => folders.has(root)));
}

async function inParallel<T>(items: readonly T[], width: number, work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker));
}

function summary(
  { tally, chunks }: Total,
  found: Found,
  { elapsedMs, dryRun, pruned }: { elapsedMs: number; dryRun: boolean; pruned: number | null },
): string {
  const counts = [...OUTCOMES, 'FAILED' as const].map((outcome) => `${tally[outcome]} ${outcome.toLowerCase()}`);
  const skipped = skippedText(found);
  const total = SKIP_REASONS.reduce((sum, reason) => sum + found.skipped[reason], 0);
  const seconds = (elapsedMs / 1000).toFixed(1);
  const deleted = pruned === null ? '' : `, ${pruned} deleted`;
  const what = dryRun ? 'Dry run: ' : '';
  return `${what}${counts.join(', ')}${deleted}, ${total} skipped${skipped && ` (${skipped})`}; ${chunks} chunks in ${seconds} s`;
}

async function sayWhatWouldBe(
  client: Client,
  { chunksEmbedded, embeddingTokens }: Total,
  vanished: readonly VanishedFile[],
  { price = null }: IngestOptions,
  output: Output,
): Promise<void> {
  output.out(`${chunksEmbedded} chunks with ${await embeddingCost(client, embeddingTokens, price)}`);
  for (const { title } of vanished) output.out(`${title}: its document would be deleted`);
}

function skippedText({ skipped }: Found): string {
  return SKIP_REASONS.filter((reason) => skipped[reason] > 0)
    .map((reason) => `${skipped[reason]} ${reason}`)
    .join(', ');
}
