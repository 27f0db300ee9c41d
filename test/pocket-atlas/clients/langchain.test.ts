import { Document } from '@langchain/core/documents';
import { MongoDBAtlasVectorSearch } from '@langchain/mongodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { HashEmbeddings } from '../../../bench/hash-embeddings.js';
import { type PocketAtlas, startPocketAtlas } from '../../../src/pocket-atlas/start.js';
import { searchable } from './searchable.js';

/** LangChain's store as its documentation uses it, with the driver 6 that it brings. */

type Args = ConstructorParameters<typeof MongoDBAtlasVectorSearch>[1] & object;
type Collection = Args['collection'];

let atlas: PocketAtlas;
let client: { close(): Promise<void> };
let collection: Collection;
let store: MongoDBAtlasVectorSearch;

beforeAll(async () => {
  atlas = await startPocketAtlas();
  const { MongoClient } = await driverOfLangChain();
  const connected = new MongoClient(atlas.uri);
  client = connected;
  const db = connected.db('langchain');
  await db.createCollection('passages');
  collection = db.collection('passages') as unknown as Collection;
  store = new MongoDBAtlasVectorSearch(new HashEmbeddings(), { collection, indexName: 'default' } as Args);
  await store.addDocuments([
    new Document({ pageContent: 'The pump must be primed with water before it starts.', metadata: { topic: 'pumps' } }),
    new Document({ pageContent: 'Prime the pump with water.', metadata: { topic: 'pumps' } }),
    new Document({ pageContent: 'Open the gate valve slowly.', metadata: { topic: 'valves' } }),
    new Document({ pageContent: 'The office is closed on Sundays.', metadata: { topic: 'office' } }),
  ]);
  await collection.createSearchIndex({
    name: 'default',
    type: 'vectorSearch',
    definition: {
      fields: [
        { type: 'vector', path: 'embedding', numDimensions: 256, similarity: 'cosine' },
        { type: 'filter', path: 'topic' },
      ],
    },
  });
  await searchable(() => collection.listSearchIndexes('default').toArray());
});
afterAll(async () => {
  await client?.close();
  await atlas?.stop();
});

it('finds the nearest documents with their scores', async () => {
  const [first, second] = await store.similaritySearchWithScore('prime the pump with water', 2);
  expect(first?.[0].pageContent).toBe('Prime the pump with water.');
  expect(first?.[0].metadata).toMatchObject({ topic: 'pumps' });
  expect(first![1]).toBeGreaterThan(second![1]);
  expect(first![1]).toBeLessThanOrEqual(1);
});

it('filters before it ranks', async () => {
  const found = await store.similaritySearch('prime the pump with water', 4, { preFilter: { topic: 'valves' } });
  expect(found.map(({ pageContent }) => pageContent)).toEqual(['Open the gate valve slowly.']);
});

it('spreads over subjects by maximal marginal relevance', async () => {
  const spread = await store.maxMarginalRelevanceSearch('prime the pump with water', { k: 2, fetchK: 4, lambda: 0 });
  expect(new Set(spread.map(({ metadata }) => metadata.topic as string)).size).toBe(2);
});

it('replaces and deletes by id', async () => {
  const { ObjectId } = await driverOfLangChain();
  const id = new ObjectId();
  const add = (text: string) => store.addDocuments([new Document({ pageContent: text })], { ids: [id as never] });
  await add('first wording');
  await add('second wording');
  expect(await collection.countDocuments({ text: /wording$/ })).toBe(1);
  await store.delete({ ids: [id] });
  expect(await collection.countDocuments({ text: /wording$/ })).toBe(0);
});

/** LangChain depends on a driver of its own, and compares classes with it. */
async function driverOfLangChain(): Promise<typeof import('mongodb')> {
  const langChain = import.meta.resolve('@langchain/mongodb');
  const { createRequire } = await import('node:module');
  return createRequire(langChain)('mongodb') as typeof import('mongodb');
}
