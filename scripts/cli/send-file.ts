import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Client } from './client.js';
import { CliFailure } from './failure.js';
import { followJob, jobItems } from './follow-job.js';
import type { FoundFile } from './walk.js';

export type Outcome = 'CREATED' | 'UPDATED' | 'UNCHANGED';

export interface SendOptions {
  readonly agentIds: readonly string[] | null;
  readonly waitUntil: 'STORED' | 'SEARCHABLE';
  readonly dryRun: boolean;
}

/** What became of a file. */
export type Sent =
  | {
      readonly outcome: Outcome;
      /** Null with `dryRun` of a new one. */
      readonly document: { readonly id: string; readonly version: number; readonly chunkCount: number } | null;
      readonly embeddingTokens: number;
      readonly chunksEmbedded: number;
      readonly warnings: readonly string[];
    }
  | { readonly outcome: 'FAILED'; readonly reason: string };

/** Beyond, base64 in JSON would cost both sides several times the file in memory. */
const MAX_INLINE_BYTES = 1024 * 1024;

const UPSERT = `mutation Ingest($input: UpsertDocumentInput!) {
  upsertDocument(input: $input) {
    outcome warnings changes { chunksEmbedded embeddingTokens }
    document { id version chunkCount } userErrors { code message }
  }
}`;

interface Payload {
  readonly outcome: Outcome | null;
  readonly warnings: readonly string[];
  readonly changes: { readonly chunksEmbedded: number; readonly embeddingTokens: number } | null;
  readonly document: { readonly id: string; readonly version: number; readonly chunkCount: number } | null;
  readonly userErrors: readonly { readonly code: string; readonly message: string }[];
}

/** Sends a file as its bytes: what they are is the server's to tell. */
export async function sendFile(client: Client, file: FoundFile, options: SendOptions): Promise<Sent> {
  return file.sizeBytes <= MAX_INLINE_BYTES
    ? await sendInline(client, file, options)
    : await sendStream(client, file, options);
}

async function sendInline(client: Client, { title, path }: FoundFile, options: SendOptions): Promise<Sent> {
  const { agentIds, ...rest } = options;
  const base64 = (await readFile(path)).toString('base64');
  const input = { title, file: { name: basename(path), base64 }, ...rest, ...(agentIds && { agentIds }) };
  const { upsertDocument } = await client.run<{ upsertDocument: Payload | null }>(UPSERT, { input });
  return sentOf(upsertDocument);
}

async function sendStream(client: Client, { title, path }: FoundFile, options: SendOptions): Promise<Sent> {
  const { agentIds, dryRun, waitUntil } = options;
  const parameters = new URLSearchParams({ title, name: basename(path), dryRun: String(dryRun), waitUntil });
  for (const agent of agentIds ?? []) parameters.append('agentIds', agent);
  const response = await client.route(`upload?${parameters}`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: () => createReadStream(path) as AsyncIterable<Buffer>,
  });
  const body = (await response.json().catch(() => null)) as
    | (Payload & { jobId?: undefined; errors?: undefined })
    | { jobId: string; errors?: undefined }
    | { jobId?: undefined; errors: { message: string; extensions?: { code?: string } }[] }
    | null;
  if (body === null)
    throw new CliFailure(`${response.url} answered ${response.status} and no JSON: is this a Gazetteer?`);
  if (body.errors !== undefined)
    throw new CliFailure(`${body.errors[0]?.message} (${body.errors[0]?.extensions?.code ?? response.status})`);
  return body.jobId === undefined ? sentOf(body) : await sentByJob(client, body.jobId);
}

async function sentByJob(client: Client, jobId: string): Promise<Sent> {
  await followJob(client, jobId);
  const [item] = await jobItems(client, jobId, { most: 1 });
  if (item?.outcome == null) return failed(item?.error ?? null);
  return { outcome: item.outcome, document: item.document, embeddingTokens: 0, chunksEmbedded: 0, warnings: [] };
}

function sentOf(payload: Payload | null): Sent {
  const [refusal] = payload?.userErrors ?? [];
  if (refusal || !payload?.outcome) return failed(refusal ?? null);
  const { outcome, document, warnings, changes } = payload;
  return {
    outcome,
    document,
    warnings,
    embeddingTokens: changes?.embeddingTokens ?? 0,
    chunksEmbedded: changes?.chunksEmbedded ?? 0,
  };
}

function failed(error: { code: string; message: string } | null): Sent {
  return { outcome: 'FAILED', reason: error === null ? 'no reason given' : `${error.message} (${error.code})` };
}
