import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeScope } from '../../src/store/scope.js';
import { startTestPocketAtlas, type TestPocketAtlas } from '../support/pocket-atlas.js';
import { type Harness, me, openHarness } from './harness.js';

/**
 * A search index that lags for seconds: nothing that was deleted, replaced or withdrawn may come back, and a caller finds
 * what it has just written.
 */
const LAG_MS = 2_500;
const MODES = ['VECTOR', 'TEXT', 'HYBRID'] as const;

/** Longer than any test runs: this index never catches up. */
const STANDSTILL_MS = 600_000;

let servers: TestPocketAtlas[];
let harness: Harness;
let standing: Harness;
beforeAll(async () => {
  servers = await Promise.all([LAG_MS, STANDSTILL_MS].map((searchLagMs) => startTestPocketAtlas({ searchLagMs })));
  [harness, standing] = (await Promise.all(servers.map(({ uri }) => openHarness(uri, 'freshness')))) as [
    Harness,
    Harness,
  ];
});
afterAll(async () => {
  await Promise.all([harness?.close(), standing?.close()]);
  await Promise.all((servers ?? []).map((server) => server.stop()));
});

const write = (title: string, text: string, scope = me, to = harness) =>
  to.upsert(scope, { title, text, waitUntil: 'STORED' });

describe.concurrent('while the index lags', () => {
  it('a caller finds what it wrote a moment ago, in every mode, in its place', async () => {
    const scope = makeScope('writer', null);
    await harness.upsert(scope, { title: 'old', text: 'Volcanoes erupt when magma rises.' });
    await write('new', 'Magma chambers feed volcanoes; a volcano is fed by magma.', scope);
    await write('far', 'Accounting rules for small companies.', scope);
    for (const mode of MODES) {
      const { hits, diagnostics } = await harness.search(scope, { query: 'volcanoes fed by magma chambers', mode });
      expect(hits[0]?.text).toContain('Magma chambers');
      expect(hits.map(({ text }) => text)).toContain('Volcanoes erupt when magma rises.');
      expect(diagnostics).toMatchObject({ degraded: [], staleDropped: 0 });
      if (mode === 'VECTOR') expect(hits.at(-1)?.text).toContain('Accounting');
      if (mode === 'TEXT') expect(hits).toHaveLength(2);
    }
  });

  it('an empty index is no reason not to find it', async () => {
    const scope = makeScope('first', null);
    await write('only', 'The tide table of the harbour.', scope, standing);
    for (const mode of MODES) {
      const { hits } = await standing.search(scope, { query: 'tide table', mode }, { needsHighlights: true });
      expect(hits.map(({ text }) => text)).toEqual(['The tide table of the harbour.']);
      if (mode !== 'VECTOR') expect(hits[0]!.highlights[0]).toMatchObject({ start: 0, text: hits[0]!.text });
    }
  });

  it('a caller finds it by another form of its words too, as it will once the index has it', async () => {
    const scope = makeScope('forms', null);
    await write('only', 'Most of the pumps were primed and running.', scope, standing);
    for (const query of ['pump', 'priming', 'How do I run it?']) {
      const { hits } = await standing.search(scope, { query, mode: 'TEXT' }, { needsHighlights: true });
      expect(hits.map(({ chunk, text, highlights }) => [chunk.ordinal, text, highlights.length])).toEqual([
        [0, 'Most of the pumps were primed and running.', 1],
      ]);
    }
  });

  it('never shows what was replaced, deleted, or given to other agents', async () => {
    const scope = makeScope('changer', null);
    const ann = makeScope('changer', ['ann']);
    const text = 'Granite is quarried in the hills.';
    await harness.upsert(scope, { title: 'replaced', text });
    await harness.upsert(scope, { title: 'deleted', text });
    await harness.upsert(scope, { title: 'withdrawn', text, agentIds: ['ann'] });
    await harness.upsert(scope, { title: 'kept', text, agentIds: ['ann'] });
    const seen = await harness.search(ann, { query: 'granite quarried', mode: 'TEXT' });
    expect(seen.hits).toHaveLength(2);
    await write('replaced', 'Marble is polished by hand.', scope);
    await harness.store.deleteDocument(scope, { title: 'deleted' });
    await harness.store.updateAttributes(scope, { title: 'withdrawn' }, { agentIds: ['bob'] });
    for (const mode of MODES) {
      const all = await harness.search(scope, { query: 'granite quarried in the hills', mode });
      expect(all.hits.filter((hit) => hit.text === text)).toHaveLength(2);
      const bound = await harness.search(ann, { query: 'granite quarried in the hills', mode });
      expect(bound.hits.map((hit) => hit.text)).toEqual([text]);
      // The row says bob by now, but the index still answers for ann.
      expect(bound.diagnostics.staleDropped).toBe(1);
    }
  });

  it('a page is still full when enough valid hits exist', async () => {
    const scope = makeScope('refill', null);
    const chunking = { strategy: 'SENTENCE' as const, maxTokens: 16, overlap: 0, contextual: false };
    const sentences = (words: string, document: number) =>
      Array.from({ length: 25 }, (_, index) => `${words}, number ${document * 25 + index}.`).join(' ');
    const put = (document: number, words: string) =>
      harness.upsert(scope, { title: `b${document}`, text: sentences(words, document), chunking });
    await Promise.all([0, 1, 2, 3, 4, 5, 6].map((document) => put(document, 'The stone arches of a bridge')));
    await Promise.all([7, 8, 9].map((document) => put(document, 'Some bridge of wood')));
    // More than the first round of a leg asks for: everything that it returns is gone.
    const doomed = ['b0', 'b1', 'b2', 'b3', 'b4', 'b5', 'b6'];
    await harness.store.deleteDocuments(scope, { titles: doomed }, { dryRun: false });
    for (const mode of MODES) {
      const { hits } = await harness.search(scope, { query: 'stone arches of a bridge', mode, first: 30 });
      expect(hits).toHaveLength(30);
      expect(hits.every(({ text }) => text?.startsWith('Some bridge of wood'))).toBe(true);
    }
  });

  it('whyNot says that the index does not have a document yet, once it is no longer fresh', async () => {
    const scope = makeScope('late', null);
    await write('new', 'The miller lives in the windmill.', scope, standing);
    const document = await standing.store.document(scope, { title: 'new' });
    const aged = { $set: { written_at: new Date(Date.now() - 120_000) } };
    await standing.store.database.chunks.updateMany({ owner: 'late' }, aged);
    for (const mode of MODES) {
      const request = { query: 'windmill', mode, exact: false, rerank: false, first: 10 };
      const options = { needsText: false, needsHighlights: false, needsCursors: false };
      const answer = await standing.retrieve.whyNot(scope, request, document!.id, options);
      expect(answer).toMatchObject({ reason: 'NOT_INDEXED_YET', best: null });
    }
  });

  it('waitUntil SEARCHABLE answers when the index returns the version', async () => {
    const scope = makeScope('waiter', null);
    const started = performance.now();
    const { searchable } = await harness.upsert(scope, { title: 'w', text: 'Weavers work at looms.' });
    expect(searchable).toBe(true);
    expect(performance.now() - started).toBeGreaterThan(LAG_MS / 2);
  });

  it('says OVERLAY_SKIPPED when more was written than can be scored one by one', async () => {
    const scope = makeScope('bulk', null);
    const text = Array.from({ length: 1_100 }, (_, index) => `Sentence ${index} stands alone here.`).join(' ');
    const chunking = { strategy: 'SENTENCE' as const, maxTokens: 10, overlap: 0, contextual: false };
    const { document } = await harness.upsert(scope, { title: 'long', text, chunking, waitUntil: 'SEARCHABLE' });
    expect(document!.chunkCount).toBeGreaterThan(1_000);
    const { hits, diagnostics } = await harness.search(scope, { query: 'sentence 77 stands alone' });
    expect(diagnostics.degraded).toEqual(['OVERLAY_SKIPPED']);
    expect(hits).toHaveLength(10);
  });
});
