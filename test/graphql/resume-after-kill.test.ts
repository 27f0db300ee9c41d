import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type FakeOpenai, startFakeOpenai } from '../support/fake-openai.js';
import { killableServer } from '../support/killable-server.js';
import { paragraphs } from '../support/test-store.js';
import { post } from './server.js';

/** The server as a process that is killed while a provider embeds a large document, and started again on its data. */
const UPSERT = `mutation Upsert($input: UpsertDocumentInput!) {
  upsertDocument(input: $input) { outcome document { version chunkCount } changes { chunksEmbedded } userErrors { message } }
}`;

let directory: string;
let fake: FakeOpenai;
const server = killableServer();
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gazetteer-resume-'));
  fake = await startFakeOpenai();
});
afterEach(async () => {
  await server.kill();
  await fake.close();
  rmSync(directory, { recursive: true, force: true });
});

const start = (): Promise<string> =>
  server.start(directory, {
    EMBEDDING_PROVIDER: 'openai',
    EMBEDDING_DIMENSIONS: '64',
    OPENAI_API_KEY: 'sk-x',
    OPENAI_BASE_URL: fake.baseUrl,
  });

/** What the running server's database holds of them. */
async function keptVectors(): Promise<number> {
  const client = new MongoClient(
    `mongodb://${encodeURIComponent(join(directory, 'data', 'pocket.sock'))}/?directConnection=true`,
  );
  try {
    return await client.db('gazetteer').collection('kept_work').countDocuments();
  } finally {
    await client.close();
  }
}

test('kill -9 while 300 chunks are embedded: no batch that had arrived is embedded again', async () => {
  const input = {
    title: 'long',
    text: paragraphs(300),
    chunking: { strategy: 'RECURSIVE', maxTokens: 20, overlap: 0 },
    waitUntil: 'STORED',
  };
  const upsert = async (url: string) => {
    const response = await post(url, JSON.stringify({ query: UPSERT, variables: { input } }));
    return ((await response.json()) as { data: { upsertDocument: { changes: { chunksEmbedded: number } } } }).data;
  };

  fake.answerWith('ok', 'ok', 'ok', 'stall');
  const first = await start();
  const cut = upsert(first).catch(() => 'the connection broke');
  await expect.poll(() => fake.requests.length, { timeout: 30_000 }).toBe(4);
  const [, , , stalled] = fake.requests;
  await expect.poll(keptVectors, { timeout: 10_000 }).toBe(300 - stalled!.inputs.length);
  await server.kill();
  expect(await cut).toBe('the connection broke');

  fake.requests.length = 0;
  fake.answerWith('ok');
  const second = await start();
  expect(await upsert(second)).toMatchObject({
    upsertDocument: {
      outcome: 'CREATED',
      document: { version: 1, chunkCount: 300 },
      changes: { chunksEmbedded: stalled!.inputs.length },
      userErrors: [],
    },
  });
  expect(fake.requests.flatMap(({ inputs }) => inputs).sort()).toEqual([...stalled!.inputs].sort());
}, 120_000);
