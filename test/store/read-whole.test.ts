import { afterAll, beforeAll, expect, test } from 'vitest';
import type { WalkPosition, WholeChunk } from '../../src/store/read-whole.js';
import { makeScope } from '../../src/store/scope.js';
import { startTestPocketAtlas, type TestPocketAtlas } from '../support/pocket-atlas.js';
import { ONE_PARAGRAPH, openTestStore, paragraphs, type TestStore } from '../support/test-store.js';

const ada = makeScope('ada', null);
const red = makeScope('ada', ['red']);
let server: TestPocketAtlas;
let store: TestStore;
beforeAll(async () => {
  server = await startTestPocketAtlas();
  store = await openTestStore(server.uri);
});
afterAll(async () => {
  await store?.ingest.close();
  await store?.close();
  await server?.stop();
});

async function walked(limit: number): Promise<string[]> {
  const ids: string[] = [];
  for (let after: WalkPosition | null = null; ; ) {
    const page: readonly WalkPosition[] = await store.walkDocuments(ada, after, limit);
    ids.push(...page.map(({ id }) => id));
    if (page.length === 0) return ids;
    after = page.at(-1)!;
  }
}

async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of source) items.push(item);
  return items;
}

test('a walk meets every document once, oldest first, whatever the size of its pages', async () => {
  const ids: string[] = [];
  for (let n = 0; n < 7; n++) ids.push((await store.upsert(ada, `d${n}`, `Text ${n}.`)).document!.id);
  // Of one moment, so that the id has to decide.
  await store.database.documents.updateMany({}, { $set: { created_at: new Date(0) } });
  for (const limit of [1, 2, 3, 7, 100]) expect(await walked(limit)).toEqual([...ids].sort());
});

test('more chunks than one query takes come all, by ordinal, each with its vector', async () => {
  const { document } = await store.upsert(ada, 'long', paragraphs(300), { chunking: ONE_PARAGRAPH });
  const opened = await store.openDocument(ada, document!.id);
  const chunks: WholeChunk[] = await all(opened!.chunks('s1'));
  expect(chunks).toHaveLength(300);
  expect(chunks.map(({ start }) => start)).toEqual(chunks.map(({ start }) => start).sort((a, b) => a - b));
  expect(chunks.every(({ vector }) => vector?.length === 256)).toBe(true);
  expect((await all(opened!.chunks('s9'))).every(({ vector }) => vector === null)).toBe(true);
  expect((await all(opened!.textParts())).join('')).toBe(paragraphs(300));
});

test('a document is current until its version moves, it leaves the scope, or it goes', async () => {
  const put = (text: string) => store.upsert(ada, 'moving', text, { agentIds: ['red'] });
  const { document } = await put('One.');
  const open = async () => (await store.openDocument(red, document!.id))!;

  const first = await open();
  expect(await first.isCurrent()).toBe(true);
  await store.updateAttributes(ada, { title: 'moving' }, { metadata: { a: 1 } });
  expect(await first.isCurrent()).toBe(true);
  await put('Two.');
  expect(await first.isCurrent()).toBe(false);

  const second = await open();
  await store.updateAttributes(ada, { title: 'moving' }, { agentIds: ['blue'] });
  expect(await second.isCurrent()).toBe(false);
  await store.updateAttributes(ada, { title: 'moving' }, { agentIds: ['red'] });

  const third = await open();
  await store.deleteDocument(ada, { title: 'moving' });
  expect(await third.isCurrent()).toBe(false);
  expect(await store.openDocument(red, document!.id)).toBeNull();
  expect(await store.openDocument(ada, 'no id')).toBeNull();
});
