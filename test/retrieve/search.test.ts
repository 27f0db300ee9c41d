import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Embedder } from '../../src/embed/embedder.js';
import { AppError } from '../../src/errors.js';
import type { SearchRequest } from '../../src/retrieve/retrieve.js';
import { makeScope } from '../../src/store/scope.js';
import { startTestPocketAtlas, type TestPocketAtlas } from '../support/pocket-atlas.js';
import { type Harness, me, openHarness } from './harness.js';

/** Room for a loaded machine; the tests of a hanging embedder wait for most of it. */
const DEADLINE_MS = 5_000;

let server: TestPocketAtlas;
let harness: Harness;
/** Set by a test to make the embedder fail for questions. */
let failure: AppError | null = null;
let hangs = false;

const TEXTS = {
  cats: 'Cats sleep most of the day and hunt at dusk.',
  rockets: 'Rockets burn fuel to leave the atmosphere.',
  engines: 'Part GZ-4471-Q is a valve of the jet engine.',
  script: 'Call the constructor; avoid __proto__ and toString.',
  chinese: '火箭燃烧燃料离开大气层。',
};

beforeAll(async () => {
  server = await startTestPocketAtlas();
  harness = await openHarness(server.uri, 'search', {
    embedder: (real): Embedder => ({
      ...real,
      embed: async (texts, options) => {
        if (options.kind === 'query' && failure !== null) throw failure;
        if (options.kind === 'query' && hangs) return await new Promise(() => {});
        return await real.embed(texts, options);
      },
    }),
    retrieve: { deadlineMs: DEADLINE_MS },
  });
  for (const [title, text] of Object.entries(TEXTS)) await harness.upsert(me, { title, text });
});
afterAll(async () => {
  await harness?.close();
  await server?.stop();
});

afterEach(() => {
  failure = null;
  hangs = false;
});

const titlesOf = async (result: { hits: readonly { chunk: { documentId: string } }[] }) => {
  const documents = await harness.store.documentsByIds(me, result.hits.map(({ chunk }) => chunk.documentId)); // biome-ignore format: one line
  return documents.map((document) => document?.title);
};

describe('search', () => {
  it.each(['VECTOR', 'TEXT', 'HYBRID'] as const)('finds the passage by %s', async (mode) => {
    const result = await harness.search(me, { query: 'how do rockets leave the atmosphere', mode });
    expect(result.diagnostics).toMatchObject({ mode, degraded: [], staleDropped: 0 });
    expect((await titlesOf(result))[0]).toBe('rockets');
    expect(result.hits[0]?.text).toBe(TEXTS.rockets);
  });

  it('gives each score its one meaning, and null for a leg that did not run', async () => {
    const vector = await harness.search(me, { query: TEXTS.cats, mode: 'VECTOR', first: 1 });
    const { score, scores } = vector.hits[0]!;
    expect(scores).toMatchObject({ text: null, fused: null, rerank: null });
    expect(scores.similarity).toBe(score);
    expect(scores.similarity).toBeCloseTo(1, 5);
    expect(scores.distance).toBeCloseTo(0, 5);
    const text = await harness.search(me, { query: 'cats', mode: 'TEXT' });
    expect(text.hits[0]!.scores).toMatchObject({ similarity: null, distance: null, fused: null });
    expect(text.hits[0]!.score).toBe(text.hits[0]!.scores.text);
    const hybrid = await harness.search(me, { query: TEXTS.cats, mode: 'HYBRID' });
    expect(hybrid.hits[0]!.score).toBe(hybrid.hits[0]!.scores.fused);
    expect(hybrid.hits.map(({ rank }) => rank)).toEqual(hybrid.hits.map((_, index) => index + 1));
  });

  it('finds names and part numbers, and words that are methods of every object', async () => {
    expect(await titlesOf(await harness.search(me, { query: 'GZ-4471-Q', mode: 'TEXT' }))).toEqual(['engines']);
    for (const query of ['constructor', '__proto__', 'toString']) {
      expect(await titlesOf(await harness.search(me, { query, mode: 'TEXT' }))).toEqual(['script']);
    }
  });

  it('stems in the language of the query', async () => {
    const result = await harness.search(me, { query: 'where does the cat hunting take place', mode: 'TEXT' });
    expect((await titlesOf(result))[0]).toBe('cats');
    expect(await titlesOf(await harness.search(me, { query: '燃料', mode: 'TEXT' }))).toEqual(['chinese']);
  });

  it('reads no text when none is selected', async () => {
    const { hits } = await harness.search(me, { query: 'cats', mode: 'HYBRID' }, { needsText: false });
    expect(hits.length).toBeGreaterThan(0);
    expect(hits.every((hit) => !('text' in hit))).toBe(true);
  });

  it('takes a ready-made vector without an embedding call', async () => {
    const [vector] = await harness.store.search
      .vectors(me, await harness.store.activeSpace(), [(await harness.search(me, { query: 'cats', mode: 'TEXT' })).hits[0]!.chunk.id], { deadline: performance.now() + 5_000 }) // biome-ignore format: one call
      .then((vectors) => [...vectors.values()]);
    const before = harness.embedded.length;
    const result = await harness.search(me, { vector: [...vector!] });
    expect(result.diagnostics.mode).toBe('VECTOR');
    expect((await titlesOf(result))[0]).toBe('cats');
    expect(harness.embedded.length).toBe(before);
  });

  it('embeds a repeated question once', async () => {
    await harness.search(me, { query: 'asked twice', mode: 'VECTOR' });
    const before = harness.embedded.length;
    await harness.search(me, { query: 'asked twice', mode: 'VECTOR' });
    expect(harness.embedded.length).toBe(before);
  });

  it('never shows one owner what another has', async () => {
    const other = makeScope('other', null);
    await harness.upsert(other, { title: 'cats', text: 'Cats of another owner sleep too.' });
    for (const mode of ['VECTOR', 'TEXT', 'HYBRID'] as const) {
      const { hits } = await harness.search(other, { query: 'cats sleep', mode });
      expect(hits.map(({ text }) => text)).toEqual(['Cats of another owner sleep too.']);
      const mine = await harness.search(me, { query: 'cats of another owner', mode });
      expect(mine.hits.some(({ text }) => text?.includes('another'))).toBe(false);
    }
  });

  it('answers an owner without chunks with an empty page, whatever state the embedder is in', async () => {
    failure = new AppError('PROVIDER_UNAVAILABLE', 'down');
    const { hits, hasNextPage } = await harness.search(makeScope('nobody', null), { query: 'a new question' });
    expect({ hits, hasNextPage }).toEqual({ hits: [], hasNextPage: false });
  });

  it('drops vector hits below minSimilarity, and keeps every page within maxPerDocument', async () => {
    const all = await harness.search(me, { query: TEXTS.cats, mode: 'VECTOR' });
    const least = all.hits[1]!.score;
    const near = await harness.search(me, { query: TEXTS.cats, mode: 'VECTOR', minSimilarity: least + 1e-6 });
    expect(near.hits.map(({ chunk }) => chunk.id)).toEqual([all.hits[0]!.chunk.id]);
    const text = Array.from({ length: 30 }, (_, index) => `Paragraph ${index} tells of whales and their songs.`);
    const whales = makeScope('whales', null);
    const chunking = { strategy: 'SENTENCE' as const, maxTokens: 16, overlap: 0, contextual: false };
    for (const title of ['a', 'b', 'c']) await harness.upsert(whales, { title, text: text.join('\n\n'), chunking });
    const { hits } = await harness.search(whales, { query: 'songs of whales', maxPerDocument: 2 });
    const counts = new Map<string, number>();
    for (const { chunk } of hits) counts.set(chunk.documentId, (counts.get(chunk.documentId) ?? 0) + 1);
    expect([...counts.values()]).toEqual([2, 2, 2]);
  });
});

describe('numCandidates and exact', () => {
  const diagnosticsOf = async (request: Partial<SearchRequest>) =>
    (await harness.search(me, { query: 'cats', mode: 'VECTOR', ...request })).diagnostics;

  it('reports 20 candidates for each hit, at least 200, raised when lower than needed', async () => {
    expect(await diagnosticsOf({})).toMatchObject({ numCandidates: 200, exact: false });
    expect(await diagnosticsOf({ first: 100 })).toMatchObject({ numCandidates: 2_000 });
    expect((await diagnosticsOf({ numCandidates: 1 })).numCandidates).toBeGreaterThanOrEqual(10);
    expect(await diagnosticsOf({ numCandidates: 50_000 })).toMatchObject({ numCandidates: 10_000 });
  });

  it('answers the live chunks, each once, where more neighbours are asked for than there are', async () => {
    for (const filter of [undefined, { titles: ['cats'] }]) {
      const request = {
        query: 'cats',
        mode: 'VECTOR',
        first: 50,
        numCandidates: 10_000,
        ...(filter && { filter }),
      } as const;
      const result = await harness.search(me, request);
      expect((await titlesOf(result)).sort()).toEqual(filter?.titles ?? Object.keys(TEXTS).sort());
      expect(result.hits.every(({ scores }) => Number.isFinite(scores.similarity))).toBe(true);
    }
  });

  it('is exact when asked, and for a filter that comes down to few documents, never by scope alone', async () => {
    expect(await diagnosticsOf({ exact: true })).toMatchObject({ exact: true, numCandidates: null });
    expect(await diagnosticsOf({ filter: { titles: ['cats'] } })).toMatchObject({ exact: true, numCandidates: null });
    expect(await diagnosticsOf({ filter: { and: [] } })).toMatchObject({ exact: false, numCandidates: 200 });
  });
});

describe('when a part fails', () => {
  it('answers HYBRID from the text leg and says EMBEDDER_UNAVAILABLE, but VECTOR with the provider’s error', async () => {
    failure = new AppError('PROVIDER_UNAVAILABLE', 'the provider is down', { details: { retryable: true } });
    const hybrid = await harness.search(me, { query: 'rockets and fuel', mode: 'HYBRID' });
    const vector = harness.search(me, { query: 'rockets and fuel', mode: 'VECTOR' });
    await expect(vector).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
    expect(hybrid.diagnostics.degraded).toEqual(['EMBEDDER_UNAVAILABLE']);
    expect((await titlesOf(hybrid))[0]).toBe('rockets');
    expect(hybrid.hits[0]!.scores.similarity).toBeNull();
  });

  it('ends within the deadline when the embedder never answers', async () => {
    hangs = true;
    const started = performance.now();
    const hybrid = await harness.search(me, { query: 'fuel of rockets', mode: 'HYBRID' });
    const vector = harness.search(me, { query: 'fuel of rockets', mode: 'VECTOR' });
    await expect(vector).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    expect(performance.now() - started).toBeLessThan(2 * DEADLINE_MS);
    expect(hybrid.diagnostics.degraded).toEqual(['EMBEDDER_UNAVAILABLE']);
  });

  it('says INDEX_NOT_READY instead of nothing when an index is gone, and HYBRID goes on with the other', async () => {
    const own = await openHarness(server.uri, 'dropped');
    await own.upsert(me, { title: 'cats', text: TEXTS.cats });
    await own.search(me, { query: 'cats' });
    await own.store.database.chunks.dropSearchIndex('gazetteer_text');
    const hybrid = await own.search(me, { query: 'cats' });
    expect(hybrid.diagnostics.degraded).toEqual(['TEXT_INDEX_UNAVAILABLE']);
    expect(hybrid.hits).toHaveLength(1);
    await expect(own.search(me, { query: 'cats', mode: 'TEXT' })).rejects.toMatchObject({ code: 'INDEX_NOT_READY' });
    await own.store.database.chunks.dropSearchIndex('gazetteer_vector_s1');
    for (const mode of ['VECTOR', 'TEXT', 'HYBRID'] as const) {
      await expect(own.search(me, { query: 'cats', mode })).rejects.toMatchObject({ code: 'INDEX_NOT_READY' });
    }
    await own.close();
  });

  it('ends when the caller goes away', async () => {
    const reason = new Error('client left');
    await expect(
      harness.search(me, { query: 'never seen before' }, { signal: AbortSignal.abort(reason) }),
    ).rejects.toBe(reason);
  });
});

describe('bad input is refused with BAD_USER_INPUT and costs no embedding call', () => {
  const refused: [string, Partial<SearchRequest>][] = [
    ['no question', {}],
    ['a blank question', { query: ' \u200b \u00a0' }],
    ['8 001 characters', { query: 'x'.repeat(8_001) }],
    ['both query and vector', { query: 'x', vector: [1] }],
    ['a vector of other dimensions', { vector: [1, 2, 3] }],
    ['NaN in the vector', { vector: Array.from({ length: 256 }, () => Number.NaN) }],
    ['a number beyond float32', { vector: Array.from({ length: 256 }, () => 1e300) }],
    ['a zero vector', { vector: Array.from({ length: 256 }, () => 0) }],
    ['a vector with mode TEXT', { vector: Array.from({ length: 256 }, () => 1), mode: 'TEXT' }],
    ['first 0', { query: 'x', first: 0 }],
    ['first 101', { query: 'x', first: 101 }],
    ['maxPerDocument 0', { query: 'x', maxPerDocument: 0 }],
    ['minSimilarity NaN', { query: 'x', minSimilarity: Number.NaN }],
    ['both weights 0', { query: 'x', weights: { vector: 0, text: 0 } }],
    ['a negative weight', { query: 'x', weights: { vector: -1, text: 1 } }],
    ['a NaN weight', { query: 'x', weights: { vector: 1, text: Number.NaN } }],
    ['an undeclared key', { query: 'x', filter: { metadata: [{ key: 'colour', eq: 'red' }] } }],
    ['a made-up cursor', { query: 'x', after: 'abc' }],
  ];
  it.each(refused)('%s', async (_claim, request) => {
    const before = harness.embedded.length;
    await expect(harness.search(me, request)).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
    expect(harness.embedded.length).toBe(before);
  });
});

it('an option of a leg that does not run is ignored, whatever it says', async () => {
  const plain = await harness.search(me, { query: 'rockets', mode: 'TEXT' });
  const odd = await harness.search(me, { query: 'rockets', mode: 'TEXT', minSimilarity: 7, numCandidates: -1 });
  expect(odd.hits.map(({ chunk }) => chunk.id)).toEqual(plain.hits.map(({ chunk }) => chunk.id));
});

describe('an unusual question gets an answer', () => {
  const questions = [
    'x',
    '?!…',
    'the of and',
    '🚀🚀',
    'Raketen 火箭 rockets ракеты',
    '"unbalanced quotes',
    'text:(a AND b) OR [1 TO 2] ~2 ^3 *?\\',
    "'; DROP TABLE chunks; --",
    'ro\u200bckets\u200d',
    'lone \ud800 surrogate and \0 NUL',
    Array.from({ length: 1_500 }, (_, index) => `w${index}`)
      .join(' ')
      .slice(0, 8_000),
    '火箭'.repeat(4_000),
  ];
  it.each(questions.map((query) => [query.slice(0, 30), query] as const))('%s', async (_shown, query) => {
    for (const mode of ['TEXT', 'HYBRID', 'VECTOR'] as const) {
      const result = await harness.search(me, { query, mode }, { needsHighlights: true });
      expect(result.diagnostics.degraded).toEqual([]);
    }
  });
});
