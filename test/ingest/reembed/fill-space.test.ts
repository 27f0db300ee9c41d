import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AppError } from '../../../src/errors.js';
import { embeddedString } from '../../../src/ingest/reembed/embedded-string.js';
import { fillSlice } from '../../../src/ingest/reembed/fill-slice.js';
import type { SpaceRecord } from '../../../src/store/records.js';
import { makeScope, operator } from '../../../src/store/scope.js';
import { startTestPocketAtlas, type TestPocketAtlas } from '../../support/pocket-atlas.js';
import { embeddersOf, fillSpace } from '../../support/reembed.js';
import { secondEmbedder, secondVector } from '../../support/second-embedder.js';
import {
  type CountingEmbedder,
  countingEmbedder,
  ONE_PARAGRAPH,
  openTestStore,
  paragraphs,
  type TestStore,
} from '../../support/test-store.js';

/** Filling a space beside the active one: every chunk once, nothing twice, and no switch without proof. */
const scope = makeScope('ada', null);
const other = makeScope('bob', null);
const chunking = ONE_PARAGRAPH;
const never = new AbortController().signal;
let server: TestPocketAtlas;
const stores: TestStore[] = [];

beforeAll(async () => {
  // An index that lags: whoever does not wait for it is caught.
  server = await startTestPocketAtlas({ searchLagMs: 300 });
});
afterAll(async () => {
  await Promise.all(stores.map((store) => store.close()));
  await server?.stop();
});

interface Setting {
  readonly store: TestStore;
  readonly embedderOf: (space: SpaceRecord) => CountingEmbedder;
}

async function open(second: CountingEmbedder = secondEmbedder()): Promise<Setting> {
  const first = countingEmbedder();
  const embedderOf = embeddersOf(first, second) as Setting['embedderOf'];
  const store = await openTestStore(server.uri, { ingest: { embedderOf } });
  stores.push(store);
  return { store, embedderOf };
}

async function lacking(store: TestStore, space: string): Promise<number> {
  return await store.database.chunks.countDocuments({ [`embeddings.${space}`]: { $exists: false } });
}

async function nearest(store: TestStore, space: string, question: string): Promise<string | undefined> {
  const [hit] = await store.database.searchChunks
    .aggregate<{ text: string }>([
      {
        $vectorSearch: {
          index: `gazetteer_vector_${space}`,
          path: `embeddings.${space}`,
          queryVector: [...secondVector(question)],
          exact: true,
          limit: 1,
          filter: { owner: 'ada' },
        },
      },
      { $project: { text: 1 } },
    ])
    .toArray();
  return hit?.text;
}

describe('filling a space', () => {
  test('gives every chunk of every owner its vector, then the index returns them and searches switch', async () => {
    const second = secondEmbedder();
    const { store, embedderOf } = await open(second);
    await store.upsert(scope, 'pump', paragraphs(30, 'pump'), { chunking });
    await store.upsert(other, 'valve', paragraphs(20, 'valve'), { chunking });
    const space = await store.createSpace(operator, second.space);
    await store.upsert(scope, 'seal', paragraphs(10, 'seal'), { chunking });
    expect(await lacking(store, 's2')).toBe(50);
    await fillSpace(store, embedderOf, space, { activate: true });
    expect(await lacking(store, 's2')).toBe(0);
    expect(second.asked).toHaveLength(60);
    expect(new Set(second.asked).size).toBe(60);
    expect(await store.activeSpace()).toMatchObject({ id: 's2', weights: null });
    expect((await store.listSpaces(operator)).map(({ id, state }) => [id, state])).toEqual([
      ['s1', 'RETIRED'],
      ['s2', 'ACTIVE'],
    ]);
    expect(await nearest(store, 's2', 'seal paragraph number speaks of things')).toMatch(/^seal/);
    expect(await nearest(store, 's2', 'pump paragraph number speaks of things')).toMatch(/^pump/);
    // What the proof needed is gone.
    expect(await store.database.chunks.countDocuments()).toBe(60);
    expect(await store.database.cleanups.countDocuments()).toBe(0);
  });

  test('meets upserts, edits and deletes in the middle: all live chunks have both vectors, and of their own text', async () => {
    const second = secondEmbedder();
    const { store, embedderOf } = await open(second);
    for (let index = 0; index < 8; index++)
      await store.upsert(scope, `t${index}`, paragraphs(90, `word${index}`), { chunking });
    const space = await store.createSpace(operator, second.space);
    await fillSpace(store, embedderOf, space, {
      between: async (item) => {
        if (item.part === 'finish') return;
        await Promise.all([
          store.upsert(scope, 't1', `${paragraphs(90, 'word1')}\n\nnew at the end, whatever it says`, { chunking }),
          store.upsert(scope, 't2', paragraphs(80, 'other'), { chunking }),
          store.upsert(scope, 'brand new', paragraphs(5, 'brand'), { chunking }),
          store.deleteDocument(scope, { title: 't3' }),
          store.deleteDocument(scope, { title: 't7' }),
        ]);
      },
    });
    const rows = await store.database.chunks.find().toArray();
    expect(rows).toHaveLength(90 * 4 + 91 + 80 + 5);
    for (const row of rows) expect(row.embeddings.s2?.toFloat32Array()).toEqual(secondVector(row.text));
    expect((await store.listSpaces(operator))[1]).toMatchObject({ state: 'BUILDING', isComplete: true });
  });

  test('an unchanged document stays UNCHANGED after the switch, and costs nothing', async () => {
    const second = secondEmbedder();
    const { store, embedderOf } = await open(second);
    await store.upsert(scope, 't', paragraphs(3));
    const space = await store.createSpace(operator, second.space);
    await fillSpace(store, embedderOf, space, { activate: true });
    const calls = second.calls;
    expect(await store.upsert(scope, 't', paragraphs(3))).toMatchObject({ outcome: 'UNCHANGED' });
    expect(second.calls).toBe(calls);
  });

  test('goes on after a failure in the middle without embedding anything again', async () => {
    let left = 2;
    const second = secondEmbedder({
      before: () => {
        if (left-- === 0) throw new AppError('PROVIDER_UNAVAILABLE', 'Rate limit', { details: { retryable: true } });
      },
    });
    const { store, embedderOf } = await open(second);
    for (let index = 0; index < 3; index++)
      await store.upsert(scope, `t${index}`, paragraphs(300, `word${index}`), { chunking });
    const space = await store.createSpace(operator, second.space);
    const failing = fillSpace(store, embedderOf, space);
    await expect(failing).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE', details: { retryable: true } });
    await expect(failing).rejects.toThrow(/Rate limit\. The space stays BUILDING: call retryJob.*dropEmbeddingSpace/);
    const written = 900 - (await lacking(store, 's2'));
    expect(written).toBeGreaterThan(0);
    const before = second.asked.length;
    await fillSpace(store, embedderOf, space);
    // Asked for again: the call that failed, and no other.
    expect(second.asked.length - before).toBe(900 - written);
    expect(await lacking(store, 's2')).toBe(0);
  });

  test('writes what has arrived while the rest is under way', async () => {
    const second = secondEmbedder({ after: async () => await expect.poll(() => lacking(store, 's2')).toBe(0) });
    const { store, embedderOf } = await open(second);
    await store.upsert(scope, 't', paragraphs(40), { chunking });
    const space = await store.createSpace(operator, second.space);
    await fillSlice({ store, embedderOf }, operator, space, { after: null, to: null }, never);
    expect(second.asked).toHaveLength(40);
  });

  test('an upsert that the new model does not answer stores nothing, and says which space it is', async () => {
    const second = secondEmbedder({
      before: () => {
        throw new AppError('PROVIDER_UNAVAILABLE', 'No answer', { details: { retryable: true } });
      },
    });
    const { store } = await open(second);
    await store.createSpace(operator, second.space);
    const failing = store.upsert(scope, 't', 'text');
    await expect(failing).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE', details: { retryable: true } });
    await expect(failing).rejects.toThrow(/No answer\. .*hash\/second .* BUILDING .*dropEmbeddingSpace/);
    expect(await store.countDocuments(scope)).toBe(0);
    await store.dropSpace(operator, 's2');
    expect(await store.upsert(scope, 't', 'text')).toMatchObject({ outcome: 'CREATED' });
  });

  test('a chunk that is longer than the new model takes is averaged; beyond sixteen windows its document is named', async () => {
    const second = secondEmbedder({ maxInputTokens: 10 });
    const { store, embedderOf } = await open(second);
    const words = (count: number) => Array.from({ length: count }, (_, index) => `word${index}`).join(' ');
    const whole = { strategy: 'NONE', contextual: false } as const;
    await store.upsert(scope, 'windows', words(100), { chunking: whole });
    await store.upsert(other, 'a tome', words(400), { chunking: whole });
    await store.upsert(scope, 'short', 'short', { chunking: whole });
    const space = await store.createSpace(operator, second.space);
    const failing = fillSpace(store, embedderOf, space, { activate: true });
    await expect(failing).rejects.toMatchObject({ code: 'TOO_LARGE' });
    await expect(failing).rejects.toThrow(/1 chunk is longer than 16 windows of second.*"a tome" of "bob"/);
    expect(await lacking(store, 's2')).toBe(1);
    expect(await store.activeSpace()).toMatchObject({ id: 's1' });
    await store.deleteDocument(other, { title: 'a tome' });
    await fillSpace(store, embedderOf, space, { activate: true });
    expect(await store.activeSpace()).toMatchObject({ id: 's2' });
  });

  test('title, headings and table headers are given to the new model as they were to the old one', async () => {
    const second = secondEmbedder();
    const { store, embedderOf } = await open(second);
    const rows = Array.from({ length: 40 }, (_, index) => `| PX-${index} | ${index} h |`).join('\n');
    const text = `# Pumps\n\n## Running\n\n| Type | Running time |\n| --- | --- |\n${rows}\n\n## Stopping\n\nClose the valve.`;
    await store.upsert(scope, 'manual', text, {
      mediaType: 'text/markdown',
      chunking: { strategy: 'STRUCTURE', maxTokens: 60, overlap: 0, contextual: true },
    });
    // What the chunks were embedded as stays what it was.
    await store.updateAttributes(scope, { title: 'manual' }, { title: 'handbook' });
    const space = await store.createSpace(operator, second.space);
    await fillSpace(store, embedderOf, space);
    const first = embedderOf(await store.activeSpace()).asked;
    expect(first.length).toBeGreaterThan(3);
    expect(first.some((given) => given.startsWith('manual > Pumps > Running\n\n| Type | Running time |'))).toBe(true);
    expect([...second.asked].sort()).toEqual([...first].sort());
  });

  test('a model that sees a document’s chunks together gives each the vector that an upsert would', async () => {
    const vectorsOf = async (store: TestStore) => {
      const rows = await store.database.chunks.find().sort({ text: 1 }).toArray();
      return rows.map(({ text, embeddings }) => [text, embeddings.s2?.toFloat32Array()]);
    };
    const upsertAll = async (store: TestStore) => {
      for (const [title, count] of [['many', 700], ['few', 3], ['one', 1]] as const) // biome-ignore format: one line
        await store.upsert(scope, title, paragraphs(count, title), { chunking });
    };
    const late = () => secondEmbedder({ lateTokens: 1_000_000 });
    const [filled, upserted] = await Promise.all([open(late()), open(late())]);
    await upsertAll(filled.store);
    const space = await filled.store.createSpace(operator, late().space);
    await fillSpace(filled.store, filled.embedderOf, space);
    await upserted.store.createSpace(operator, late().space);
    await upsertAll(upserted.store);
    expect(await lacking(filled.store, 's2')).toBe(0);
    expect(await vectorsOf(filled.store)).toEqual(await vectorsOf(upserted.store));
    // In several items, and each once.
    const { asked } = filled.embedderOf(space);
    expect(asked).toHaveLength(704);
  });

  test('and in groups of what it takes, of which those that lack nothing are not asked for again', async () => {
    const sizes: number[] = [];
    let calls = 0;
    const second = secondEmbedder({
      lateTokens: 100,
      before: (texts) => {
        sizes.push(texts.reduce((sum, text) => sum + text.split(/\s+/).length, 0));
        if (++calls === 4) throw new AppError('PROVIDER_UNAVAILABLE', 'away', { details: { retryable: true } });
      },
    });
    const { store, embedderOf } = await open(second);
    await store.upsert(scope, 't', paragraphs(60), { chunking });
    const space = await store.createSpace(operator, second.space);
    await expect(fillSpace(store, embedderOf, space)).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
    const left = await lacking(store, 's2');
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(60);
    second.asked.length = 0;
    await fillSpace(store, embedderOf, space);
    expect(second.asked).toHaveLength(left);
    expect(await lacking(store, 's2')).toBe(0);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(100);
    expect(calls).toBeLessThan(60);
  });

  test('rows from before the prefix was kept are given what an upsert gives', () => {
    const chunk = {
      id: '',
      text: 'text',
      embedHash: '',
      embedPrefix: null,
      headings: ['one'],
      document: { id: '', owner: 'ada', title: 'title', contextual: true },
    };
    expect(embeddedString(chunk)).toBe('title > one\n\ntext');
    expect(embeddedString({ ...chunk, document: { ...chunk.document, contextual: false } })).toBe('text');
    expect(embeddedString({ ...chunk, embedPrefix: 'kept ' })).toBe('kept text');
  });
});

describe('vectors are written', () => {
  test('never to a chunk with another text, over a vector, to a deleted chunk, or to a dropped space', async () => {
    const second = secondEmbedder();
    const { store } = await open(second);
    await store.upsert(scope, 't', paragraphs(3), { chunking });
    await store.createSpace(operator, second.space);
    const { chunks } = await store.lackingChunks(operator, 's2', { after: null, to: null });
    const [a, b, c] = chunks.map(({ id, embedHash, text }) => ({ id, embedHash, vector: secondVector(text) }));
    await store.database.chunks.deleteOne({ ordinal: 2 });
    const written = await store.writeChunkVectors(operator, 's2', [a!, { ...b!, embedHash: 'of another text' }, c!]);
    expect(written).toBe(1);
    expect(await store.writeChunkVectors(operator, 's2', [{ ...a!, vector: b!.vector }])).toBe(0);
    const rows = await store.database.chunks.find().sort({ ordinal: 1 }).toArray();
    expect(rows.map((row) => row.embeddings.s2?.toFloat32Array())).toEqual([a!.vector, undefined]);
    await store.dropSpace(operator, 's2');
    await expect(store.writeChunkVectors(operator, 's2', [b!])).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await store.database.chunks.countDocuments({ 'embeddings.s2': { $exists: true } })).toBe(0);
  });

  test('a space that is dropped in the middle ends its filling', async () => {
    let drop = async (): Promise<void> => {};
    const second = secondEmbedder({ before: () => drop() });
    const { store, embedderOf } = await open(second);
    await store.upsert(scope, 't', paragraphs(5), { chunking });
    const space = await store.createSpace(operator, second.space);
    drop = async () => {
      drop = async () => {};
      await store.dropSpace(operator, 's2');
    };
    const filling = fillSlice({ store, embedderOf }, operator, space, { after: null, to: null }, never);
    await expect(filling).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await store.database.chunks.countDocuments({ 'embeddings.s2': { $exists: true } })).toBe(0);
  });
});

describe('the switch', () => {
  test('needs proof', async () => {
    const second = secondEmbedder();
    const { store } = await open(second);
    await store.upsert(scope, 't', paragraphs(3), { chunking });
    await store.createSpace(operator, second.space);
    await expect(store.activateSpace(operator, 's2')).rejects.toThrow(/Not every chunk has a vector.*retryJob/);
    await expect(store.activateSpace(operator, 's9')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await store.activeSpace()).toMatchObject({ id: 's1' });
  });

  test('goes back to the retired space, which upserts kept up', async () => {
    const second = secondEmbedder();
    const { store, embedderOf } = await open(second);
    await store.upsert(scope, 't', paragraphs(3), { chunking });
    await fillSpace(store, embedderOf, await store.createSpace(operator, second.space), { activate: true });
    await store.upsert(scope, 'u', paragraphs(3, 'later'), { chunking });
    expect(await lacking(store, 's1')).toBe(0);
    expect(await store.activateSpace(operator, 's1')).toMatchObject({ id: 's1', state: 'ACTIVE' });
    expect((await store.listSpaces(operator)).map(({ state }) => state)).toEqual(['ACTIVE', 'RETIRED']);
    await expect(store.createSpace(operator, second.space)).rejects.toThrow(/there already.*activateEmbeddingSpace/);
    await store.dropSpace(operator, 's2');
    expect(await store.database.chunks.countDocuments({ 'embeddings.s2': { $exists: true } })).toBe(0);
  });
});
