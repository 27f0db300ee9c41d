import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createChatReranker, parseOrder } from '../../../src/retrieve/rerank/chat-reranker.js';
import { createHttpReranker, scoresOf } from '../../../src/retrieve/rerank/http-reranker.js';
import { reorder } from '../../../src/retrieve/rerank/reorder.js';
import type { ChunkRecord } from '../../../src/store/records.js';

/** A local endpoint that answers as the test says, and remembers what it was sent. */
let server: Server;
let url: string;
let answer: { status?: number; body: string; delayMs?: number };
let received: { path: string; authorization: string | undefined; body: Record<string, unknown> };

beforeAll(async () => {
  server = createServer(async (request, response) => {
    received = {
      path: request.url!,
      authorization: request.headers.authorization,
      body: JSON.parse(await bodyOf(request)),
    };
    if (answer.delayMs === undefined) response.writeHead(answer.status ?? 200).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString();
}

const never = new AbortController().signal;
const texts = ['a text on cats', 'a text on dogs', 'a text on cows'];

describe('an HTTP reranker', () => {
  const shapes = [
    ['cohere', { results: [{ index: 2, relevance_score: 0.9 }, { index: 0, relevance_score: 0.5 }, { index: 1, relevance_score: 0.1 }] }, 'documents'], // biome-ignore format: table
    ['jina', { results: [{ index: 2, relevance_score: 0.9 }, { index: 0, relevance_score: 0.5 }, { index: 1, relevance_score: 0.1 }] }, 'documents'], // biome-ignore format: table
    ['vllm', { results: [{ index: 2, relevance_score: 0.9, document: {} }, { index: 0, relevance_score: 0.5 }, { index: 1, relevance_score: 0.1 }] }, 'documents'], // biome-ignore format: table
    ['voyage', { data: [{ index: 2, relevance_score: 0.9 }, { index: 0, relevance_score: 0.5 }, { index: 1, relevance_score: 0.1 }] }, 'documents'], // biome-ignore format: table
    ['tei', [{ index: 2, score: 0.9 }, { index: 0, score: 0.5 }, { index: 1, score: 0.1 }], 'texts'], // biome-ignore format: table
  ] as const;
  it.each(shapes)('speaks %s', async (dialect, body, field) => {
    answer = { body: JSON.stringify(body) };
    const reranker = createHttpReranker({ dialect, url: `${url}/v1/`, model: 'm', apiKey: 'secret' });
    expect(await reranker.rerank('cows', texts, never)).toEqual([0.5, 0.1, 0.9]);
    expect(received).toMatchObject({ path: '/v1/rerank', authorization: 'Bearer secret', body: { query: 'cows', [field]: texts } }); // biome-ignore format: one call
  });

  const broken: [string, typeof answer, RegExp][] = [
    ['a status that is no success', { status: 429, body: '{}' }, /status 429/],
    ['an empty body', { body: '' }, /empty body/],
    ['a page instead of JSON', { body: '<html>' }, /not JSON/],
    ['too few scores', { body: '{"results":[{"index":0,"relevance_score":1}]}' }, /expected 3 scores, got 1/],
    ['an index beyond the list', { body: '[{"index":3,"score":1}]' }, /index from 0 to 2, got 3/],
    ['a score that is no number', { body: '[{"index":0,"score":null}]' }, /finite score/],
    ['no list', { body: '{"error":"x"}' }, /list of scores/],
  ];
  it.each(broken)('refuses %s', async (_claim, given, message) => {
    answer = given;
    const reranker = createHttpReranker({ dialect: 'jina', url, apiKey: 'secret' });
    const error = await reranker.rerank('q', texts, never).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'PROVIDER_UNAVAILABLE', message: expect.stringMatching(message) });
    expect(JSON.stringify(error) + (error as Error).message).not.toMatch(/secret|cats/);
  });

  it('ends with the deadline when the endpoint never answers', async () => {
    answer = { body: '', delayMs: Number.POSITIVE_INFINITY };
    const reranker = createHttpReranker({ dialect: 'tei', url });
    await expect(reranker.rerank('q', texts, AbortSignal.timeout(50))).rejects.toMatchObject({
      code: 'DEADLINE_EXCEEDED',
    });
  });

  it('needs a URL where the provider has none of its own', () => {
    expect(() => createHttpReranker({ dialect: 'tei' })).toThrow(/needs a URL/);
  });

  it('takes scores in any order', () => {
    expect(scoresOf([{ index: 1, score: -3 }, { index: 0, score: 2 }], 2)).toEqual([2, -3]); // biome-ignore format: one line
  });
});

describe('a chat model as reranker', () => {
  it('is shown numbered passages and scores fall in the order that it gives', async () => {
    answer = { body: JSON.stringify({ choices: [{ message: { content: '[3] > [1] > [2]' } }] }) };
    const scores = await createChatReranker({ url: `${url}/v1`, model: 'm' }).rerank('cows', texts, never);
    expect(received.path).toBe('/v1/chat/completions');
    expect(JSON.stringify(received.body)).toContain('[3] a text on cows');
    expect(scores[2]!).toBeGreaterThan(scores[0]!);
    expect(scores[0]!).toBeGreaterThan(scores[1]!);
  });

  it.each([
    ['[2] > [2] > [9] > [0] > [1]', [1, 0, 2]],
    ['2, 3', [1, 2, 0]],
    ['The best is [3].', [2, 0, 1]],
  ])('reads %s', (content, order) => {
    expect(parseOrder(content, 3)).toEqual(order);
  });

  it('is refused when it names no passage', () => {
    expect(() => parseOrder('I cannot rank these.', 3)).toThrow(/did not name any passage/);
  });
});

describe('reordering', () => {
  const hit = (id: string, score: number) => ({
    id,
    score,
    scores: { similarity: null, distance: null, text: score, fused: null, rerank: null },
    vectorRank: null,
    textRank: 1,
    chunk: {} as ChunkRecord,
    text: id,
  });
  it('moves the best by their new scores, keeps the rest behind, and lets scores fall throughout', () => {
    const hits = reorder([hit('a', 9), hit('b', 8), hit('c', 7), hit('d', 6)], [0.1, 0.7, 0.1]);
    expect(hits.map(({ id }) => id)).toEqual(['b', 'a', 'c', 'd']);
    expect(hits.map(({ scores }) => scores.rerank)).toEqual([0.7, 0.1, 0.1, null]);
    const scores = hits.map(({ score }) => score);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
  });
});
