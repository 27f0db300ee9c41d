import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { HASH_SPACE } from '../../src/embed/hash.js';
import { QueryEmbedding } from '../../src/graphql/query-embedding.js';
import type { SpaceRecord } from '../../src/store/records.js';

const space: SpaceRecord = { ...HASH_SPACE, id: 's1', state: 'ACTIVE', weights: null };

const vector = (query: string) => Float32Array.of(query.length);

/** An embedder that remembers what it was asked. */
function recorder(
  answer: (queries: readonly string[]) => Promise<Float32Array[]> = async (queries) => queries.map(vector),
) {
  const requests: (readonly string[])[] = [];
  const embedding = new QueryEmbedding((queries) => {
    requests.push(queries);
    return answer(queries);
  }, new AbortController().signal);
  return { requests, embedding };
}

const turns = async (count: number) => {
  for (let i = 0; i < count; i += 1) await nextTurn();
};

test('searches that need their vector at different moments share one request', async () => {
  const { requests, embedding } = recorder();
  const search = (query: string, after: number) =>
    embedding.during(async (embedQuery) => {
      await turns(after);
      return embedQuery(query, space);
    });
  const found = await Promise.all([search('one', 0), search('three', 5), search('one', 9)]);
  expect(found).toEqual([vector('one'), vector('three'), vector('one')]);
  expect(requests).toEqual([['one', 'three']]);
});

test('a search that needs no vector, and one that fails before, hold nobody up', async () => {
  const { requests, embedding } = recorder();
  const wordsOnly = embedding.during(async () => turns(3));
  const failing = embedding.during(async () => {
    await turns(2);
    throw new Error('no such index');
  });
  const found = embedding.during((embedQuery) => embedQuery('waits', space));
  await expect(failing).rejects.toThrow('no such index');
  await wordsOnly;
  expect(await found).toEqual(vector('waits'));
  expect(requests).toEqual([['waits']]);
});

test('nobody is asked when nobody needs a vector', async () => {
  const { requests, embedding } = recorder();
  await Promise.all([embedding.during(async () => 1), embedding.during(async () => turns(2))]);
  expect(requests).toEqual([]);
});

test('a second vector of the same search is a second request', async () => {
  const { requests, embedding } = recorder();
  await embedding.during(async (embedQuery) => {
    await embedQuery('first', space);
    await embedQuery('second', space);
  });
  expect(requests).toEqual([['first'], ['second']]);
});

test('a failure of the request is every search’s failure', async () => {
  const { embedding } = recorder(async () => {
    throw new Error('provider down');
  });
  const searches = ['a', 'b'].map((query) => embedding.during((embedQuery) => embedQuery(query, space)));
  expect((await Promise.allSettled(searches)).map((result) => result.status)).toEqual(['rejected', 'rejected']);
});

test('a question gets its vector in the space that it searches, also where the active one is switched meanwhile', async () => {
  const next = { ...space, id: 's2' };
  const asked: [string, readonly string[]][] = [];
  const embedding = new QueryEmbedding(async (queries, { id }) => {
    asked.push([id, queries]);
    return queries.map((query) => Float32Array.of(Number(id.slice(1)), query.length));
  }, new AbortController().signal);
  const ask = (query: string, where: SpaceRecord) =>
    embedding.during(async (embedQuery) => {
      await turns(1);
      return embedQuery(query, where);
    });
  expect(await Promise.all([ask('one', space), ask('three', next), ask('one', next)])).toEqual([
    Float32Array.of(1, 3),
    Float32Array.of(2, 5),
    Float32Array.of(2, 3),
  ]);
  expect(asked).toEqual([
    ['s1', ['one']],
    ['s2', ['three', 'one']],
  ]);
});
