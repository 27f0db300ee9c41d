import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEmbedder, type EmbedderSettings } from '../../src/embed/create-embedder.js';
import { makeScope } from '../../src/store/scope.js';
import { type FakeOpenai, startFakeOpenai } from '../support/fake-openai.js';
import { STORE_SERVERS } from '../support/store-servers.js';
import { openTestStore, paragraphs, type TestStore } from '../support/test-store.js';

const scope = makeScope('ada', null);
const { start } = STORE_SERVERS[0]!;
let server: Awaited<ReturnType<typeof start>>;
let fake: FakeOpenai;
const stores: TestStore[] = [];
beforeAll(async () => {
  server = await start();
  fake = await startFakeOpenai();
});
afterAll(async () => {
  for (const store of stores) {
    await store.close();
    await store.embedder.close?.();
  }
  await fake.close();
  await server.stop();
});

const PROVIDERS: readonly [string, () => EmbedderSettings][] = [
  ['hash', () => ({ provider: 'hash' })],
  ['bundled', () => ({ provider: 'bundled' })],
  ['openai', () => ({ provider: 'openai', apiKey: 'sk-x', baseUrl: fake.baseUrl, dimensions: 8 })],
];

describe.each(PROVIDERS)('what an upsert costs with %s', (_, settings) => {
  test.each(['RECURSIVE', 'SEMANTIC', 'NONE'] as const)('is what its dry run says: %s', async (strategy) => {
    const embedder = createEmbedder(settings());
    const store = await openTestStore(server.uri, { embedder });
    stores.push(Object.assign(store, { embedder: Object.assign(store.embedder, { close: embedder.close }) }));
    const chunking = { strategy, contextual: true, ...(strategy !== 'NONE' && { maxTokens: 60 }) };
    const both = async (text: string) => {
      const before = await store.upsert(scope, 'cost', text, { chunking, dryRun: true });
      store.embedder.asked.length = 0;
      const { changes } = await store.upsert(scope, 'cost', text, { chunking });
      expect(before.changes).toEqual(changes);
      const given = store.embedder.asked.reduce((sum, string) => sum + store.embedder.countTokens(string), 0);
      expect(changes.embeddingTokens).toBe(given);
      return changes;
    };
    const text = `${paragraphs(6)}\n\n${paragraphs(2, 'beta')}`;
    expect((await both(text)).embeddingTokens).toBeGreaterThan(50);
    await both(`${text}\n\nOne more paragraph.`);
  });
});
