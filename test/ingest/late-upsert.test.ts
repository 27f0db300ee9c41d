import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEmbedder } from '../../src/embed/create-embedder.js';
import { makeScope } from '../../src/store/scope.js';
import { type FakeOpenai, startFakeOpenai } from '../support/fake-openai.js';
import { STORE_SERVERS } from '../support/store-servers.js';
import { openTestStore, paragraphs, type TestStore } from '../support/test-store.js';

/** Late chunking through an upsert: what an endpoint that knows `late_chunking` is sent for a document. */
const scope = makeScope('ada', null);
const { start } = STORE_SERVERS[0]!;
let server: Awaited<ReturnType<typeof start>>;
let fake: FakeOpenai;
let store: TestStore;
beforeAll(async () => {
  server = await start();
  fake = await startFakeOpenai();
  const embedder = createEmbedder({
    provider: 'openai',
    model: 'jina-embeddings-v3',
    dimensions: 64,
    apiKey: 'jina_x',
    baseUrl: fake.baseUrl,
    lateChunking: true,
  });
  store = await openTestStore(server.uri, { embedder });
});
afterAll(async () => {
  await store?.close();
  await fake?.close();
  await server?.stop();
});

test('a document goes in groups that fit the model, whole and in order; an edit sends the groups around it', async () => {
  const text = paragraphs(1_000);
  // each paragraph a chunk, as OpenAI counts tokens
  const input = { chunking: { strategy: 'RECURSIVE', maxTokens: 20, overlap: 0, contextual: false } } as const;
  const first = await store.upsert(scope, 'late', text, input);
  expect(first.changes).toMatchObject({ chunksAdded: 1_000, chunksEmbedded: 1_000 });
  expect(fake.requests.length).toBeGreaterThan(2);
  for (const { lateChunking, inputs } of fake.requests) {
    expect(lateChunking).toBe(true);
    expect(inputs.reduce((sum, piece) => sum + store.embedder.countTokens(piece), 0)).toBeLessThanOrEqual(6_144);
    const [begin] = inputs;
    const at = Number(/number (\d+)/.exec(begin!)![1]);
    expect(inputs.map((piece) => Number(/number (\d+)/.exec(piece)![1]))).toEqual(inputs.map((_, place) => at + place));
  }

  fake.requests.length = 0;
  const middle = text.indexOf('alpha paragraph number 500');
  const edited = `${text.slice(0, middle)}A new paragraph in the middle.\n\n${text.slice(middle)}`;
  const second = await store.upsert(scope, 'late', edited);
  expect(second.document).toMatchObject({ version: 2, chunkCount: 1_001 });
  expect(second.changes.chunksKept).toBeGreaterThan(300);
  expect(fake.requests.flatMap(({ inputs }) => inputs)).toHaveLength(second.changes.chunksEmbedded);

  fake.requests.length = 0;
  expect((await store.upsert(scope, 'late', edited)).outcome).toBe('UNCHANGED');
  await store.upsert(scope, 'short', 'Only this.', input);
  expect(fake.requests).toMatchObject([{ inputs: ['Only this.'], lateChunking: undefined }]);
});
