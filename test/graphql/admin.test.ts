import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { encodeNodeId } from '../../src/graphql/node-id.js';
import { startTestServer, type TestServer, upsert } from './server.js';

/** What an operator sees and does: indexes, spaces, erasing. Jobs and re-embedding are not built yet. */
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ GAZETTEER_FILTERABLE: 'topic:string' });
});
afterAll(async () => server.stop());

const INDEX = 'name kind status queryable definition problems';

test('the search indexes are there, fit, and hold the declared keys', async () => {
  const { admin } = await server.data(`{ admin { searchIndexes { ${INDEX} } } }`);
  expect(admin.searchIndexes.map((index: { kind: string }) => index.kind).sort()).toEqual(['TEXT', 'VECTOR']);
  for (const index of admin.searchIndexes) {
    expect(index).toMatchObject({ status: 'READY', queryable: true, problems: [] });
    expect(JSON.stringify(index.definition)).toContain('topic');
  }
  const { ensureSearchIndexes } = await server.data(
    `mutation { ensureSearchIndexes { searchIndexes { ${INDEX} } userErrors { code } } }`,
  );
  expect(ensureSearchIndexes).toEqual({ searchIndexes: admin.searchIndexes, userErrors: [] });
});

describe('embedding spaces', () => {
  test('are listed; the active one is what documents name', async () => {
    await upsert(server, { title: 'spaced', text: 'x' });
    const { admin, document } = await server.data(`{
      admin { embeddingSpaces { id provider model dimensions similarity state } }
      document(by: { title: "spaced" }) { embeddingSpace { id state } }
    }`);
    const [space] = admin.embeddingSpaces;
    expect(space).toMatchObject({ provider: 'hash', dimensions: 256, similarity: 'COSINE', state: 'ACTIVE' });
    expect(document.embeddingSpace).toEqual({ id: space.id, state: 'ACTIVE' });
  });

  test.each([
    ['the active one', encodeNodeId('EmbeddingSpace', 's1'), 'CONFLICT'],
    ['one that is not there', encodeNodeId('EmbeddingSpace', 's77'), 'NOT_FOUND'],
    ['rubbish', 'rubbish', 'NOT_FOUND'],
  ])('%s cannot be dropped', async (_, id, code) => {
    const query =
      'mutation($id: ID!) { dropEmbeddingSpace(input: { embeddingSpaceId: $id }) { droppedEmbeddingSpaceId userErrors { code } } }';
    expect((await server.data(query, { id })).dropEmbeddingSpace).toEqual({
      droppedEmbeddingSpaceId: null,
      userErrors: [{ code }],
    });
  });
});
