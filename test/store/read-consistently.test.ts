import { ObjectId } from 'mongodb';
import { expect, test } from 'vitest';
import { readConsistently } from '../../src/store/read-consistently.js';
import { makeScope } from '../../src/store/scope.js';

const id = new ObjectId();

/** A database whose document has these versions, one after the other; null: it is gone. */
function databaseWith(versions: (number | null)[]) {
  return {
    documents: {
      find: () => ({
        project: () => ({
          toArray: async () => {
            const version = versions.shift() ?? null;
            return version === null ? [] : [{ _id: id, version, text_length: 0, chunk_count: 0 }];
          },
        }),
      }),
    },
  } as never;
}

const read = async (versions: (number | null)[]): Promise<(number | undefined)[]> => {
  const seen: (number | undefined)[] = [];
  const result = await readConsistently(databaseWith(versions), makeScope('o', null), [id], async (found) => {
    seen.push(found.get(id.toHexString())?.version);
    return found.get(id.toHexString())?.version;
  });
  return [...seen, result];
};

test('a read whose document stayed is done once', async () => {
  expect(await read([3, 3])).toEqual([3, 3]);
});

test('a read whose document moved or went starts again with what is there now', async () => {
  expect(await read([3, 4, 4])).toEqual([3, 4, 4]);
  expect(await read([3, null, null])).toEqual([3, undefined, undefined]);
  expect(await read([1, 2, 3, 3])).toEqual([1, 2, 3, 3]);
});

test('after three moves it is given up', async () => {
  await expect(read([1, 2, 3, 4])).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
});
