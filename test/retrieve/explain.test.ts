import { EJSON } from 'bson';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SearchRequest } from '../../src/retrieve/retrieve.js';
import { makeScope } from '../../src/store/scope.js';
import { startTestPocketAtlas, type TestPocketAtlas } from '../support/pocket-atlas.js';
import { type Harness, me, openHarness } from './harness.js';

let server: TestPocketAtlas;
let harness: Harness;
/** Texts that differ enough for no two scores of a leg to be equal: ties are ordered by id here, by position there. */
const COUNT = 30;

beforeAll(async () => {
  server = await startTestPocketAtlas();
  harness = await openHarness(server.uri, 'explain', { filterable: { shelf: 'number' } });
  await Promise.all(
    Array.from({ length: COUNT }, (_, index) =>
      harness.upsert(me, {
        title: `d${index}`,
        text: `${'oak '.repeat(index % 5)}${index % 3 === 0 ? 'timber' : 'wood'} beam ${index} of the barn${' plank'.repeat(index)}.`,
        metadata: { shelf: index },
        waitUntil: 'STORED',
      }),
    ),
  );
  await harness.upsert(me, { title: 'last', text: 'An unrelated remark on tides.' });
});
afterAll(async () => {
  await harness?.close();
  await server?.stop();
});

const options = { needsText: false, needsHighlights: false, needsCursors: false };
const defaults = { exact: false, rerank: false, first: 10 };
const explain = (request: Partial<SearchRequest>) =>
  harness.retrieve.explainSearch(me, { ...defaults, ...request }, options);
const whyNot = async (request: Partial<SearchRequest>, title: string, scope = me) => {
  const document = await harness.store.document(me, { title });
  return await harness.retrieve.whyNot(scope, { ...defaults, ...request }, document!.id, options);
};

describe('explainSearch', () => {
  it('shows the legs as they were sent, without the vector, and what they returned', async () => {
    const { legs, fusion } = await explain({ query: 'oak timber beams' });
    expect(legs.map(({ mode, index, indexStatus }) => [mode, index, indexStatus])).toEqual([
      ['VECTOR', 'gazetteer_vector_s1', 'READY'],
      ['TEXT', 'gazetteer_text', 'READY'],
    ]);
    expect(legs[0]!.returned).toBe(COUNT + 1);
    expect(legs[0]!.pipeline[0]).toMatchObject({
      $vectorSearch: { queryVector: '<elided>', numCandidates: 200, limit: 60 },
    });
    expect(legs[1]!.pipeline[0]).toMatchObject({ $search: { compound: { filter: [{ equals: { path: 'owner', value: 'me' } }] } } }); // biome-ignore format: one call
    expect(fusion).toMatch(/normalised scores.*text 1/);
  });

  it('ranks as search does, and says what dropped each candidate', async () => {
    const request = { query: 'oak timber beams', first: 5, minSimilarity: 0.5 };
    const { hits } = await harness.search(me, request);
    const { candidates } = await explain(request);
    const shown = candidates.filter(({ droppedBy }) => droppedBy === null);
    expect(shown.map(({ chunk }) => chunk.id)).toEqual(hits.map(({ chunk }) => chunk.id));
    expect(shown.map(({ rank }) => rank)).toEqual([1, 2, 3, 4, 5]);
    expect(new Set(candidates.map(({ droppedBy }) => droppedBy))).toContain('NOT_IN_TOP');
    const strict = await explain({ ...request, mode: 'VECTOR', minSimilarity: hits[0]!.scores.similarity! });
    expect(strict.candidates.filter(({ droppedBy }) => droppedBy === 'BELOW_MIN_SIMILARITY').length).toBeGreaterThan(0);
  });

  it('prints a $rankFusion pipeline that runs when pasted, and gives the order of the search', async () => {
    for (const weights of [
      { vector: 1, text: 1 },
      { vector: 0.3, text: 1 },
      { vector: 2, text: 0.5 },
    ]) {
      for (const query of ['oak timber beams', 'wood of the barn', 'beam 7']) {
        const request = { query, weights, filter: { metadata: [{ key: 'shelf', lt: 25 }] } };
        const { rankFusionPipeline, candidates } = await explain(request);
        const pasted = EJSON.parse(JSON.stringify(rankFusionPipeline)) as Record<string, unknown>[];
        const rows = await server.db('explain').collection('chunks').aggregate(pasted).toArray();
        const ids = candidates.filter(({ rank }) => rank !== null).map(({ chunk }) => chunk.id);
        expect(rows.map(({ _id }) => _id.toHexString())).toEqual(ids.slice(0, rows.length));
        expect(rows[0]!.score).toBeCloseTo(candidates[0]!.scores.fused!, 10);
      }
    }
  });

  it('prints plain JSON, without values that a shell would not know', async () => {
    const { rankFusionPipeline, fusion } = await explain({ query: 'oak', weights: { vector: 1, text: 1 } });
    expect(fusion).toMatch(/reciprocal rank fusion.*60/);
    expect(JSON.parse(JSON.stringify(rankFusionPipeline))).toEqual(rankFusionPipeline);
  });

  it('prints none for a search that is not fused by reciprocal rank', async () => {
    expect((await explain({ query: 'oak' })).rankFusionPipeline).toBeNull();
    expect((await explain({ query: 'oak', mode: 'TEXT' })).rankFusionPipeline).toBeNull();
  });
});

describe('whyNot', () => {
  it('knows a hit, and one that is ranked lower with its rank', async () => {
    const { hits } = await harness.search(me, { query: 'oak timber beams', first: 3 });
    const [first] = await harness.store.documentsByIds(me, [hits[0]!.chunk.documentId]);
    expect(await whyNot({ query: 'oak timber beams', first: 3 }, first!.title)).toMatchObject({
      reason: 'IT_IS_A_HIT',
      best: { rank: 1, droppedBy: null },
    });
    const lower = await whyNot({ query: 'oak timber beams', first: 3 }, 'last');
    expect(lower).toMatchObject({ reason: 'RANKED_LOWER', best: { droppedBy: 'NOT_IN_TOP' } });
    expect(lower!.detail).toMatch(/ranks \d+/);
  });

  it('knows the filter, the threshold, and a word that is not there', async () => {
    const excluded = { query: 'oak', filter: { metadata: [{ key: 'shelf', gt: 10 }] } };
    expect((await whyNot(excluded, 'd3'))!.reason).toBe('EXCLUDED_BY_FILTER');
    const strict = await whyNot({ query: 'oak timber beams', mode: 'VECTOR', minSimilarity: 0.99 }, 'last');
    expect(strict).toMatchObject({ reason: 'BELOW_MIN_SIMILARITY', best: { droppedBy: 'BELOW_MIN_SIMILARITY' } });
    expect((await whyNot({ query: 'oak timber', mode: 'TEXT' }, 'last'))!.reason).toBe('NOT_A_CANDIDATE');
  });

  it('is null for a document that is not in scope', async () => {
    expect(await whyNot({ query: 'oak' }, 'd1', makeScope('other', null))).toBeNull();
  });
});

describe('similarChunks', () => {
  it('finds the neighbours of a chunk, not itself, without an embedding call', async () => {
    const { hits } = await harness.search(me, { query: 'oak timber beams', first: 1 });
    const before = harness.embedded.length;
    const request = { first: 5, filter: { metadata: [{ key: 'shelf', lt: 30 }] } };
    const similar = await harness.retrieve.similarChunks(me, hits[0]!.chunk.id, request, options);
    expect(similar!.hits).toHaveLength(5);
    expect(similar!.hits.map(({ chunk }) => chunk.id)).not.toContain(hits[0]!.chunk.id);
    const scores = similar!.hits.map(({ score }) => score);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    expect(harness.embedded.length).toBe(before);
  });

  it('is null for a chunk that is not in scope or not there', async () => {
    const { hits } = await harness.search(me, { query: 'oak', first: 1 });
    for (const [scope, id] of [
      [makeScope('other', null), hits[0]!.chunk.id],
      [me, 'f'.repeat(24)],
      [me, 'x'],
    ] as const) {
      // biome-ignore format: table
      expect(await harness.retrieve.similarChunks(scope, id, { first: 5 }, options)).toBeNull();
    }
  });
});

describe('highlights', () => {
  it('are pieces of the text at their exact offsets, around the words that matched', async () => {
    const long = [
      'The harbour was built of granite.',
      'Nobody remembers who paid for it, or when the first ship came in.',
      'Granite blocks were carried on barges; the granite came from the hills.',
    ].join(' ');
    const { document } = await harness.upsert(me, { title: 'granite', text: long });
    for (const mode of ['TEXT', 'HYBRID'] as const) {
      const request = { query: 'granite barges', mode, filter: { ids: [document!.id] } };
      const { hits } = await harness.search(me, request, { needsHighlights: true, needsText: false });
      const { highlights } = hits[0]!;
      expect(highlights.length).toBeGreaterThan(0);
      for (const { text, start, end } of highlights) {
        expect(long.slice(start, end)).toBe(text);
        expect(text.toLowerCase()).toMatch(/granite|barges/);
      }
    }
    const vector = await harness.search(me, { query: 'granite', mode: 'VECTOR' }, { needsHighlights: true });
    expect(vector.hits.every(({ highlights }) => highlights.length === 0)).toBe(true);
  });
});
