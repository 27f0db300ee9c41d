import { Binary } from 'bson';
import { afterEach, describe, expect, it } from 'vitest';
import type { Doc } from '../../../../src/pocket-atlas/bson/values.js';
import { type SearchFixture, searchFixture } from '../search-fixture.js';

const vectorField = { type: 'vector', path: 'v', numDimensions: 2, similarity: 'cosine' };
const filterField = (path: string) => ({ type: 'filter', path });

let fixture: SearchFixture;
afterEach(() => fixture?.close());

async function indexed(docs: readonly Doc[], fields: readonly Doc[] = [vectorField]): Promise<SearchFixture> {
  fixture = await searchFixture();
  await fixture.insert(docs);
  await fixture.createIndex('v', { fields: [...fields] });
  await fixture.untilReady('v');
  return fixture;
}

const near = { queryVector: [1, 0], numCandidates: 10, limit: 10 };

describe('$vectorSearch', () => {
  it('scores cosine as Atlas does, best first', async () => {
    const { search } = await indexed([
      { _id: 1, v: [-1, 0] },
      { _id: 2, v: [0, 1] },
      { _id: 3, v: [1, 0] },
    ]);
    expect(await search(near)).toEqual([
      { _id: 3, score: 1 },
      { _id: 2, score: 0.5 },
      { _id: 1, score: 0 },
    ]);
  });

  it.each([
    ['euclidean', Math.fround(1 / 26)],
    ['dotProduct', 0.5],
  ])('scores %s in float32', async (similarity, score) => {
    const { search } = await indexed([{ _id: 1, v: [3, 4] }], [{ ...vectorField, similarity }]);
    expect(await search({ ...near, queryVector: [0, 0] })).toEqual([{ _id: 1, score }]);
  });

  it('breaks ties by insertion order', async () => {
    const { search } = await indexed([9, 3, 7, 1].map((_id) => ({ _id, v: [_id, 0] })));
    expect((await search(near)).map(({ _id }) => _id)).toEqual([9, 3, 7, 1]);
  });

  it('takes arrays and BinData float32 as the same field, int8 and bits as others', async () => {
    const { search } = await indexed(
      [
        { _id: 'array', v: [1, 0, 0, 0, 0, 0, 0, 0] },
        { _id: 'float32', v: Binary.fromFloat32Array(Float32Array.of(1, 0, 0, 0, 0, 0, 0, 0)) },
        { _id: 'int8', v: Binary.fromInt8Array(Int8Array.of(1, 0, 0, 0, 0, 0, 0, 0)) },
        { _id: 'bits', v: Binary.fromBits([1, 0, 0, 0, 0, 0, 0, 0]) },
      ],
      [{ ...vectorField, numDimensions: 8, similarity: 'euclidean' }],
    );
    const ids = async (queryVector: unknown) => (await search({ ...near, queryVector } as Doc)).map(({ _id }) => _id);
    expect(await ids([1, 0, 0, 0, 0, 0, 0, 0])).toEqual(['array', 'float32']);
    expect(await ids(Binary.fromInt8Array(Int8Array.of(1, 0, 0, 0, 0, 0, 0, 0)))).toEqual(['int8']);
    expect(await ids(Binary.fromBits([1, 0, 0, 0, 0, 0, 0, 0]))).toEqual(['bits']);
  });

  it('returns at most the live vectors, each once (CASES A26)', async () => {
    const { search } = await indexed(
      [1, 2, 3].map((_id) => ({ _id, v: [1, _id], owner: _id === 3 ? 'b' : 'a' })),
      [vectorField, filterField('owner')],
    );
    const wide = { ...near, limit: 100, numCandidates: 10_000 };
    expect((await search(wide)).map(({ _id }) => _id)).toEqual([1, 2, 3]);
    expect((await search({ ...wide, filter: { owner: 'a' } })).map(({ _id }) => _id)).toEqual([1, 2]);
    expect(await search({ ...wide, filter: { owner: 'c' } })).toEqual([]);
  });
});
