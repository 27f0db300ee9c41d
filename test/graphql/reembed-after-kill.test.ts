import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SOCKET_NAME, socketUri } from '../../src/pocket-atlas/address.js';
import { type FakeOpenai, startFakeOpenai } from '../support/fake-openai.js';
import { killableServer } from '../support/killable-server.js';
import { ONE_PARAGRAPH, paragraphs } from '../support/test-store.js';
import { post } from './server.js';

/** The server as a process that is killed while it fills a space, and started again on its data. */
const UPSERT = `mutation($input: UpsertDocumentInput!) { upsertDocument(input: $input) { outcome userErrors { message } } }`;
const REEMBED = `mutation { reembed(input: { provider: "openai", model: "text-embedding-3-small", dimensions: 64 }) {
  job { id } userErrors { message } } }`;
const JOB = 'query($id: ID!) { node(id: $id) { ... on Job { state total done failed } } }';
const SEARCH = `{ search(input: { query: "word3 paragraph number 44", mode: VECTOR }) {
  nodes { document { title } } diagnostics { embeddingSpace } } }`;

let directory: string;
let fake: FakeOpenai;
const server = killableServer();
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gazetteer-reembed-'));
  fake = await startFakeOpenai();
});
afterEach(async () => {
  await server.kill();
  await fake.close();
  rmSync(directory, { recursive: true, force: true });
});

const start = (): Promise<string> =>
  server.start(directory, {
    EMBEDDING_PROVIDER: 'hash',
    OPENAI_API_KEY: 'sk-x',
    OPENAI_BASE_URL: fake.baseUrl,
    GAZETTEER_JOB_LEASE_SECONDS: '5',
  });

/** In the new space, as the running server's database holds them. */
async function writtenVectors(): Promise<number> {
  const client = new MongoClient(socketUri(join(directory, 'data', SOCKET_NAME)));
  try {
    return await client
      .db('gazetteer')
      .collection('chunks')
      .countDocuments({ 'embeddings.s2': { $exists: true } });
  } finally {
    await client.close();
  }
}

// biome-ignore lint/suspicious/noExplicitAny: what an operation answers is up to its text
async function ask(url: string, query: string, variables: object = {}): Promise<any> {
  const { data, errors } = (await (await post(url, JSON.stringify({ query, variables }))).json()) as {
    data: unknown;
    errors?: unknown;
  };
  expect(errors).toBeUndefined();
  return data;
}

test('kill -9 in the middle: the job goes on, asks again for what was under way only, and then searches switch', async () => {
  const first = await start();
  for (let index = 0; index < 6; index++)
    await ask(first, UPSERT, {
      input: { title: `doc ${index}`, text: paragraphs(100, `word${index}`), chunking: ONE_PARAGRAPH },
    });
  // The answer that is tried first, one batch, and then nothing any more.
  fake.answerWith('ok', 'ok', 'stall');
  const { reembed } = await ask(first, REEMBED);
  expect(reembed.userErrors).toEqual([]);
  const job = async (url: string) => (await ask(url, JOB, { id: reembed.job.id })).node;
  await expect.poll(() => fake.requests.length, { timeout: 30_000 }).toBeGreaterThanOrEqual(3);
  expect(await job(first)).toMatchObject({ state: 'RUNNING', total: 4 });
  expect((await ask(first, SEARCH)).search).toMatchObject({
    nodes: [{ document: { title: 'doc 3' } }, ...Array(9).fill({})],
    diagnostics: { embeddingSpace: 'hash/feature-hashing-v1 (256 dimensions)' },
  });
  let written = 0;
  const arrived = async () => {
    written = await writtenVectors();
    return written;
  };
  // One answer came, and is written whole.
  await expect.poll(arrived, { timeout: 20_000 }).toBeGreaterThan(0);
  await server.kill();

  fake.requests.length = 0;
  fake.answerWith('ok');
  const second = await start();
  await expect.poll(async () => (await job(second)).state, { timeout: 90_000, interval: 500 }).toBe('SUCCEEDED');
  expect(await job(second)).toMatchObject({ total: 4, done: 4, failed: 0 });
  const askedAgain = fake.requests.flatMap(({ inputs }) => inputs);
  // Nobody pays twice for what had arrived.
  expect(askedAgain).toHaveLength(600 - written);
  expect(new Set(askedAgain).size).toBe(askedAgain.length);
  const { search } = await ask(second, SEARCH);
  expect(search.nodes[0]).toEqual({ document: { title: 'doc 3' } });
  expect(search.diagnostics).toEqual({ embeddingSpace: 'openai/text-embedding-3-small (64 dimensions)' });
}, 180_000);
