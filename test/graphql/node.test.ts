import { afterAll, beforeAll, expect, test } from 'vitest';
import { encodeNodeId } from '../../src/graphql/node-id.js';
import { logLine, startTestServer, type TestServer, upsert } from './server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => server.stop());

const NODES =
  'query($ids: [ID!]!) { nodes(ids: $ids) { __typename id ... on Document { title } ... on EmbeddingSpace { model } } }';

test('objects of every kind are refetched in the order asked, with null for what is not there', async () => {
  const { document } = await upsert(server, { title: 'refetched', text: 'x' });
  const space = encodeNodeId('EmbeddingSpace', 's1');
  const ids = [space, 'rubbish', document.id, encodeNodeId('Document', 'c'.repeat(24)), document.id];
  const { nodes } = await server.data(NODES, { ids });
  const refetched = { __typename: 'Document', id: document.id, title: 'refetched' };
  expect(nodes).toEqual([
    { __typename: 'EmbeddingSpace', id: space, model: expect.any(String) },
    null,
    refetched,
    null,
    refetched,
  ]);
});

test('a hundred ids are one store call; a hundred and one are refused', async () => {
  const ids = Array.from({ length: 100 }, (_, i) => encodeNodeId('Document', i.toString(16).padStart(24, '0')));
  const answer = await server.send(NODES, { ids });
  expect(answer.data.nodes).toEqual(Array(100).fill(null));
  expect((await logLine(server, answer)).calls).toEqual({ documentsByIds: 1 });
  expect(await server.error(NODES, { ids: [...ids, 'x'] })).toMatchObject({ code: 'BAD_USER_INPUT', status: 400 });
});

test.each(['JGL-24423/TL', '5cc67a80e46e13a0d6a87a80', '', '\u0000', 'x'.repeat(10_000)])(
  'an id that is none of ours is null: %.20s',
  async (id) => {
    expect(await server.data('query($id: ID!) { node(id: $id) { id } }', { id })).toEqual({ node: null });
  },
);
