import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRetrieve } from '../../src/retrieve/create-retrieve.js';
import { createQueryEmbedder } from '../../src/retrieve/query-embedder.js';
import type { SpaceRecord } from '../../src/store/records.js';
import { makeScope, operator } from '../../src/store/scope.js';
import { startTestPocketAtlas, type TestPocketAtlas } from '../support/pocket-atlas.js';
import { embeddersOf, fillSpace } from '../support/reembed.js';
import { secondEmbedder } from '../support/second-embedder.js';
import { countingEmbedder, ONE_PARAGRAPH, openTestStore, paragraphs, type TestStore } from '../support/test-store.js';

/** Searches while the active space is switched: each takes one space, from its question to its last hit. */
const scope = makeScope('ada', null);
const options = { needsText: true, needsHighlights: false, needsCursors: false };
let server: TestPocketAtlas;
let store: TestStore;
const second = secondEmbedder();
const embedderOf = embeddersOf(countingEmbedder(), second);
const [FIRST, SECOND] = ['hash/feature-hashing-v1 (256 dimensions)', 'hash/second (64 dimensions)'];

beforeAll(async () => {
  server = await startTestPocketAtlas();
  store = await openTestStore(server.uri, { ingest: { embedderOf } });
  for (const word of ['pump', 'valve', 'seal', 'motor'])
    await store.upsert(scope, word, paragraphs(6, word), { chunking: ONE_PARAGRAPH });
  await fillSpace(store, embedderOf, await store.createSpace(operator, second.space), { activate: true });
});
afterAll(async () => {
  await store?.close();
  await server?.stop();
});

/** Retrieval that is told of a switch at each question about the active space. */
function switching() {
  let asked = 0;
  return createRetrieve({
    store: {
      ...store,
      activeSpace: async () => (await store.spacesByIds([asked++ % 2 === 0 ? 's1' : 's2']))[0] as SpaceRecord,
    },
    search: store.search,
    rankings: store.rankings,
    queryEmbedder: createQueryEmbedder(embedderOf),
  });
}

test('a search embeds its question in the space that it searches', async () => {
  const retrieve = switching();
  const request = { query: 'valve paragraph number', mode: 'VECTOR', exact: false, rerank: false, first: 6 } as const;
  for (const space of [FIRST, SECOND, FIRST]) {
    const { hits, diagnostics } = await retrieve.search(scope, request, options);
    expect(diagnostics.embeddingSpace).toBe(space);
    expect(hits).toHaveLength(6);
    for (const { text } of hits) expect(text).toMatch(/^valve/);
  }
});

test('similar chunks are compared in one space', async () => {
  const [chunk] = await store.database.chunks.find({ text: /^seal/ }).limit(1).toArray();
  const retrieve = switching();
  for (const space of [FIRST, SECOND]) {
    const found = await retrieve.similarChunks(scope, chunk!._id.toHexString(), { first: 5 }, options);
    expect(found?.diagnostics.embeddingSpace).toBe(space);
    expect(found?.hits).toHaveLength(5);
    for (const { text } of found!.hits) expect(text).toMatch(/^seal/);
  }
});
