import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SpaceRecord } from '../../../src/store/records.js';
import { makeScope, operator } from '../../../src/store/scope.js';
import { SpacesMoved, spaceFence } from '../../../src/store/space-fence.js';
import { inTransaction } from '../../../src/store/transaction.js';
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

/**
 * How spaces come, take over and go, and that no version is ever stored without a vector for each of them, whoever knows
 * the list late.
 */
const scope = makeScope('ada', null);
const chunking = ONE_PARAGRAPH;
let server: TestPocketAtlas;
const stores: TestStore[] = [];

beforeAll(async () => {
  server = await startTestPocketAtlas();
});
afterAll(async () => {
  await Promise.all(stores.map((store) => store.close()));
  await server?.stop();
});

async function open(options: Parameters<typeof openTestStore>[1] = {}, second = secondEmbedder()): Promise<TestStore> {
  const store = await openTestStore(server.uri, {
    ingest: { embedderOf: embeddersOf(options.embedder ?? countingEmbedder(), second) },
    ...options,
  });
  stores.push(store);
  return store;
}

async function spacesOfChunks(store: TestStore): Promise<string[]> {
  const rows = await store.database.chunks.find().toArray();
  return [...new Set(rows.map((row) => Object.keys(row.embeddings).sort().join()))];
}

describe('a new space', () => {
  test('is BUILDING beside the active one, has an index and no weights, and every upsert writes to it', async () => {
    const store = await open();
    await store.database.spaces.updateOne({ _id: 's1' }, { $set: { weights: { vector: 0.3, text: 0.7 } } });
    const space = await store.createSpace(operator, secondEmbedder().space);
    expect(space).toMatchObject({ id: 's2', state: 'BUILDING', weights: null, isComplete: false, dimensions: 64 });
    expect(await store.activeSpace()).toMatchObject({ id: 's1', state: 'ACTIVE' });
    expect((await store.listSearchIndexes(operator)).map(({ name }) => name)).toContain('gazetteer_vector_s2');
    await store.upsert(scope, 't', paragraphs(3), { chunking });
    await store.upsert(scope, 't', paragraphs(4), { chunking });
    expect(await spacesOfChunks(store)).toEqual(['s1,s2']);
    const [row] = await store.database.chunks.find().toArray();
    expect(row?.embeddings.s2?.toFloat32Array()).toEqual(secondVector(row?.text as string));
  });

  test.each([
    ['like the active one', 'INVALID', {}, /embedded with hash\/feature-hashing-v1 \(256 dimensions\) already/],
    [
      'beside another',
      'CONFLICT',
      { model: 'third' },
      /s2, hash\/second \(64 dimensions\), BUILDING.*dropEmbeddingSpace/,
    ],
  ])('%s is %s', async (_, code, changes, message) => {
    const store = await open();
    const other = 'model' in changes;
    if (other) await store.createSpace(operator, secondEmbedder().space);
    const refused = store.createSpace(
      operator,
      other ? { ...secondEmbedder().space, ...changes } : store.embedder.space,
    );
    await expect(refused).rejects.toMatchObject({ code });
    await expect(refused).rejects.toThrow(message);
  });

  test('that is asked for or taken up at once by several is theirs who came first', async () => {
    const store = await open();
    const { space } = secondEmbedder();
    const first = async (attempts: Promise<SpaceRecord>[]): Promise<SpaceRecord> => {
      const ends = await Promise.allSettled(attempts);
      const made = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
      expect(made).toHaveLength(1);
      for (const end of ends) if (end.status === 'rejected') expect(end.reason).toMatchObject({ code: 'CONFLICT' });
      return made[0]!;
    };
    await first([1, 2, 3].map(() => store.createSpace(operator, space)));
    await store.noteSpaceJob(operator, 's2', 'f'.repeat(24));
    const [, left] = await store.listSpaces(operator);
    await first([1, 2, 3].map(() => store.resumeSpace(operator, left!)));
    expect((await store.listSpaces(operator)).map(({ id }) => id)).toEqual(['s1', 's2']);
  });

  test('never gets the number of one that was dropped, whose vectors and index are gone', async () => {
    const store = await open();
    await store.createSpace(operator, secondEmbedder().space);
    await store.upsert(scope, 't', paragraphs(2), { chunking });
    expect(await store.dropSpace(operator, 's2')).toBe('s2');
    expect(await spacesOfChunks(store)).toEqual(['s1']);
    const indexes = await store.database.chunks.listSearchIndexes().toArray();
    expect(indexes.map(({ name }) => name).sort()).toEqual(['gazetteer_text', 'gazetteer_vector_s1']);
    expect(await store.createSpace(operator, secondEmbedder().space)).toMatchObject({ id: 's3' });
    await store.upsert(scope, 'u', 'text');
    expect(await spacesOfChunks(store)).toEqual(['s1', 's1,s3']);
  });

  test('a drop that a crash cut short is finished by the next start', async () => {
    const store = await open();
    await store.createSpace(operator, secondEmbedder().space);
    await store.upsert(scope, 't', paragraphs(2), { chunking });
    // As the drop's transaction leaves it.
    await store.database.spaces.deleteOne({ _id: 's2' });
    await store.database.settings.updateOne({ _id: 'spaces' }, { $inc: { generation: 1 }, $set: { dropped: ['s2'] } });
    const again = await open({ dbName: store.dbName });
    await expect.poll(() => spacesOfChunks(again)).toEqual(['s1']);
    await expect
      .poll(async () => (await again.database.chunks.listSearchIndexes().toArray()).map(({ name }) => name).sort())
      .toEqual(['gazetteer_text', 'gazetteer_vector_s1']);
    // Nobody was told of the new list: a writer finds out by itself.
    await again.upsert(scope, 'u', 'text');
    expect(await spacesOfChunks(again)).toEqual(['s1']);
  });
});

describe('a writer that knows only the old list', () => {
  test.each([
    ['one transaction', {}],
    ['a staged flip', { writeLimits: { maxTransactionRows: 2, maxTransactionBytes: 1_000_000 } }],
  ])('starts again and embeds what is missing (%s)', async (_, options) => {
    const second = secondEmbedder();
    let meanwhile = async (): Promise<void> => {};
    const first = countingEmbedder();
    const slow = {
      ...first,
      countTokens: first.countTokens,
      embed: async (texts: readonly string[], embedOptions: Parameters<typeof first.embed>[1]) => {
        const vectors = await first.embed(texts, embedOptions);
        await meanwhile();
        return vectors;
      },
    };
    const store = await open({ ...options, ingest: { embedderOf: embeddersOf(slow, second) } }, second);
    const other = await open({ dbName: store.dbName });
    await store.upsert(scope, 't', paragraphs(2), { chunking });
    meanwhile = async () => {
      meanwhile = async () => {};
      await other.createSpace(operator, second.space);
    };
    const { document } = await store.upsert(scope, 't', paragraphs(6, 'omega'), { chunking });
    expect(document).toMatchObject({ version: 2, chunkCount: 6 });
    const live = await store.database.chunks.find({ from_version: 2 }).toArray();
    expect(live).toHaveLength(6);
    for (const row of live) expect(Object.keys(row.embeddings).sort()).toEqual(['s1', 's2']);
    expect(first.asked).toHaveLength(8);
    expect(second.asked).toHaveLength(6);
  });

  test('a transaction that passed the fence before the list changed holds the change up until it has ended', async () => {
    const store = await open();
    const fence = spaceFence(store.database, () => {});
    const order: string[] = [];
    let creating: Promise<unknown> | undefined;
    await fence.during({ spaces: ['s1'] }, (pass) =>
      inTransaction(store.database, async (session) => {
        await pass.alone(session);
        creating = store.createSpace(operator, secondEmbedder().space).then(() => order.push('made'));
        // The space's row is there, and its creation still has to wait for this slot.
        await expect.poll(() => store.database.spaces.countDocuments()).toBe(2);
        order.push('committed');
      }),
    );
    await creating;
    expect(order).toEqual(['committed', 'made']);
    const late = fence.during({ spaces: ['s1'] }, (pass) =>
      inTransaction(store.database, (session) => pass.alone(session)),
    );
    await expect(late).rejects.toThrow(SpacesMoved);
  });

  test('thirty transactions at once each have a slot of their own', async () => {
    const store = await open();
    const fence = spaceFence(store.database, () => {});
    let attempts = 0;
    await Promise.all(
      Array.from({ length: 30 }, () =>
        fence.during({ spaces: ['s1'] }, (pass) =>
          inTransaction(store.database, async (session) => {
            attempts++;
            await pass.alone(session);
          }),
        ),
      ),
    );
    expect(attempts).toBe(30);
  });
});
