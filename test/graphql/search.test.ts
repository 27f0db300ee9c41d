import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { encodeNodeId } from '../../src/graphql/node-id.js';
import { type Answer, logLine, startTestServer, type TestServer, upsert } from './server.js';

let server: TestServer;
const DIMENSIONS = 256;

const PASSAGES: Readonly<Record<string, string>> = {
  pump: 'A centrifugal pump must be primed with water before it is started, otherwise it runs dry.',
  valve: 'The gate valve is opened slowly so that the water does not hammer in the pipe.',
  motor: 'The electric motor turns at 2900 revolutions per minute and drives the shaft.',
  seal: 'The mechanical seal of the shaft is replaced after four thousand hours.',
  coffee: 'Coffee is brewed with water just below boiling point.',
};

beforeAll(async () => {
  server = await startTestServer({ GAZETTEER_FILTERABLE: 'topic:string,year:number' });
  for (const [title, text] of Object.entries(PASSAGES))
    await upsert(server, { title, text, metadata: { topic: title === 'coffee' ? 'kitchen' : 'plant', year: 2020 } });
});
afterAll(async () => server.stop());

const SEARCH = `query($input: SearchInput!, $first: Int! = 10, $after: String) {
  search(input: $input, first: $first, after: $after) {
    edges { rank score cursor scores { similarity distance text fused rerank } node { text document { title } } }
    pageInfo { hasNextPage endCursor }
    diagnostics { mode numCandidates exact embeddingSpace weights { vector text } staleDropped degraded tookMs }
  }
}`;
const search = async (input: object, rest: object = {}) => (await server.data(SEARCH, { input, ...rest })).search;
const titles = (found: { edges: { node: { document: { title: string } } }[] }) =>
  found.edges.map((edge) => edge.node.document.title);

test.each(['VECTOR', 'TEXT', 'HYBRID'])('%s finds the passage that answers', async (mode) => {
  const found = await search({ query: 'priming a centrifugal pump', mode });
  expect(titles(found)[0]).toBe('pump');
  expect(found.edges.map((edge: { rank: number }) => edge.rank)).toEqual(
    found.edges.map((_: unknown, i: number) => i + 1),
  );
  expect(found.diagnostics).toMatchObject({ mode, degraded: [], staleDropped: 0 });
});

test('each score says what it is, or is null', async () => {
  const [vector] = (await search({ query: 'pump', mode: 'VECTOR' })).edges;
  expect(vector.scores).toMatchObject({ text: null, fused: null, rerank: null });
  expect(vector.score).toBe(vector.scores.similarity);
  expect(vector.scores.distance).toBeCloseTo(2 - 2 * vector.scores.similarity, 4);
  const [hybrid] = (await search({ query: 'pump', mode: 'HYBRID' })).edges;
  expect(hybrid.score).toBe(hybrid.scores.fused);
});

test('what is outside of the filter is not found, however near', async () => {
  const kitchen = { metadata: [{ key: 'topic', eq: 'kitchen' }] };
  for (const mode of ['VECTOR', 'TEXT', 'HYBRID'])
    expect(titles(await search({ query: 'water', mode, filter: kitchen }))).toEqual(['coffee']);
  expect(titles(await search({ query: 'water', filter: { titles: [] } }))).toEqual([]);
  expect(titles(await search({ query: 'water', filter: { ids: ['none of ours'] } }))).toEqual([]);
});

test('pages of one search repeat nothing and skip nothing', async () => {
  const whole = titles(await search({ query: 'water in the pump', mode: 'VECTOR' }));
  const paged: string[] = [];
  let after: string | null = null;
  do {
    const page = await search({ query: 'water in the pump', mode: 'VECTOR' }, { first: 2, after });
    paged.push(...titles(page));
    after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
  } while (after !== null);
  expect(paged).toEqual(whole);
});

describe('a selection is read, and nothing else', () => {
  const calls = async (answer: Answer) => (await logLine(server, answer)).calls as Record<string, number>;

  test('ids and scores read no text and keep no ranking', async () => {
    const answer = await server.send('{ search(input: { query: "pump" }) { edges { score node { id } } } }');
    expect(answer.data.search.edges.length).toBeGreaterThan(1);
    const counted = await calls(answer);
    expect(counted.revalidate).toBe(1);
    for (const call of ['chunkTexts', 'texts', 'documentsByIds', 'chunksByIds', 'highlights', 'keep'])
      expect(counted[call]).toBeUndefined();
  });

  test('texts come with the search, their documents in one call for all', async () => {
    const answer = await server.send('{ search(input: { query: "pump" }) { nodes { text document { title } } } }');
    expect(answer.data.search.nodes.length).toBeGreaterThan(1);
    const counted = await calls(answer);
    expect(counted.chunkTexts).toBeUndefined();
    expect(counted.documentsByIds).toBe(1);
  });

  test('a fragment and an alias are seen through, a skipped field is not read', async () => {
    const query = `query($skip: Boolean!) { search(input: { query: "pump" }) { ...Hits } }
      fragment Hits on SearchConnection { edges { node { words: text @skip(if: $skip) id } } }`;
    const read = await server.send(query, { skip: false });
    expect(read.data.search.edges[0].node.words).toEqual(expect.any(String));
    expect((await calls(read)).chunkTexts).toBeUndefined();
    const skipped = await server.send(query, { skip: true });
    expect(skipped.data.search.edges[0].node.words).toBeUndefined();
  });
});

test('all the searches of a request are one embedding request', async () => {
  const fields = ['quick priming', 'slow valves', 'hot coffee', 'worn seals']
    .map(
      (query, i) =>
        `s${i}: search(input: { query: "${query}", mode: ${i % 2 ? 'VECTOR' : 'HYBRID'} }) { nodes { id } }`,
    )
    .join(' ');
  const answer = await server.send(
    `{ ${fields} text: search(input: { query: "words only", mode: TEXT }) { nodes { id } } }`,
  );
  expect(answer.errors).toBeUndefined();
  expect((await logLine(server, answer)).providerCalls).toBe(1);
});

describe('bad questions', () => {
  test.each([
    ['nothing to ask', {}],
    ['a blank query', { query: ' \u00a0\u200b' }],
    ['both query and vector', { query: 'x', vector: [1] }],
    ['a query of 8001 characters', { query: 'x'.repeat(8_001) }],
    ['a vector with another mode', { vector: Array(DIMENSIONS).fill(0.1), mode: 'TEXT' }],
    ['a vector of other dimensions', { vector: [1, 2, 3] }],
    ['a vector beyond float32', { vector: Array(DIMENSIONS).fill(1e39) }],
    ['no hits per document', { query: 'x', maxPerDocument: 0 }],
    ['a similarity above 1', { query: 'x', minSimilarity: 1.5 }],
    ['a key that is not declared', { query: 'x', filter: { metadata: [{ key: 'colour', eq: 'red' }] } }],
    ['a filter value that is an object', { query: 'x', filter: { metadata: [{ key: 'topic', eq: { $ne: '' } }] } }],
    ['null in a filter', { query: 'x', filter: { titles: null } }],
    ['101 titles', { query: 'x', filter: { titles: Array(101).fill('t') } }],
    ['501 values', { query: 'x', filter: { metadata: [{ key: 'topic', in: Array(501).fill('t') }] } }],
    [
      '9 levels',
      { query: 'x', filter: { not: { not: { not: { not: { not: { not: { not: { not: { titles: ['t'] } } } } } } } } } },
    ],
  ])('%s is BAD_USER_INPUT', async (_, input) => {
    expect(await server.error(SEARCH, { input })).toMatchObject({ code: 'BAD_USER_INPUT' });
  });

  test('a blank query costs no embedding call', async () => {
    const answer = await server.send(SEARCH, { input: { query: '\u200b' } });
    expect((await logLine(server, answer)).providerCalls).toBe(0);
  });

  test('a page of nothing is BAD_USER_INPUT', async () => {
    expect(await server.error(SEARCH, { input: { query: 'x' }, first: 0 })).toMatchObject({
      code: 'BAD_USER_INPUT',
      status: 400,
    });
  });

  test('fewer candidates than hits are raised and reported', async () => {
    const { diagnostics } = await search({ query: 'pump', mode: 'VECTOR', numCandidates: 1 });
    expect(diagnostics.numCandidates).toBeGreaterThanOrEqual(10);
  });

  test('a cursor of another search is BAD_USER_INPUT', async () => {
    const page = await search({ query: 'water', mode: 'VECTOR' }, { first: 1 });
    const after = page.pageInfo.endCursor;
    expect(await server.error(SEARCH, { input: { query: 'motor', mode: 'VECTOR' }, after })).toMatchObject({
      code: 'BAD_USER_INPUT',
    });
    const { documents } = await server.data('{ documents(first: 1) { pageInfo { endCursor } } }');
    expect(
      await server.error(SEARCH, { input: { query: 'water' }, after: documents.pageInfo.endCursor }),
    ).toMatchObject({ code: 'BAD_USER_INPUT' });
  });

  test('one failing search leaves its siblings', async () => {
    const { data, errors } = await server.send(
      '{ good: search(input: { query: "pump" }) { nodes { id } } bad: search(input: {}) { nodes { id } } }',
    );
    expect(data.good.nodes.length).toBeGreaterThan(0);
    expect(data.bad).toBeNull();
    expect(errors).toEqual([expect.objectContaining({ path: ['bad'] })]);
  });
});

describe('explanations', () => {
  test('say for each candidate where the legs had it', async () => {
    const { explainSearch } = await server.data(`{ explainSearch(input: { query: "priming a pump" }, first: 2) {
      legs { mode index indexStatus pipeline returned } fusion candidates { chunk { document { title } } scores { fused } vectorRank rank droppedBy }
    } }`);
    expect(explainSearch.legs.map((leg: { mode: string }) => leg.mode).sort()).toEqual(['TEXT', 'VECTOR']);
    expect(explainSearch.candidates[0]).toMatchObject({
      chunk: { document: { title: 'pump' } },
      rank: 1,
      droppedBy: null,
    });
    expect(explainSearch.candidates.filter((c: { droppedBy: string | null }) => c.droppedBy === null)).toHaveLength(2);
  });

  test('say why a document is not among the first', async () => {
    const { document } = await server.data('{ document(by: { title: "coffee" }) { id } }');
    const query = `query($id: ID!, $first: Int!) { whyNot(input: { query: "priming a pump", mode: VECTOR }, documentId: $id, first: $first) { reason detail } }`;
    expect((await server.data(query, { id: document.id, first: 1 })).whyNot).toMatchObject({ reason: 'RANKED_LOWER' });
    expect((await server.data(query, { id: document.id, first: 10 })).whyNot).toMatchObject({ reason: 'IT_IS_A_HIT' });
    expect((await server.data(query, { id: 'none of ours', first: 1 })).whyNot).toBeNull();
    expect((await server.data(query, { id: encodeNodeId('Document', 'b'.repeat(24)), first: 1 })).whyNot).toBeNull();
  });

  test('chunks near a chunk need no embedding call', async () => {
    const { document } = await server.data('{ document(by: { title: "pump" }) { chunks { nodes { id } } } }');
    const query =
      'query($id: ID!) { similarChunks(chunkId: $id, first: 3) { edges { rank node { document { title } } } } }';
    const answer = await server.send(query, { id: document.chunks.nodes[0].id });
    expect(answer.data.similarChunks.edges).toHaveLength(3);
    expect((await logLine(server, answer)).providerCalls).toBe(0);
    expect((await server.data(query, { id: 'none of ours' })).similarChunks).toBeNull();
  });
});
