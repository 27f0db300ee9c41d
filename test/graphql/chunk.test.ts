import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { encodeNodeId } from '../../src/graphql/node-id.js';
import { startTestServer, type TestServer, upsert } from './server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => server.stop());

const WINDOWS = { strategy: 'SLIDING_WINDOW', maxCharacters: 30, overlap: 10 };

test('chunks are slices of the text, cover it, and know their neighbours', async () => {
  const text = 'This is a test, please dont be mad at me. '.repeat(6);
  await upsert(server, { title: 'rep', text, chunking: WINDOWS });
  const { document } = await server.data(`{ document(by: { title: "rep" }) {
    text chunkCount chunking { strategy maxTokens maxCharacters overlap contextual }
    chunks(first: 100) { nodes { ordinal text start end tokenCount previous { ordinal } next { ordinal } parent { text } } totalCount }
  } }`);
  const { nodes, totalCount } = document.chunks;
  expect(document.chunking).toEqual({
    strategy: 'SLIDING_WINDOW',
    maxTokens: null,
    maxCharacters: 30,
    overlap: 10,
    contextual: false,
  });
  expect(totalCount).toBe(nodes.length);
  let covered = 0;
  nodes.forEach(
    (chunk: { ordinal: number; text: string; start: number; end: number; [key: string]: unknown }, i: number) => {
      expect(chunk.ordinal).toBe(i);
      expect(document.text.slice(chunk.start, chunk.end)).toBe(chunk.text);
      expect(chunk.start).toBeLessThanOrEqual(covered);
      covered = chunk.end;
      expect(chunk.previous).toEqual(i === 0 ? null : { ordinal: i - 1 });
      expect(chunk.next).toEqual(i === nodes.length - 1 ? null : { ordinal: i + 1 });
      expect(chunk.parent).toBeNull();
    },
  );
  expect(document.text.slice(covered).trim()).toBe('');
});

describe('pages of chunks', () => {
  beforeAll(() => upsert(server, { title: 'paged', text: 'abcdefghij'.repeat(30), chunking: WINDOWS }));
  const query = `query($first: Int!, $after: String) { document(by: { title: "paged" }) {
    chunks(first: $first, after: $after) { edges { cursor node { ordinal } } nodes { ordinal } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } totalCount }
  } }`;
  const page = async (first: number, after: string | null) =>
    (await server.data(query, { first, after })).document.chunks;

  test('follow each other without gaps', async () => {
    const ordinals: number[] = [];
    let after: string | null = null;
    do {
      const { edges, pageInfo } = await page(4, after);
      expect(pageInfo.startCursor).toBe(edges[0].cursor);
      ordinals.push(...edges.map((edge: { node: { ordinal: number } }) => edge.node.ordinal));
      after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
    } while (after !== null);
    expect(ordinals).toEqual(ordinals.map((_, i) => i));
    expect(ordinals).toHaveLength((await page(1, null)).totalCount);
  });

  test('are the same whether a cursor is selected or not', async () => {
    const plain =
      'query($first: Int!) { document(by: { title: "paged" }) { chunks(first: $first) { nodes { ordinal } pageInfo { hasNextPage hasPreviousPage } totalCount } } }';
    for (const first of [1, 5, 100]) {
      const { document } = await server.data(plain, { first });
      const { nodes, pageInfo, totalCount } = await page(first, null);
      expect(document.chunks).toEqual({
        nodes,
        pageInfo: { hasNextPage: pageInfo.hasNextPage, hasPreviousPage: pageInfo.hasPreviousPage },
        totalCount,
      });
    }
  });

  test('refuse a cursor of another document', async () => {
    const { endCursor } = (await page(1, null)).pageInfo;
    const other = `query($after: String) { document(by: { title: "rep" }) { chunks(after: $after) { nodes { id } } } }`;
    expect(await server.error(other, { after: endCursor })).toMatchObject({ code: 'BAD_USER_INPUT' });
  });
});

test('a chunk can be refetched by its id, and is gone with its version', async () => {
  await upsert(server, { title: 'fleeting', text: 'Version one.' });
  const { document } = await server.data('{ document(by: { title: "fleeting" }) { chunks { nodes { id text } } } }');
  const [{ id }] = document.chunks.nodes;
  const query = 'query($id: ID!) { node(id: $id) { __typename id ... on Chunk { text document { title } } } }';
  expect((await server.data(query, { id })).node).toEqual({
    __typename: 'Chunk',
    id,
    text: 'Version one.',
    document: { title: 'fleeting' },
  });
  await upsert(server, { title: 'fleeting', text: 'Version two is another text.' });
  expect((await server.data(query, { id })).node).toBeNull();
  expect((await server.data(query, { id: encodeNodeId('Chunk', 'a'.repeat(24)) })).node).toBeNull();
});

test('text beyond what a response may hold is refused before it is read', async () => {
  const text = 'lorem ipsum '.repeat(1_000_000).trimEnd();
  const chunking = { strategy: 'SLIDING_WINDOW', maxCharacters: 30_000, overlap: 0 };
  const { userErrors } = await upsert(server, { title: 'long', text, chunking, waitUntil: 'STORED' });
  expect(userErrors).toEqual([]);
  const aliases = (count: number) => Array.from({ length: count }, (_, i) => `a${i}: text`).join(' ');
  const { document } = await server.data(`{ document(by: { title: "long" }) { textLength ${aliases(5)} } }`);
  expect(document.textLength).toBe(text.length);
  const answer = await server.send(`{ document(by: { title: "long" }) { ${aliases(6)} } }`);
  expect(answer.errors).toEqual([
    expect.objectContaining({ message: expect.stringContaining('67108864 bytes of text') }),
  ]);
  expect(answer.errors?.[0]?.extensions.code).toBe('QUERY_TOO_COMPLEX');
});
