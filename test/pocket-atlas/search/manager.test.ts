import { afterEach, describe, expect, it } from 'vitest';
import type { Doc } from '../../../src/pocket-atlas/bson/values.js';
import { CommandError } from '../../../src/pocket-atlas/errors.js';
import type { SearchIndexKind } from '../../../src/pocket-atlas/search/search-index.js';
import { createVectorIndexKind } from '../../../src/pocket-atlas/search/vector/vector-index.js';
import { type FixtureOptions, NAMESPACE, type SearchFixture, searchFixture, until } from './search-fixture.js';

const vector = { type: 'vector', path: 'v', numDimensions: 2, similarity: 'cosine' };
const definition = { fields: [vector] };
const filtered = { fields: [vector, { type: 'filter', path: 'owner' }] };
const near = { queryVector: [1, 0], numCandidates: 100, limit: 100 };

let fixture: SearchFixture;
afterEach(() => fixture?.close());

async function start(options?: FixtureOptions): Promise<SearchFixture> {
  fixture = await searchFixture(options);
  return fixture;
}

async function refusal(run: () => unknown): Promise<{ code: number; message: string }> {
  try {
    await run();
  } catch (error) {
    if (error instanceof CommandError) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error('was accepted');
}

const ids = async () => (await fixture.search(near)).map(({ _id }) => _id);
const create = (index: Doc, collection = 'c') => fixture.manager.create({ db: 'db', collection }, { indexes: [index] });

describe('createSearchIndexes', () => {
  it('replies with ids and names before anything is built', async () => {
    const { manager } = await start();
    const reply = await manager.create(NAMESPACE, {
      indexes: [
        { type: 'vectorSearch', definition },
        { name: 'w', type: 'vectorSearch', definition },
      ],
    });
    const id = expect.stringMatching(/^[0-9a-f]{24}$/);
    expect(reply).toEqual({
      indexesCreated: [
        { id, name: 'default' },
        { id, name: 'w' },
      ],
    });
  });

  it('is idempotent for the same definition and refuses another one', async () => {
    await start();
    const index = { name: 'v', type: 'vectorSearch', definition };
    const first = await create(index);
    expect(await create({ ...index, definition: { fields: [{ ...vector, quantization: 'none' }] } })).toEqual(first);
    expect(await refusal(() => create({ ...index, definition: filtered }))).toEqual({
      code: 68,
      message: 'Index v already exists with a different definition. Drop it first if needed.',
    });
  });

  it.each<[string, Doc, number, string]>([
    ['without a definition', { name: 'v', type: 'vectorSearch' }, 9, '"indexes[0].definition" is required'],
    ['of an unknown type', { type: 'geo', definition }, 9, '"indexes[0].type" must be one of [search, vectorSearch]'],
    ['with an unknown field', { definition, index: 1 }, 9, '"indexes[0]" unrecognized field "index"'],
    [
      'with a wrong definition',
      { name: 'v', type: 'vectorSearch', definition: { fields: [{ ...vector, numDimensions: 0 }] } },
      125,
      'Error creating index \'v\': "definition.fields[0].numDimensions" must be within bounds [1..8192]',
    ],
  ])('refuses an index %s', async (_, index, code, message) => {
    await start();
    expect(await refusal(() => create(index))).toEqual({ code, message });
  });

  it('makes none when one of several is wrong', async () => {
    const { manager } = await start();
    const good = { name: 'good', type: 'vectorSearch', definition };
    const bad = { name: 'bad', type: 'vectorSearch', definition: {} };
    expect(await refusal(() => manager.create(NAMESPACE, { indexes: [good, bad] }))).toMatchObject({ code: 125 });
    expect(manager.list(NAMESPACE)).toEqual([]);
  });

  it('refuses a collection that does not exist', async () => {
    await start();
    expect(await refusal(() => create({ type: 'vectorSearch', definition }, 'none'))).toEqual({
      code: 26,
      message: "Collection 'db.none' does not exist.",
    });
  });
});

describe('updateSearchIndex and dropSearchIndex', () => {
  it.each<[Doc, number, string]>([
    [{ name: 'w' }, 27, 'No index with name w exists in namespace db.c'],
    [{ id: '0'.repeat(24) }, 27, `No index with id ${'0'.repeat(24)} exists in namespace db.c`],
    [{}, 9, 'one of [id, name] must be present'],
    [{ id: 'a', name: 'b' }, 9, 'only one of [id, name] may be present'],
  ])('refuse %j', async (selector, code, message) => {
    const { manager } = await start();
    await create({ name: 'v', type: 'vectorSearch', definition });
    expect(await refusal(() => manager.drop(NAMESPACE, selector))).toEqual({ code, message });
    expect(await refusal(() => manager.update(NAMESPACE, { ...selector, definition }))).toEqual({ code, message });
  });

  it('refuse to change the type', async () => {
    const { manager } = await start();
    await create({ name: 'v', type: 'vectorSearch', definition });
    expect(await refusal(() => manager.update(NAMESPACE, { name: 'v', type: 'search', definition }))).toEqual({
      code: 197,
      message: "An index's type cannot be changed",
    });
  });

  it('drop an index by id at once; what it kept goes too', async () => {
    const { manager } = await start();
    await create({ name: 'v', type: 'vectorSearch', definition });
    const [row] = manager.list(NAMESPACE);
    await manager.drop(NAMESPACE, { id: row!.id });
    expect(manager.list(NAMESPACE)).toEqual([]);
    expect(await fixture.search(near)).toEqual([]);
    await fixture.restart();
    expect(fixture.manager.list(NAMESPACE)).toEqual([]);
    expect([...fixture.engine.keyspace('search-vectors').range(Buffer.from(''), Buffer.from('\xff'))]).toEqual([]);
  });
});

describe('$listSearchIndexes', () => {
  it('shows rows as Atlas does', async () => {
    await start({ now: () => 1_000 });
    await fixture.insert([{ _id: 1, v: [1, 0] }]);
    await create({ name: 'v', type: 'vectorSearch', definition });
    await fixture.untilReady('v');
    const version = { version: 0, createdAt: new Date(1_000) };
    expect(await fixture.run('$listSearchIndexes', {})).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{24}$/),
        name: 'v',
        type: 'vectorSearch',
        status: 'READY',
        queryable: true,
        latestDefinitionVersion: version,
        latestDefinition: definition,
        statusDetail: [
          {
            hostname: 'pocket-atlas',
            status: 'READY',
            queryable: true,
            mainIndex: { status: 'READY', queryable: true, definitionVersion: version, definition },
          },
        ],
        numDocs: 1,
      },
    ]);
  });

  it('selects by name or id', async () => {
    await start();
    await create({ name: 'a', type: 'vectorSearch', definition });
    await create({ name: 'b', type: 'vectorSearch', definition });
    const [a, b] = await fixture.run('$listSearchIndexes', {});
    expect([a!.name, b!.name]).toEqual(['a', 'b']);
    expect(await fixture.run('$listSearchIndexes', { name: 'b' })).toMatchObject([{ id: b!.id }]);
    expect(await fixture.run('$listSearchIndexes', { id: a!.id })).toMatchObject([{ name: 'a' }]);
    expect(await fixture.run('$listSearchIndexes', { name: 'none' })).toEqual([]);
    expect(await fixture.run('$listSearchIndexes', {}, { collection: 'none' })).toEqual([]);
  });

  it.each<[unknown, number, string]>([
    [[], 9, 'The $listSearchIndexes stage specification must be an object. Found: array'],
    [{ name: 'a', id: 'b' }, 72, "Cannot set both 'name' and 'id' for $listSearchIndexes."],
    [{ names: 'a' }, 40415, "BSON field '$listSearchIndexes.names' is an unknown field."],
    [{ name: 1 }, 14, "BSON field '$listSearchIndexes.name' is the wrong type 'int', expected type 'string'"],
  ])('refuses %j', async (spec, code, message) => {
    await start();
    expect(await refusal(() => fixture.run('$listSearchIndexes', spec as Doc))).toEqual({ code, message });
  });
});

/** A vector kind whose builds wait, once opened, until the test lets them go on. */
function gatedKind() {
  const kind = createVectorIndexKind();
  const gates: (() => void)[] = [];
  const gated: SearchIndexKind = {
    ...kind,
    async open(options) {
      await new Promise<void>((resolve) => gates.push(resolve));
      return kind.open(options);
    },
  };
  const openNext = async () => {
    await until(() => gates.length > 0, 'a build starts');
    gates.shift()!();
  };
  return { gated, openNext };
}

describe('the life of an index', () => {
  it('refuses queries before it has ever been complete', async () => {
    const { gated, openNext } = gatedKind();
    await start({ kinds: [gated] });
    await fixture.insert([{ _id: 1, v: [1, 0] }]);
    await create({ name: 'v', type: 'vectorSearch', definition });
    expect(fixture.rows()).toMatchObject([{ status: 'PENDING', queryable: false }]);
    expect(await refusal(() => fixture.search(near))).toEqual({
      code: 8,
      message:
        'Executor error during aggregate command on namespace: db.c :: caused by :: cannot query vector index v while in state NOT_STARTED',
    });
    await openNext();
    await fixture.untilReady('v');
    expect(await ids()).toEqual([1]);
  });

  it('goes on answering with the old definition while a new one is built', async () => {
    const { gated, openNext } = gatedKind();
    await start({ kinds: [gated] });
    await fixture.insert([{ _id: 1, v: [1, 0], owner: 'a' }]);
    await create({ name: 'v', type: 'vectorSearch', definition });
    await openNext();
    await fixture.untilReady('v');

    await fixture.manager.update(NAMESPACE, { name: 'v', definition: filtered });
    expect(fixture.rows()).toMatchObject([
      {
        status: 'BUILDING',
        queryable: true,
        latestDefinitionVersion: { version: 1 },
        latestDefinition: filtered,
        statusDetail: [
          {
            mainIndex: { status: 'READY', queryable: true, definitionVersion: { version: 0 } },
            stagedIndex: { status: 'PENDING', queryable: false, definitionVersion: { version: 1 } },
          },
        ],
      },
    ]);
    expect(await ids()).toEqual([1]);
    expect(await refusal(() => fixture.search({ ...near, filter: { owner: 'a' } }))).toMatchObject({ code: 8 });

    await openNext();
    await fixture.untilReady('v');
    expect(fixture.rows()).toMatchObject([{ statusDetail: [{ mainIndex: { definitionVersion: { version: 1 } } }] }]);
    expect(fixture.rows()[0]!.statusDetail).not.toHaveProperty('stagedIndex');
    expect(await fixture.search({ ...near, filter: { owner: 'b' } })).toEqual([]);
  });

  it('starts over when it is updated before it was complete', async () => {
    const { gated, openNext } = gatedKind();
    await start({ kinds: [gated] });
    await fixture.insert([{ _id: 1, v: [1, 0], owner: 'a' }]);
    await create({ name: 'v', type: 'vectorSearch', definition });
    await fixture.manager.update(NAMESPACE, { name: 'v', definition: filtered });
    expect(fixture.rows()).toMatchObject([{ status: 'PENDING', latestDefinitionVersion: { version: 1 } }]);
    await openNext();
    await openNext();
    await fixture.untilReady('v');
    expect(await fixture.search({ ...near, filter: { owner: 'a' } })).toHaveLength(1);
  });

  it('takes the place of a staged definition that a later one overtook', async () => {
    await start();
    await fixture.insert([{ _id: 1, v: [1, 0], owner: 'a' }]);
    await create({ name: 'v', type: 'vectorSearch', definition });
    await fixture.untilReady('v');
    await fixture.manager.update(NAMESPACE, { name: 'v', definition: filtered });
    await fixture.manager.update(NAMESPACE, { name: 'v', definition });
    await fixture.untilReady('v');
    expect(fixture.rows()).toMatchObject([{ latestDefinitionVersion: { version: 2 }, latestDefinition: definition }]);
  });

  it('ends with its collection, and a new one of the name has none', async () => {
    await start();
    await fixture.insert([{ _id: 1, v: [1, 0] }]);
    await create({ name: 'v', type: 'vectorSearch', definition });
    await fixture.untilReady('v');
    await fixture.engine.dropCollection('db', 'c');
    expect(await ids()).toEqual([]);
    await fixture.engine.createCollection('db', 'c', {});
    expect(fixture.rows()).toEqual([]);
    expect(await ids()).toEqual([]);
    const catalogue = () => [
      ...fixture.engine.keyspace('search-catalogue').range(Buffer.from(''), Buffer.from('\xff')),
    ];
    await until(() => catalogue().length === 0, 'nothing is left of the index');
  });

  it('follows its collection to another name', async () => {
    await start();
    await fixture.insert([{ _id: 1, v: [1, 0] }]);
    await create({ name: 'v', type: 'vectorSearch', definition });
    await fixture.untilReady('v');
    await fixture.engine.renameCollection('db', 'c', 'db', 'renamed', false);
    const spec = { index: 'v', path: 'v', ...near };
    expect(await fixture.run('$vectorSearch', spec, { collection: 'renamed' })).toHaveLength(1);
    await fixture.engine.write((txn) => txn.remove(txn.collection('db', 'renamed')!, 1));
    await until(
      () => fixture.manager.list({ db: 'db', collection: 'renamed' })[0]?.numDocs === 0,
      'the removal is fed',
    );
  });

  it('refuses a stage of another kind of index by name', async () => {
    const vectorKind = createVectorIndexKind();
    const other: SearchIndexKind = {
      ...vectorKind,
      type: 'search',
      stages: { $other: (spec) => vectorKind.stages.$vectorSearch!(spec) },
    };
    await start({ kinds: [vectorKind, other] });
    await create({ name: 'v', type: 'search', definition });
    await create({ name: 'w', type: 'vectorSearch', definition });
    expect((await refusal(() => fixture.search(near))).message).toMatch(
      /Cannot execute \$vectorSearch over search index 'v'$/,
    );
    const spec = { index: 'w', path: 'v', ...near };
    expect((await refusal(() => fixture.run('$other', spec))).message).toMatch(
      /Cannot execute \$other over vectorSearch index 'w'$/,
    );
  });
});

describe('feeding', () => {
  it('follows inserts, replacements and removals', async () => {
    await start();
    await create({ name: 'v', type: 'vectorSearch', definition });
    await fixture.untilReady('v');
    await fixture.insert([1, 2, 3].map((_id) => ({ _id, v: [1, _id] })));
    await fixture.untilFed();
    expect(await ids()).toEqual([1, 2, 3]);
    await fixture.replace({ _id: 1, v: [0, 1] });
    await fixture.remove(2);
    await fixture.untilFed();
    expect(await ids()).toEqual([3, 1]);
    await fixture.replace({ _id: 3, v: [1, 2, 3] });
    await fixture.untilFed();
    expect(await ids()).toEqual([1]);
  });

  it('shows a commit only once it is as old as the lag', async () => {
    let now = 0;
    await start({ lagMs: 1_000, now: () => now });
    await create({ name: 'v', type: 'vectorSearch', definition });
    await fixture.untilReady('v');
    // Commits are timed by the engine's clock.
    now = Date.now();
    await fixture.insert([{ _id: 1, v: [1, 0] }]);
    const committed = Date.now();
    // A later commit wakes the feeder, which finds nothing old enough.
    now = committed + 500;
    await fixture.insert([{ _id: 2, v: [1, 0] }]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(await ids()).toEqual([]);
    now = committed + 60_000;
    await fixture.untilFed();
    expect(await ids()).toEqual([1, 2]);
  });

  it('drops hits whose record is gone, without others in their place', async () => {
    await start({ lagMs: 60_000 });
    await fixture.insert([1, 2, 3].map((_id) => ({ _id, v: [1, _id] })));
    await create({ name: 'v', type: 'vectorSearch', definition });
    await fixture.untilReady('v');
    await fixture.remove(1);
    expect((await fixture.search({ ...near, limit: 2 })).map(({ _id }) => _id)).toEqual([2]);
  });

  it('returns the record as it is now, with the score of what was indexed', async () => {
    await start({ lagMs: 60_000 });
    await fixture.insert([{ _id: 1, v: [1, 0] }]);
    await create({ name: 'v', type: 'vectorSearch', definition });
    await fixture.untilReady('v');
    await fixture.replace({ _id: 1, v: [0, 1], text: 'new' });
    const [doc] = await fixture.run('$vectorSearch', { index: 'v', path: 'v', ...near });
    expect(doc).toMatchObject({ text: 'new' });
    expect(await fixture.search(near)).toEqual([{ _id: 1, score: 1 }]);
  });
});
