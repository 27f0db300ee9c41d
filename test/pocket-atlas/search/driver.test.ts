import { Binary, type Collection, type Document, MongoServerError } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { servePocketAtlasHere } from '../../support/pocket-atlas.js';

/** Search indexes as a program meets them: the official driver on a socket. */
let atlas: Awaited<ReturnType<typeof servePocketAtlasHere>>;
beforeAll(async () => {
  atlas = await servePocketAtlasHere();
});
afterAll(() => atlas?.stop());

const definition = {
  fields: [
    { type: 'vector', path: 'v', numDimensions: 3, similarity: 'cosine' },
    { type: 'filter', path: 'owner' },
  ],
};

let names = 0;
async function indexed(): Promise<Collection<Document>> {
  names += 1;
  const chunks = atlas.db('search').collection<Document>(`c${names}`);
  await chunks.insertMany([
    { _id: 1 as never, owner: 'a', v: [1, 0, 0] },
    { _id: 2 as never, owner: 'a', v: Binary.fromFloat32Array(Float32Array.of(1, 1, 0)) },
    { _id: 3 as never, owner: 'b', v: [1, 0, 0.1] },
  ]);
  await chunks.createSearchIndex({ name: 'v', type: 'vectorSearch', definition });
  await expect
    .poll(() => chunks.listSearchIndexes('v').toArray(), { timeout: 10_000 })
    .toMatchObject([{ name: 'v', type: 'vectorSearch', status: 'READY', queryable: true }]);
  return chunks;
}

const near = { index: 'v', path: 'v', queryVector: [1, 0, 0], numCandidates: 10, limit: 10 };

async function failure(work: Promise<unknown>): Promise<MongoServerError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof MongoServerError) return error;
  throw new Error(`Expected the server to refuse, got ${error}`);
}

describe('$vectorSearch through the driver', () => {
  it('filters, scores, and goes on with other stages', async () => {
    const chunks = await indexed();
    const hits = await chunks
      .aggregate([
        { $vectorSearch: { ...near, filter: { owner: 'a' } } },
        { $project: { score: { $meta: 'vectorSearchScore' } } },
        { $match: { score: { $gt: 0.9 } } },
      ])
      .toArray();
    expect(hits).toEqual([{ _id: 1, score: 1 }]);
  });

  it('says why it refuses as Atlas does', async () => {
    const chunks = await indexed();
    const error = await failure(chunks.aggregate([{ $vectorSearch: { ...near, queryVector: [1] } }]).toArray());
    expect(error).toMatchObject({
      code: 8,
      codeName: 'UnknownError',
      errmsg: `Executor error during aggregate command on namespace: search.${chunks.collectionName} :: caused by :: vector field is indexed with 3 dimensions but queried with 1`,
    });
  });

  it('must come first, and outside of $facet, $lookup and transactions', async () => {
    const chunks = await indexed();
    const stage = { $vectorSearch: near };
    const refused = (pipeline: Document[]) => failure(chunks.aggregate(pipeline).toArray());
    expect(await refused([{ $limit: 1 }, stage])).toMatchObject({ code: 40602 });
    expect(await refused([{ $facet: { a: [stage] } }])).toMatchObject({ code: 40600 });
    const lookup = { from: chunks.collectionName, pipeline: [stage], as: 'found' };
    expect(await refused([{ $lookup: lookup }])).toMatchObject({ code: 51047 });
    const session = atlas.client.startSession();
    session.startTransaction();
    const inTransaction = chunks.aggregate([stage], { session }).toArray();
    expect(await failure(inTransaction)).toMatchObject({ code: 263 });
    await session.abortTransaction().catch(() => {});
    await session.endSession();
  });

  it('never ends badly when the index is dropped under it', async () => {
    const chunks = await indexed();
    const searches = Array.from({ length: 40 }, async (_, i) => {
      if (i === 20) await chunks.dropSearchIndex('v');
      return chunks.aggregate([{ $vectorSearch: near }]).toArray();
    });
    for (const hits of await Promise.all(searches)) expect([0, 3]).toContain(hits.length);
    expect(await chunks.aggregate([{ $vectorSearch: near }]).toArray()).toEqual([]);
  });

  it('finds what was written after the index was made, updated or dropped with its database', async () => {
    const chunks = await indexed();
    await chunks.updateOne({ _id: 1 as never }, { $set: { v: [0, 0, 1] } });
    await chunks.deleteOne({ _id: 2 as never });
    const ids = async () => (await chunks.aggregate([{ $vectorSearch: near }]).toArray()).map(({ _id }) => _id);
    await expect.poll(ids, { timeout: 10_000 }).toEqual([3, 1]);
    await atlas.db('search').dropDatabase();
    expect(await ids()).toEqual([]);
    expect(await chunks.listSearchIndexes().toArray()).toEqual([]);
  });
});
