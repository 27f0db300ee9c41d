import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Document } from '@langchain/core/documents';
import { MongoDBAtlasVectorSearch } from '@langchain/mongodb';
import { RecursiveCharacterTextSplitter } from '@langchain/textsplitters';
import { makeRandom, makeText, makeWords } from './corpus.js';
import { HashEmbeddings } from './hash-embeddings.js';
import { round, timed } from './measure.js';

/** LangChain as its users wire it, on the same server, with the same embedder: the peer of ingest and search. */

type Options = Exclude<ConstructorParameters<typeof MongoDBAtlasVectorSearch>[1], undefined>;

/** It brings a driver of its own. */
const { MongoClient } = createRequire(import.meta.resolve('@langchain/mongodb'))('mongodb') as typeof import('mongodb');

const TOP = 10;
const PARALLEL = 4;
const PARAGRAPHS_PER_DOCUMENT = 10;
/** About the 100 tokens of the other side's chunks. */
const CHUNK_CHARACTERS = 400;

/** Its similarity search over the chunks and the index of Gazetteer's own. */
export async function langChainContestant(
  uri: string,
): Promise<{ search(vector: Float32Array): Promise<unknown>; close(): Promise<void> }> {
  const client = await MongoClient.connect(uri);
  const store = new MongoDBAtlasVectorSearch(new HashEmbeddings(), {
    collection: client.db('gazetteer').collection('chunks'),
    indexName: 'gazetteer_vector_s1',
    embeddingKey: 'embeddings.s1',
    textKey: 'text',
  } as unknown as Options);
  return {
    search: (vector) => store.similaritySearchVectorWithScore([...vector], TOP, { preFilter: { owner: 'local' } }),
    close: () => client.close(),
  };
}

/** The same documents split, embedded and inserted, with an index that follows: `… documents per second`. */
export async function langChainIngest(dataDir: string, chunks: number): Promise<string> {
  const words = makeWords(makeRandom(1));
  return await ingestInto(dataDir, (stored) => (stored < chunks ? makeText(words, PARAGRAPHS_PER_DOCUMENT) : null));
}

/** The same with the texts given. */
export async function langChainIngestTexts(dataDir: string, texts: Iterator<string>): Promise<string> {
  return await ingestInto(dataDir, () => {
    const { done, value } = texts.next();
    return done ? null : value;
  });
}

/** Some documents at a time, until `next` answers null for that many stored chunks. */
async function ingestInto(dataDir: string, next: (stored: number) => string | null): Promise<string> {
  const uri = `mongodb://${encodeURIComponent(join(dataDir, 'pocket.sock'))}/?directConnection=true`;
  const client = await MongoClient.connect(uri);
  try {
    const db = client.db('langchain');
    await db.createCollection('chunks');
    const collection = db.collection('chunks');
    await collection.createSearchIndex({
      name: 'default',
      type: 'vectorSearch',
      definition: { fields: [{ type: 'vector', path: 'embedding', numDimensions: 256, similarity: 'cosine' }] },
    });
    const store = new MongoDBAtlasVectorSearch(new HashEmbeddings(), { collection } as unknown as Options);
    const splitter = new RecursiveCharacterTextSplitter({ chunkSize: CHUNK_CHARACTERS, chunkOverlap: 0 });
    let stored = 0;
    let documents = 0;
    const worker = async (): Promise<void> => {
      for (let text = next(stored); text !== null; text = next(stored)) {
        documents++;
        const parts = await splitter.splitDocuments([new Document({ pageContent: text })]);
        await store.addDocuments(parts);
        stored += parts.length;
      }
    };
    const seconds = (await timed(() => Promise.all(Array.from({ length: PARALLEL }, worker)))) / 1_000;
    await db.dropDatabase();
    return `LangChain, from inside the client: ${round(stored / seconds)} chunks, ${round(documents / seconds)} documents per second`;
  } finally {
    await client.close();
  }
}
