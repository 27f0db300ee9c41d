import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { killableServer } from '../support/killable-server.js';
import { paragraphs } from '../support/test-store.js';
import { post, startTestServer, type TestServer } from './server.js';

/** A house that moves to a server that is killed while it moves in, and started again on its data. */
const DOCUMENTS = 120;
const CLIENT = { 'x-gazetteer-client': 'test' };

let from: TestServer;
let file: string;
beforeAll(async () => {
  from = await startTestServer();
  const ingest = `mutation($documents: [UpsertDocumentInput!]!) {
    ingestDocuments(input: { documents: $documents }) { job { id } userErrors { message } }
  }`;
  const documents = Array.from({ length: DOCUMENTS }, (_, index) => ({
    title: `doc ${index}`,
    text: paragraphs(3, `word${index}`),
    metadata: { index },
    chunking: { strategy: 'RECURSIVE', maxTokens: 30, overlap: 0 },
    waitUntil: 'STORED',
  }));
  for (let at = 0; at < DOCUMENTS; at += 60) await from.data(ingest, { documents: documents.slice(at, at + 60) });
  const stored = async () =>
    (await from.data('{ documents(filter: { statuses: [READY] }) { totalCount } }')).documents.totalCount;
  await vi.waitFor(async () => expect(await stored()).toBe(DOCUMENTS), { timeout: 50_000 });
  file = await exported(from.url);
});
afterAll(async () => from?.stop());

let directory: string;
const to = killableServer();
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gazetteer-import-'));
});
afterEach(async () => {
  await to.kill();
  rmSync(directory, { recursive: true, force: true });
});
const start = (): Promise<string> =>
  to.start(directory, { EMBEDDING_PROVIDER: 'hash', GAZETTEER_JOB_LEASE_SECONDS: '2', GAZETTEER_JOB_SLOTS: '2' });

async function exported(url: string): Promise<string> {
  return await (await fetch(new URL('/export', url))).text();
}

/** The lines of each document, by its first one. */
function documentsOf(text: string): ReadonlyMap<string, string> {
  const lines = text.trimEnd().split('\n').slice(1, -1).join('\n');
  return new Map(
    lines.split(/\n(?=\{"kind":"document")/).map((document) => [document.slice(0, document.indexOf('\n')), document]),
  );
}

interface FoundJob {
  readonly state: string;
  readonly done: number;
  readonly failed: number;
}

async function jobs(url: string): Promise<readonly FoundJob[]> {
  const response = await post(url, JSON.stringify({ query: '{ jobs { nodes { state done failed } } }' }));
  return ((await response.json()) as { data: { jobs: { nodes: FoundJob[] } } }).data.jobs.nodes;
}

test('kill -9 in the middle of an import: the job goes on, and everything is there once, as it was', async () => {
  const first = await start();
  const response = await fetch(new URL('/import', first), { method: 'POST', headers: CLIENT, body: file });
  expect(response.status).toBe(202);
  await expect.poll(async () => (await jobs(first))[0]?.done, { timeout: 50_000, interval: 20 }).toBeGreaterThan(0);
  await to.kill();
  const second = await start();
  await expect.poll(async () => (await jobs(second))[0]?.state, { timeout: 50_000 }).toBe('SUCCEEDED');
  expect(await jobs(second)).toEqual([{ state: 'SUCCEEDED', done: DOCUMENTS, failed: 0 }]);
  expect(documentsOf(await exported(second))).toEqual(documentsOf(file));
}, 180_000);

test('kill -9 while the file is still arriving: nothing of it is there, and it can be sent again', async () => {
  const first = await start();
  const half = Buffer.from(file.slice(0, file.length / 2));
  let hasBegun = () => {};
  const begun = new Promise<void>((resolve) => {
    hasBegun = resolve;
  });
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      // The rest never comes.
      if (half.length > 0) controller.enqueue(half);
      hasBegun();
      return new Promise(() => {});
    },
  });
  const sending = fetch(new URL('/import', first), {
    method: 'POST',
    headers: CLIENT,
    body,
    duplex: 'half',
  } as RequestInit);
  sending.catch(() => {});
  await begun;
  expect(await jobs(first)).toEqual([]);
  await to.kill();
  await expect(sending).rejects.toThrow();
  const second = await start();
  expect(await jobs(second)).toEqual([]);
  expect(await exported(second)).toMatch(/^.*\n.*"documents":0,/);
  const again = await fetch(new URL('/import', second), { method: 'POST', headers: CLIENT, body: file });
  expect(again.status).toBe(202);
  await expect.poll(async () => (await jobs(second))[0]?.state, { timeout: 50_000 }).toBe('SUCCEEDED');
  expect(documentsOf(await exported(second))).toEqual(documentsOf(file));
}, 180_000);
