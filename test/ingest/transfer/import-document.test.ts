import { afterAll, beforeAll, expect, test } from 'vitest';
import { KeyedLock } from '../../../src/ingest/keyed-lock.js';
import { type ImportOptions, importDocument } from '../../../src/ingest/transfer/import-document.js';
import { unpackItem } from '../../../src/ingest/transfer/item-payload.js';
import { type ExportedDocument, readDocument } from '../../../src/ingest/transfer/read-document.js';
import { receiveImport } from '../../../src/ingest/transfer/receive-items.js';
import { writeExport } from '../../../src/ingest/transfer/write-export.js';
import { makeScope, operator, type Scope } from '../../../src/store/scope.js';
import { startTestPocketAtlas, type TestPocketAtlas } from '../../support/pocket-atlas.js';
import { embeddersOf } from '../../support/reembed.js';
import { secondEmbedder, secondVector } from '../../support/second-embedder.js';
import {
  countingEmbedder,
  ONE_PARAGRAPH,
  openTestStore,
  paragraphs,
  type TestStore,
} from '../../support/test-store.js';

/** Importing into a store, below HTTP and jobs: what other spaces, other credentials and other writers make of it. */
let server: TestPocketAtlas;
const stores: TestStore[] = [];
beforeAll(async () => {
  server = await startTestPocketAtlas();
});
afterAll(async () => {
  for (const store of stores) {
    await store.ingest.close();
    await store.close();
  }
  await server?.stop();
});

const ADA = makeScope('ada', null);
const BOB = makeScope('bob', null);

async function open() {
  const first = countingEmbedder();
  const second = secondEmbedder();
  const embedderOf = embeddersOf(first, second);
  const store = await openTestStore(server.uri, { ingest: { embedderOf } });
  stores.push(store);
  const parts = { store, embedderOf, turns: new KeyedLock() };
  return {
    store,
    first,
    second,
    import: (scope: Scope, document: ExportedDocument, options: Partial<ImportOptions> = {}) =>
      importDocument(parts, scope, document, { space: first.space as never, onSpaceMismatch: 'refuse', ...options }),
  };
}

async function documentsOf(store: TestStore, scope: Scope): Promise<ExportedDocument[]> {
  const documents: ExportedDocument[] = [];
  const { items, space } = await receiveImport(
    (async function* () {
      for await (const block of writeExport(store, scope)) yield Buffer.from(block);
    })(),
  );
  for await (const item of items) {
    const { head, lines } = unpackItem(Buffer.from(item.payload));
    if (!('firstLine' in head)) throw new Error('An intact item has its first line');
    documents.push(await readDocument(lines, { firstLine: head.firstLine, space }));
  }
  return documents;
}

/** A document of Ada's with four chunks, and what it is exported as. */
async function exportedDocument(agentIds: readonly string[] = []): Promise<ExportedDocument> {
  const { store } = await open();
  await store.upsert(ADA, 'pumps', paragraphs(4), { chunking: { ...ONE_PARAGRAPH, contextual: true }, agentIds });
  const [document] = await documentsOf(store, ADA);
  return document!;
}

test('takes vectors as they are and asks no model', async () => {
  const document = await exportedDocument();
  const { store, first, ...to } = await open();
  expect(await to.import(BOB, document)).toMatchObject({ outcome: 'CREATED' });
  expect(first.calls).toBe(0);
  expect(await documentsOf(store, BOB)).toEqual([document]);
});

test('brings vectors for a space that is being built beside the active one', async () => {
  const document = await exportedDocument();
  const { store, first, second, ...to } = await open();
  const space = await store.createSpace(operator, second.space);
  await to.import(BOB, document);
  expect(first.calls).toBe(0);
  const rows = await store.database.chunks.find().toArray();
  expect(rows).toHaveLength(4);
  for (const row of rows) expect(row.embeddings[space.id]?.toFloat32Array()).toEqual(secondVector(row.text));
});

test('refuses chunks without a vector, or embeds those and no others where asked', async () => {
  const document = await exportedDocument();
  const [hash] = [...document.vectors.keys()];
  const lacking = { ...document, vectors: new Map([...document.vectors].filter(([key]) => key !== hash)) };
  const { store, first, ...to } = await open();
  await expect(to.import(BOB, lacking)).rejects.toThrow('1 of 4 chunks come without a vector');
  expect(await documentsOf(store, BOB)).toEqual([]);
  expect(await to.import(BOB, lacking, { onSpaceMismatch: 'reembed' })).toMatchObject({ outcome: 'CREATED' });
  expect(first.asked).toHaveLength(1);
  expect(await documentsOf(store, BOB)).toEqual([document]);
});

test('is one of many writers: two imports of a document at once store it once', async () => {
  const document = await exportedDocument();
  const { store, ...to } = await open();
  const outcomes = await Promise.all(Array.from({ length: 6 }, () => to.import(BOB, document)));
  expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['CREATED', ...Array(5).fill('UNCHANGED')]);
  expect((await documentsOf(store, BOB)).length).toBe(1);
  expect(await store.database.chunks.countDocuments()).toBe(4);
});

test('writes nothing over what the credentials may not write', async () => {
  const document = await exportedDocument(['bot']);
  const { store, ...to } = await open();
  const bot = makeScope('ada', ['bot']);
  await store.upsert(ADA, 'pumps', 'Of the owner alone.', { agentIds: [] });
  await expect(to.import(bot, document)).rejects.toThrow(expect.objectContaining({ code: 'CONFLICT' }));
  await store.upsert(ADA, 'pumps', 'Of two agents.', { agentIds: ['bot', 'imp'] });
  await expect(to.import(bot, document)).rejects.toThrow(expect.objectContaining({ code: 'CONFLICT' }));
  await expect(to.import(makeScope('ada', ['imp']), document)).rejects.toThrow(
    expect.objectContaining({ code: 'INVALID' }),
  );
  expect((await documentsOf(store, ADA))[0]!.text).toBe('Of two agents.');
});

test('an abort writes nothing', async () => {
  const document = await exportedDocument();
  const { store, ...to } = await open();
  const gone = AbortSignal.abort();
  await expect(to.import(BOB, document, { signal: gone })).rejects.toThrow();
  expect(await documentsOf(store, BOB)).toEqual([]);
});
