import { Binary, Double, Long, MinKey } from 'bson';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BsonValue, Doc } from '../../../../src/pocket-atlas/bson/values.js';
import { CommandError } from '../../../../src/pocket-atlas/errors.js';
import { type SearchFixture, searchFixture } from '../search-fixture.js';

/** Every refusal of `$vectorSearch`, through the stage, as a client sees it. */
const PREFIX = 'Executor error during aggregate command on namespace: db.c :: caused by :: ';
const vector8 = [1, 0, 0, 0, 0, 0, 0, 0];
const valid: Doc = { index: 'v', path: 'v', queryVector: vector8, numCandidates: 10, limit: 5 };

let fixture: SearchFixture;
beforeAll(async () => {
  fixture = await searchFixture();
  const field = (path: string, similarity: string) => ({ type: 'vector', path, numDimensions: 8, similarity });
  await fixture.insert([{ _id: 1, v: vector8 }]);
  await fixture.createIndex('v', {
    fields: [
      field('v', 'cosine'),
      field('dot', 'dotProduct'),
      field('euclidean', 'euclidean'),
      { type: 'filter', path: 'owner' },
    ],
  });
  await fixture.untilReady('v');
});
afterAll(() => fixture.close());

async function refusal(spec: unknown, environment = {}): Promise<{ code: number; message: string }> {
  try {
    await fixture.run('$vectorSearch', spec as Doc, environment);
  } catch (error) {
    if (error instanceof CommandError) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error('was accepted');
}

function changed(changes: Doc): Doc {
  const spec = { ...valid, ...changes };
  for (const [field, value] of Object.entries(changes)) if (value === undefined) delete spec[field];
  return spec;
}

const binary = (bytes: number[], subtype = 9) => new Binary(Uint8Array.from(bytes), subtype);

describe('the server refuses by its own numbers', () => {
  it.each<[unknown, number, string]>([
    ['x', 9, '$vectorSearch value must be an object. Found: string'],
    [7, 9, '$vectorSearch value must be an object. Found: int'],
    [changed({ limit: undefined }), 8575100, 'Expected limit field to be a number in $vectorSearch'],
    [changed({ limit: '5' }), 8575100, 'Expected limit field to be a number in $vectorSearch'],
    [changed({ limit: 0 }), 7912700, 'Expected limit to be positive'],
    [changed({ limit: -1, index: undefined }), 7912700, 'Expected limit to be positive'],
    [changed({ filter: { owner: { $foo: 1 } } }), 2, 'unknown operator: $foo'],
  ])('%j', async (spec, code, message) => {
    expect(await refusal(spec)).toEqual({ code, message });
  });

  it('in a transaction, before anything else', async () => {
    expect(await refusal({ limit: 0 }, { inTransaction: true })).toEqual({
      code: 263,
      message:
        'Operation not permitted in transaction :: caused by :: Aggregation stage $vectorSearch cannot run within a multi-document transaction.',
    });
  });
});

describe('the search engine refuses with 8 UnknownError', () => {
  it.each<[Doc, string]>([
    [{ index: undefined }, '"index" is required'],
    [{ index: null }, '"index" is required'],
    [{ index: '' }, '"index" cannot be empty'],
    [{ index: 1 }, '"index" must be a string'],
    [{ path: undefined }, '"path" is required'],
    [{ limit: 2.5 }, '"limit" must be an integer'],
    [{ numCandidates: 0 }, '"numCandidates" must be within bounds [1..10000]'],
    [{ numCandidates: 10_001 }, '"numCandidates" must be within bounds [1..10000]'],
    [{ numCandidates: undefined }, 'numCandidates is required for approximate vector search'],
    [{ numCandidates: 4 }, 'limit should be less than or equal to numCandidates'],
    [{ exact: true }, '"numCandidates" must be omitted when "exact" is set to true'],
    [{ exact: 1 }, '"exact" must be a boolean'],
    [{ queryVector: undefined }, 'Exactly one and only one of query and queryVector can be present'],
    [{ query: 'x' }, 'Exactly one and only one of query and queryVector can be present'],
    [{ query: 7, queryVector: undefined }, 'query must be a string or document, but got INT32'],
    [{ query: 'x', queryVector: undefined }, 'queryVector must be present'],
    [
      { model: 'voyage-4' },
      "model can only be specified when using 'query' for auto-embedding, not with 'queryVector'",
    ],
    [{ queryVector: 'x' }, '"queryVector" Unexpected type found when parsing vector'],
    [{ queryVector: [[1]] }, 'Unsupported BsonValue type: ARRAY'],
    [{ queryVector: [1, 'a'] }, 'Unsupported BsonValue type: STRING'],
    [{ queryVector: [new MinKey()] }, 'Unsupported BsonValue type: MIN_KEY'],
    [
      { queryVector: [1, Number.NaN] },
      '\'queryVector\' contains a non-finite value (Infinity or NaN) at position [1]. All values in "queryVector" must be finite.',
    ],
    [
      { queryVector: [1e300] },
      '\'queryVector\' contains a non-finite value (Infinity or NaN) at position [0]. All values in "queryVector" must be finite.',
    ],
    [{ queryVector: binary([1, 2], 0) }, 'BSON binary subtype should be vector(0x09) but got 0'],
    [{ queryVector: binary([39]) }, 'Expected at least 2 bytes in BSON vector but got 1'],
    [{ queryVector: binary([1, 0, 1]) }, 'Unsupported vector subtype found'],
    [{ queryVector: binary([3, 1, 1]) }, 'Padding should be zero'],
    [
      { queryVector: binary([16, 3, 8]) },
      'The dimensions of binary vector should be a multiple of 8 and\nthe padding should be zero.\n',
    ],
    [{ nestedOptions: { scoreMode: 'sum' } }, 'scoreMode: "sum" is not supported. Accepted values are "max" or "avg"'],
    [{ nestedOptions: { mode: 'max' } }, '"nestedOptions" unrecognized field "mode"'],
    [
      { nestedOptions: {} },
      '"nestedOptions" requires a vector path within the index\'s nested root, but \'v\' is outside it. Specify a path under the index\'s "nestedRoot" field, or remove "nestedOptions" to query \'v\' as a standard vector field.',
    ],
    [{ searchNodePreference: {} }, '"searchNodePreference.key" is required'],
    [{ returnStoredSource: true }, 'storedSource is not configured for this index.'],
    [{ explainOptions: {} }, "Query must be run in explain mode, because 'explainOptions' are present."],
    [{ filter: 'x' }, '"filter" must be a document'],
    [{ filter: { owner: { $in: [] } } }, '"filter.owner.$in" cannot be empty'],
    [{ parentFilter: { owner: { $in: [1, 'a'] } } }, '"parentFilter.owner.$in" must have elements of the same type'],
    [{ path: 'w' }, 'w is not indexed as vector'],
    [{ queryVector: [1, 2] }, 'vector field is indexed with 8 dimensions but queried with 2'],
    [{ filter: { topic: 'a' } }, "Path 'topic' needs to be indexed as filter"],
    [{ filter: { $or: [{ owner: 'a' }, { topic: { $exists: true } }] } }, "Path 'topic' needs to be indexed as filter"],
    [{ queryVector: [0, 0, 0, 0, 0, 0, 0, 0] }, 'Cosine similarity cannot be calculated against a zero vector.'],
    [
      { queryVector: Binary.fromBits([1, 0, 0, 0, 0, 0, 0, 0]) },
      'Binary vectors can only be used with fields indexed with Euclidean similarity but indexed similarity is COSINE',
    ],
    [
      { path: 'dot', queryVector: Binary.fromBits([1, 0, 0, 0, 0, 0, 0, 0]) },
      'Binary vectors can only be used with fields indexed with Euclidean similarity but indexed similarity is DOT_PRODUCT',
    ],
  ])('%j', async (changes, message) => {
    expect(await refusal(changed(changes))).toEqual({ code: 8, message: PREFIX + message });
  });
});

describe('any other specification', () => {
  const value = fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<BsonValue>(null, true, 0, 1, 8, 10, -1, 2.5, Number.NaN, 'v', 'owner', '', /x/, new Date(0)),
    fc.constantFrom<BsonValue>(vector8, [], [1, 'a'], binary([39, 0, 1]), binary([]), Long.MAX_VALUE, new MinKey()),
    fc.constantFrom<BsonValue>({}, { owner: 'a' }, { owner: { $in: [] } }, { $or: 1 }, { owner: { $not: [] } }),
  );
  const fields = [...Object.keys(valid), 'query', 'model', 'exact', 'filter', 'parentFilter', 'nestedOptions', 'extra'];
  const spec = fc.dictionary(fc.constantFrom(...fields), value, { noNullPrototype: true });

  it('is answered or refused by a number, never otherwise', async () => {
    const check = async (changes: Doc) => {
      const answer = await fixture.run('$vectorSearch', { ...valid, ...changes }).catch((error: unknown) => error);
      expect(answer instanceof CommandError || Array.isArray(answer)).toBe(true);
    };
    await fc.assert(fc.asyncProperty(spec, check), { numRuns: 500 });
  });
});

describe('$vectorSearch accepts', () => {
  it.each<[string, Doc]>([
    ['unknown fields', { k: 3 }],
    ['integers of every numeric type', { limit: new Double(5), numCandidates: Long.fromNumber(10) }],
    ['null for a field that may be missing', { filter: null, exact: null }],
    ['null in a filter on a path that is not indexed', { filter: { topic: { $ne: null } } }],
    ['an empty filter', { filter: {} }],
    ['a limit beyond what there is', { limit: 10_000, numCandidates: 10_000 }],
    ['exact without numCandidates', { exact: true, numCandidates: undefined }],
    ['a zero vector where no angle is asked for, and finds nothing', { path: 'euclidean' }],
  ])('%s', async (_, changes) => {
    const found = await fixture.search(changed(changes));
    expect(found.map(({ _id }) => _id)).toEqual(changes.path === undefined ? [1] : []);
  });

  it('a wrong query of an index that does not exist not at all, a right one with no answer', async () => {
    expect(await fixture.search(changed({ index: 'w' }))).toEqual([]);
    expect(await refusal(changed({ index: 'w', numCandidates: 4 }))).toMatchObject({ code: 8 });
  });

  it('anything on a collection that does not exist, with no answer', async () => {
    expect(await fixture.run('$vectorSearch', changed({ numCandidates: 4 }), { collection: 'none' })).toEqual([]);
    expect(await refusal({ limit: 0 }, { collection: 'none' })).toMatchObject({ code: 7912700 });
  });
});
