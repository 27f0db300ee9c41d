import { ObjectId } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeScope } from '../../src/store/scope.js';
import { NO_FILTER } from '../../src/store/search/search-store.js';
import { startTestPocketAtlas, type TestPocketAtlas } from '../support/pocket-atlas.js';
import { type Harness, openHarness } from './harness.js';

/** More rows than the deepest leg of a small page asks for, and enough for their document to be stored in steps. */
const STAGED = 1_200;
const MODES = ['VECTOR', 'TEXT', 'HYBRID'] as const;

let server: TestPocketAtlas;
let harness: Harness;
beforeAll(async () => {
  server = await startTestPocketAtlas();
  harness = await openHarness(server.uri, 'while-stored');
});
afterAll(async () => {
  await harness?.close();
  await server?.stop();
});

describe('while a large document is being stored that matches better than all others', () => {
  it('a page is full of what is there, and has nothing of it before it is whole', async () => {
    const scope = makeScope('me', null);
    const old = Array.from({ length: 20 }, (_, index) => `The valve of the cold pump in house ${index}.`);
    await Promise.all(old.map((text, index) => harness.upsert(scope, { title: `house ${index}`, text })));
    const text = Array.from({ length: STAGED }, (_, index) => `A valve, a valve, a valve ${index}.`).join(' ');
    const chunking = { strategy: 'SENTENCE' as const, maxTokens: 16, overlap: 0, contextual: false };

    const { staged, flip } = holdFlip(harness);
    const storing = harness.upsert(scope, { title: 'valves', text, chunking });
    await staged;
    await untilIndexed(scope, STAGED);
    const dropped: number[] = [];
    for (const mode of MODES) {
      const { hits, diagnostics } = await harness.search(scope, { query: 'a valve', mode });
      expect(hits, mode).toHaveLength(10);
      expect(hits.every((hit) => old.includes(hit.text ?? ''))).toBe(true);
      dropped.push(diagnostics.staleDropped);
    }
    // The first search meets it in vain, the others pass it over from the start.
    expect(dropped).toEqual([expect.any(Number), 0, 0]);
    expect(dropped[0]).toBeGreaterThan(0);
    flip();
    expect((await storing).document?.chunkCount).toBe(STAGED);
    const { hits } = await harness.search(scope, { query: 'a valve', mode: 'TEXT' });
    expect(hits.every((hit) => hit.text?.startsWith('A valve'))).toBe(true);
  });

  it('a page is full too when its text was replaced by another, and its rows of before are still there', async () => {
    const scope = makeScope('replacer', null);
    const old = Array.from({ length: 20 }, (_, index) => `The valve of the cold pump in house ${index}.`);
    await Promise.all(old.map((text, index) => harness.upsert(scope, { title: `house ${index}`, text })));
    const chunking = { strategy: 'SENTENCE' as const, maxTokens: 16, overlap: 0, contextual: false };
    const sentences = (words: string) => Array.from({ length: STAGED }, (_, index) => `${words} ${index}.`).join(' ');
    await harness.upsert(scope, { title: 'long', text: sentences('A valve, a valve, a valve'), chunking });
    await harness.upsert(scope, { title: 'long', text: sentences('Some owls hunt at night'), chunking });
    for (const mode of MODES) {
      const { hits } = await harness.search(scope, { query: 'a valve', mode });
      expect(hits, mode).toHaveLength(10);
      expect(hits.filter((hit) => old.includes(hit.text ?? '')).length, mode).toBe(10);
    }
  });
});

it('of an owner those documents are passed over that are stored for the first time, by a job too, or removed', async () => {
  const { search, database } = harness.store;
  const scope = makeScope('storer', null);
  await harness.upsert(scope, { title: 'there', text: 'A valve.' });
  const row = (await database.documents.findOne({ owner: 'storer' }))!;
  const [byJob, again, removed, others] = Array.from({ length: 4 }, () => new ObjectId()) as [ObjectId, ...ObjectId[]];
  const attempt = { id: 'attempt', at: new Date() };
  await database.documents.insertMany([
    { ...row, _id: byJob, title_key: 'by a job', version: 0, attempt },
    { ...row, _id: again!, title_key: 'again', version: 1, attempt },
    { ...row, _id: others!, owner: 'other', version: 0, attempt },
  ]);
  await database.cleanups.insertOne({ _id: removed!, owner: 'storer', attempt: null, at: new Date() });
  const unseen = await search.unseenDocuments(scope, { deadline: performance.now() + 10_000 });
  expect(new Set(unseen)).toEqual(new Set([byJob, removed].map(String)));
});

/** The step that makes a new document visible waits: `staged` resolves when all before it is done. */
function holdFlip({ store }: Harness): { staged: Promise<void>; flip: () => void } {
  const { documents } = store.database;
  const insertOne = documents.insertOne.bind(documents);
  let flip = () => {};
  const released = new Promise<void>((resolve) => {
    flip = resolve;
  });
  const staged = new Promise<void>((resolve) => {
    documents.insertOne = async (...args) => {
      resolve();
      await released;
      return await insertOne(...args);
    };
  });
  return { staged, flip };
}

/** Resolves when both indexes return so many rows that match. */
async function untilIndexed(scope: ReturnType<typeof makeScope>, rows: number): Promise<void> {
  const { search } = harness.store;
  const space = await harness.store.activeSpace();
  const query = { text: 'valve', language: 'en' };
  const vector = new Float32Array(space.dimensions).fill(1 / Math.sqrt(space.dimensions));
  const common = { filter: NO_FILTER, limit: 2_000 };
  for (;;) {
    const budget = { deadline: performance.now() + 10_000 };
    const [words, vectors] = await Promise.all([
      search.runLeg(scope, { kind: 'TEXT', query, ...common }, budget),
      search.runLeg(scope, { kind: 'VECTOR', space, vector, numCandidates: null, ...common }, budget),
    ]);
    if (Math.min(words.hits.length, vectors.hits.length) >= rows) return;
  }
}
