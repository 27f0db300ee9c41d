import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FakeOpenai, startFakeOpenai } from '../support/fake-openai.js';
import { startTestServer, type TestServer, upsert } from './server.js';

/** A provider that misbehaves, seen from the API: typed errors, the version before served, text hits where they can be. */
let fake: FakeOpenai;
let server: TestServer;
beforeAll(async () => {
  fake = await startFakeOpenai({ dimensions: 64 });
  server = await startTestServer({
    EMBEDDING_PROVIDER: 'openai',
    EMBEDDING_MODEL: 'fake',
    EMBEDDING_DIMENSIONS: '64',
    OPENAI_API_KEY: 'sk-secret-of-the-test',
    OPENAI_BASE_URL: fake.baseUrl,
  });
  await upsert(server, { title: 'kept', text: 'alpha beta' });
});
afterAll(async () => {
  await server.stop();
  await fake.close();
});

const SEARCH = `query($query: String!, $mode: SearchMode!) {
  search(input: { query: $query, mode: $mode }) { nodes { document { title } } edges { scores { similarity } } diagnostics { degraded } }
}`;

test.each(['floats', 'base64', 'ok', 'reordered'] as const)('vectors sent as %s are understood', async (mode) => {
  fake.answerWith(mode);
  await upsert(server, { title: mode, text: `gamma ${mode}` });
  const { search } = await server.data(SEARCH, { query: `gamma ${mode}`, mode: 'VECTOR' });
  expect(search.nodes[0].document.title).toBe(mode);
  expect(search.edges[0].scores.similarity).toBeGreaterThan(0.99);
});

describe.each(['empty-200', 'empty-data', 'short', 'narrow', 'not-json', 'refused', 'quota'] as const)(
  'an answer of %s',
  (mode) => {
    test('fails an upsert with a typed error, and leaves what was there', async () => {
      fake.answerWith(mode);
      const { errors, data } = await server.send(
        'mutation($t: String!) { upsertDocument(input: { title: "kept", text: $t }) { outcome } }',
        { t: `other text for ${mode}` },
      );
      expect(data).toEqual({ upsertDocument: null });
      expect(errors).toEqual([
        expect.objectContaining({ extensions: expect.objectContaining({ code: 'PROVIDER_UNAVAILABLE' }) }),
      ]);
      expect(JSON.stringify(errors)).not.toMatch(/sk-secret|other text/);
      const { document } = await server.data('{ document(by: { title: "kept" }) { text version status lastError } }');
      expect(document).toMatchObject({
        text: 'alpha beta',
        version: 1,
        status: 'READY',
        lastError: expect.any(String),
      });
    });

    test('fails a VECTOR search, and leaves HYBRID its words', async () => {
      fake.answerWith(mode);
      expect(await server.error(SEARCH, { query: `alpha ${mode}`, mode: 'VECTOR' })).toMatchObject({
        code: 'PROVIDER_UNAVAILABLE',
      });
      fake.answerWith(mode);
      const { search } = await server.data(SEARCH, { query: `alpha beta ${mode}`, mode: 'HYBRID' });
      expect(search.nodes[0].document.title).toBe('kept');
      expect(search.diagnostics.degraded).toEqual(['EMBEDDER_UNAVAILABLE']);
    });
  },
);

test('blank pieces are never sent', async () => {
  fake.answerWith('no-blank');
  const { outcome } = await upsert(server, { title: 'blank', text: 'Alpha.\n\n\u00a0\u200b\n\nOmega.' });
  expect(outcome).toBe('CREATED');
  expect(fake.requests.every((request) => request.blank === 0)).toBe(true);
});

test('an endpoint that never answers ends in time: HYBRID by its words, VECTOR with DEADLINE_EXCEEDED', async () => {
  fake.answerWith('stall');
  const [hybrid, vector] = await Promise.all([
    server.data(SEARCH, { query: 'alpha stalled', mode: 'HYBRID' }),
    server.error(SEARCH, { query: 'beta stalled', mode: 'VECTOR' }),
  ]);
  expect(hybrid.search.nodes[0].document.title).toBe('kept');
  expect(hybrid.search.diagnostics.degraded).toEqual(['EMBEDDER_UNAVAILABLE']);
  expect(vector).toMatchObject({ code: 'DEADLINE_EXCEEDED' });
});

test('a client that leaves frees what its request held, and is logged', async () => {
  fake.answerWith('stall');
  const leaving = new AbortController();
  const body = JSON.stringify({ query: SEARCH, variables: { query: 'never mind', mode: 'VECTOR' } });
  const headers = { 'content-type': 'application/json', 'x-request-id': 'the-one-that-leaves' };
  const response = fetch(server.url, { method: 'POST', body, headers, signal: leaving.signal });
  await expect.poll(() => fake.requests.some((request) => request.inputs.includes('never mind'))).toBe(true);
  leaving.abort();
  await expect(response).rejects.toThrow();
  const inFlight = async () => /in_flight (\d+)/.exec(await (await fetch(new URL('/metrics', server.url))).text())?.[1];
  // the request that asks is one
  await expect.poll(inFlight, { timeout: 5_000 }).toBe('1');
  await expect
    .poll(() => server.log.some((line) => line.requestId === 'the-one-that-leaves'), { timeout: 5_000 })
    .toBe(true);
});

test('no log line holds the key', () => expect(JSON.stringify(server.log)).not.toContain('sk-secret'));
