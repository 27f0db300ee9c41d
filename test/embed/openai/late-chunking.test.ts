import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createEmbedder } from '../../../src/embed/create-embedder.js';
import { createOpenaiEmbedder } from '../../../src/embed/openai/openai.js';
import { type FakeOpenai, startFakeOpenai } from '../../support/fake-openai.js';

let fake: FakeOpenai;
beforeAll(async () => {
  fake = await startFakeOpenai();
});
afterAll(() => fake.close());
beforeEach(() => {
  fake.requests.length = 0;
});

const settings = () =>
  ({
    provider: 'openai',
    apiKey: 'jina_x',
    baseUrl: fake.baseUrl,
    model: 'jina-embeddings-v3',
    dimensions: 64,
  }) as const;

test('pieces of one document go in one request, in order, with late_chunking', async () => {
  const embedder = createEmbedder({ ...settings(), lateChunking: true });
  expect(embedder.lateChunking).toEqual({ maxTokens: 6_144 });
  const pieces = Array.from({ length: 50 }, (_, at) => `piece ${at}`);
  await embedder.embed(pieces, { kind: 'document', together: true });
  expect(fake.requests).toMatchObject([{ inputs: pieces, lateChunking: true, model: 'jina-embeddings-v3' }]);
});

test('without it, and for texts that are not one document’s, the request is as ever', async () => {
  const late = createEmbedder({ ...settings(), lateChunking: true });
  await late.embed(['one', 'two'], { kind: 'document' });
  await late.embed(['one'], { kind: 'query' });
  const plain = createEmbedder(settings());
  expect(plain.lateChunking).toBeUndefined();
  await plain.embed(['one', 'two'], { kind: 'document' });
  expect(fake.requests.map(({ lateChunking, task }) => [lateChunking, task])).toEqual(
    Array(3).fill([undefined, undefined]),
  );
});

test('a group that the server calls too large is an error, not two groups with other vectors', async () => {
  fake.answerWith('small-batches');
  const embedder = createOpenaiEmbedder({ ...settings(), lateChunking: true });
  const pieces = Array.from({ length: 20 }, (_, at) => `piece ${at}`);
  await expect(embedder.embed(pieces, { kind: 'document', together: true })).rejects.toMatchObject({
    code: 'PROVIDER_UNAVAILABLE',
    details: { reason: 'REJECTED' },
  });
  expect(fake.requests).toHaveLength(1);
});
