import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHashEmbedder } from '../../src/embed/hash.js';
import { makeScope } from '../../src/store/scope.js';
import { STORE_SERVERS } from '../support/store-servers.js';
import { openTestStore, type TestStore } from '../support/test-store.js';

const scope = makeScope('ada', null);

describe.each(STORE_SERVERS)('texts on $name', ({ start, hasSearch }) => {
  let server: Awaited<ReturnType<typeof start>>;
  let store: TestStore;

  beforeAll(async () => {
    server = await start();
    // A model that takes any length: what is tried here is the text.
    const hash = createHashEmbedder();
    const vector = Float32Array.from({ length: hash.space.dimensions }, () => 1);
    const embedder = {
      ...hash,
      countTokens: () => 1,
      embed: async (texts: readonly string[]) => texts.map(() => vector),
    };
    store = await openTestStore(server.uri, { requireSearch: hasSearch, embedder });
  });
  afterAll(async () => {
    await store?.close();
    await server?.stop();
  });

  test('a text of several parts comes back to the letter, and the parts go with the next version', async () => {
    const text = 'Ünïcödé 😀 '.repeat(400_000).trim();
    const chunking = { strategy: 'SLIDING_WINDOW', maxCharacters: 100_000, overlap: 0, contextual: false } as const;
    const { document } = await store.upsert(scope, 'long', text, { chunking, language: 'de' });
    expect(await store.database.texts.countDocuments()).toBeGreaterThan(6);
    expect(await store.texts(scope, [document?.id as string, 'none'])).toEqual([text, null]);
    await store.upsert(scope, 'long', 'short');
    expect(await store.texts(scope, [document?.id as string])).toEqual(['short']);
  });

  test('listings of long documents read no text', async () => {
    const [row] = await store.database.documents.find().toArray();
    expect(JSON.stringify(row).length).toBeLessThan(2_000);
  });
});
