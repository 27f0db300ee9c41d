import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { contractEmbedder } from '../../../src/embed/contract.js';
import { createOpenaiEmbedder, type OpenaiSettings, REQUEST_LIMITS } from '../../../src/embed/openai/openai.js';
import type { Clock } from '../../../src/embed/retry.js';
import { type FakeMode, type FakeOpenai, fakeVector, startFakeOpenai } from '../../support/fake-openai.js';

let fake: FakeOpenai;
beforeAll(async () => {
  fake = await startFakeOpenai();
});
afterAll(() => fake.close());
beforeEach(() => {
  fake.requests.length = 0;
  fake.errorHeaders = {};
  fake.answerWith('ok');
});

/** Never waits: records how long it would have. */
function testClock(): Clock & { waits: number[] } {
  let now = Date.parse('2025-01-01T00:00:00Z');
  const waits: number[] = [];
  return {
    waits,
    now: () => now,
    async sleep(ms, signal) {
      signal.throwIfAborted();
      waits.push(ms);
      now += ms;
    },
    random: () => 1,
  };
}

const embedderFor = (settings: OpenaiSettings = {}) =>
  contractEmbedder(
    createOpenaiEmbedder({ apiKey: 'sk-secret-key', baseUrl: fake.baseUrl, clock: testClock(), ...settings }),
  );
const DOCUMENT = { kind: 'document' } as const;
const TEXTS = ['alpha beta', 'gamma', 'delta epsilon'];

describe('the openai embedder', () => {
  it.each(['ok', 'floats', 'base64', 'reordered', 'unnumbered', 'no-blank', 'strict-path'] as const)(
    'understands a server that answers %s',
    async (mode) => {
      fake.answerWith(mode);
      const vectors = await embedderFor().embed(TEXTS, DOCUMENT);
      for (const [at, text] of TEXTS.entries()) {
        expect(vectors[at]).toHaveLength(1_536);
        for (const [axis, value] of fakeVector(text, 1_536).entries()) expect(vectors[at]![axis]).toBeCloseTo(value, 5);
      }
      expect(fake.requests).toHaveLength(1);
    },
  );

  it.each([
    ['empty-200', 'Expected JSON with 3 vectors, got an empty body'],
    ['not-json', 'Expected JSON with 3 vectors, got something else'],
    ['empty-data', 'Expected 3 vectors, got 0'],
    ['short', 'Expected 3 vectors, got 2'],
    ['repeated', 'Expected each vector once, got number 0 twice'],
    ['narrow', 'Expected 1536 dimensions, got 1535'],
    ['zeros', 'Expected a direction in the vector at index 0, got all zeros'],
  ] as const)('refuses an answer that is %s', async (mode, message) => {
    fake.answerWith(mode);
    await expect(embedderFor().embed(TEXTS, DOCUMENT)).rejects.toMatchObject({
      code: 'PROVIDER_UNAVAILABLE',
      message: expect.stringContaining(message),
      details: { provider: 'openai', reason: 'BAD_ANSWER', retryable: false },
    });
    await expect(embedderFor().embed(TEXTS, DOCUMENT)).rejects.toThrow('text-embedding-3-small');
  });

  it.each([
    ['quota', 'OUT_OF_QUOTA', false, 1],
    ['refused', 'REFUSED_KEY', false, 1],
    ['rate-limited', 'RATE_LIMITED', true, REQUEST_LIMITS.query.attempts],
    ['broken', 'FAILED', true, REQUEST_LIMITS.query.attempts],
  ] as const)('tells %s apart as %s', async (mode, reason, retryable, requests) => {
    fake.answerWith(mode);
    const error = await embedderFor()
      .embed(['alpha'], { kind: 'query' })
      .catch((thrown: unknown) => thrown as Error & { details: object });
    expect(error).toMatchObject({ code: 'PROVIDER_UNAVAILABLE', details: { provider: 'openai', reason, retryable } });
    expect(
      `${(error as Error).message} ${JSON.stringify((error as { details: object }).details)} ${(error as Error).cause}`,
    ).not.toMatch(/sk-|alpha/);
    expect(fake.requests).toHaveLength(requests);
  });

  it('says which key is missing without asking OpenAI', async () => {
    const embedder = contractEmbedder(createOpenaiEmbedder({ apiKey: null, baseUrl: null }));
    await expect(embedder.embed(['alpha'], DOCUMENT)).rejects.toMatchObject({
      code: 'PROVIDER_UNAVAILABLE',
      details: { reason: 'MISSING_KEY', retryable: false },
    });
  });

  it('sends no key to a server of one’s own that needs none', async () => {
    await embedderFor({ apiKey: null }).embed(['alpha'], DOCUMENT);
    expect(fake.requests).toMatchObject([{ authorization: undefined, apiKey: undefined }]);
  });

  it('names the address that did not answer', async () => {
    const embedder = embedderFor({ baseUrl: 'http://127.0.0.1:9/v1' });
    await expect(embedder.embed(['alpha'], { kind: 'query' })).rejects.toMatchObject({
      details: { reason: 'UNREACHABLE', retryable: true },
      message: expect.stringContaining('http://127.0.0.1:9/v1/embeddings'),
    });
  });

  it.each(['', '/', '/v1', '/v1/', '/v1/embeddings', '/v1/embeddings/', '//v1//'])(
    'finds /v1/embeddings from a base URL that ends in %j',
    async (ending) => {
      fake.answerWith('strict-path');
      await embedderFor({ baseUrl: fake.origin + ending }).embed(['alpha'], DOCUMENT);
      expect(fake.requests).toMatchObject([{ path: '/v1/embeddings', query: '', status: 200 }]);
    },
  );

  it.each(['', '/', '/embeddings'])(
    'keeps Azure’s query string behind a deployment that ends in %j',
    async (ending) => {
      fake.answerWith('azure');
      const baseUrl = `${fake.origin}/openai/deployments/x${ending}?api-version=2024-10-21`;
      await embedderFor({ baseUrl }).embed(['alpha'], DOCUMENT);
      expect(fake.requests).toMatchObject([
        {
          path: '/openai/deployments/x/embeddings',
          query: '?api-version=2024-10-21',
          status: 200,
          apiKey: 'sk-secret-key',
        },
      ]);
    },
  );

  it('names the URL and the status when the path is wrong', async () => {
    fake.answerWith('strict-path');
    const embedder = embedderFor({ baseUrl: `${fake.origin}/other?key=hidden` });
    await expect(embedder.embed(['alpha'], DOCUMENT)).rejects.toMatchObject({
      message: expect.stringMatching(/http:\/\/127\.0\.0\.1:\d+\/other\/embeddings answered 404/),
      details: { reason: 'REJECTED', status: 404 },
    });
    await expect(embedder.embed(['alpha'], DOCUMENT)).rejects.not.toThrow('hidden');
  });

  it.each(['stall', 'stall-body'] as const)('gives up on a server that makes it %s', async (mode: FakeMode) => {
    fake.answerWith(mode);
    const limits = { query: { ...REQUEST_LIMITS.query, timeoutMs: 50, attempts: 2 } };
    await expect(embedderFor({ limits }).embed(['alpha'], { kind: 'query' })).rejects.toMatchObject({
      code: 'DEADLINE_EXCEEDED',
      details: { provider: 'openai', retryable: true },
    });
    expect(fake.requests).toHaveLength(2);
  });

  it('ends at once when the caller aborts, with the caller’s reason', async () => {
    fake.answerWith('stall');
    const stop = new AbortController();
    const embedding = embedderFor().embed(['alpha'], { ...DOCUMENT, signal: stop.signal });
    await expect.poll(() => fake.requests.length).toBe(1);
    stop.abort(new Error('changed my mind'));
    await expect(embedding).rejects.toThrow('changed my mind');
  });

  it('calls a caller’s time limit a deadline', async () => {
    fake.answerWith('stall');
    const embedding = embedderFor().embed(['alpha'], { kind: 'query', signal: AbortSignal.timeout(30) });
    await expect(embedding).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
  });

  it.each([
    ['7', [7_000]],
    ['0.5', [500]],
    ['Wed, 01 Jan 2025 00:00:09 GMT', [9_000]],
    // not believable: its own back-off
    ['-5', [500]],
    ['0', [500]],
    ['Mon, 01 Jan 2001 00:00:00 GMT', [500]],
    ['soon', [500]],
    ['1e12', [500]],
  ])('after 429 with retry-after %j waits %j ms', async (retryAfter, waits) => {
    const clock = testClock();
    fake.errorHeaders = { 'retry-after': retryAfter };
    fake.answerWith('rate-limited', 'ok');
    await embedderFor({ clock }).embed(['alpha'], DOCUMENT);
    expect(clock.waits).toEqual(waits);
  });

  it('does not begin a wait that passes its deadline', async () => {
    const clock = testClock();
    fake.errorHeaders = { 'retry-after': '1800' };
    fake.answerWith('rate-limited');
    await expect(embedderFor({ clock }).embed(['alpha'], DOCUMENT)).rejects.toMatchObject({
      details: { reason: 'RATE_LIMITED', retryAfterSeconds: 1_800 },
    });
    expect([clock.waits, fake.requests.length]).toEqual([[], 1]);
  });

  it('backs off longer each time', async () => {
    const clock = testClock();
    fake.answerWith('broken');
    await expect(embedderFor({ clock }).embed(['alpha'], DOCUMENT)).rejects.toMatchObject({
      details: { reason: 'FAILED' },
    });
    expect(clock.waits).toEqual([500, 1_000, 2_000, 4_000, 8_000]);
  });

  it('spreads many texts over bounded batches and keeps their order', async () => {
    const texts = Array.from({ length: 5_000 }, (_, at) => `text number ${at}`);
    const vectors = await embedderFor({ dimensions: 8 }).embed(texts, DOCUMENT);
    expect(fake.requests.every(({ inputs }) => inputs.length <= 2_048)).toBe(true);
    expect(fake.requests.flatMap(({ inputs }) => inputs)).toHaveLength(5_000);
    for (const at of [0, 2_047, 2_048, 4_999]) expect(vectors[at]![3]).toBeCloseTo(fakeVector(texts[at]!, 8)[3]!, 5);
  });

  it('asks for fewer dimensions where the model can shorten its vectors, and only then', async () => {
    await embedderFor({ dimensions: 256 }).embed(['alpha'], DOCUMENT);
    await embedderFor({ dimensions: 1_536 }).embed(['alpha'], DOCUMENT);
    expect(fake.requests.map(({ dimensions }) => dimensions)).toEqual([256, undefined]);
  });

  it('halves a batch that the server calls too large', async () => {
    fake.answerWith('small-batches');
    const texts = Array.from({ length: 40 }, (_, at) => `text ${at}`);
    const seen: number[] = [];
    const vectors = await embedderFor({ dimensions: 8 }).embed(texts, { ...DOCUMENT, onVector: (at) => seen.push(at) });
    expect(vectors).toHaveLength(40);
    expect(seen.sort((a, b) => a - b)).toEqual(texts.map((_, at) => at));
    expect(fake.requests.filter(({ status }) => status === 200).every(({ inputs }) => inputs.length <= 16)).toBe(true);
  });

  it('hands over the vectors that arrived before a batch failed', async () => {
    fake.answerWith('ok', 'ok', 'quota');
    const texts = Array.from({ length: 160 }, (_, at) => `text ${at}`);
    const seen = new Set<number>();
    await expect(
      embedderFor({ dimensions: 8 }).embed(texts, { ...DOCUMENT, onVector: (at) => seen.add(at) }),
    ).rejects.toMatchObject({ details: { reason: 'OUT_OF_QUOTA' } });
    expect(seen.size).toBe(80);
  });
});

describe('settings of the openai embedder', () => {
  it.each([
    [{ model: 'some-model' }, /EMBEDDING_DIMENSIONS/],
    [{ model: 'text-embedding-3-small', dimensions: 3_072 }, /at most 1536/],
    [{ model: 'text-embedding-ada-002', dimensions: 512 }, /Expected 1536 dimensions/],
    [{ baseUrl: 'ftp://host/v1' }, /OPENAI_BASE_URL/],
    [{ baseUrl: 'http://user:secret@host/v1' }, /without credentials/],
  ] as const)('%j are refused', (settings, message) => {
    expect(() => createOpenaiEmbedder(settings)).toThrow(message);
    expect(() => createOpenaiEmbedder(settings)).toThrowError(expect.objectContaining({ code: 'BAD_USER_INPUT' }));
  });

  it.each([
    [{}, 1_536, 8_191],
    [{ model: 'text-embedding-3-large' }, 3_072, 8_191],
    [{ model: 'nomic-embed-text:latest' }, 768, 1_536],
    [{ model: 'BAAI/bge-m3' }, 1_024, 6_144],
    [{ model: 'some-model', dimensions: 100 }, 100, 8_191],
  ])('%j make a space of %i dimensions and %i tokens', (settings, dimensions, maxInputTokens) => {
    expect(createOpenaiEmbedder(settings).space).toMatchObject({ dimensions, maxInputTokens, similarity: 'cosine' });
  });
});
