import { ObjectId } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newChunkRow, toBinary } from '../../src/store/chunk-rows.js';
import { claimDocument, LEASE_MS, underClaim } from '../../src/store/claim.js';
import { findOrphanedChunks, findTornDocuments } from '../../src/store/integrity.js';
import type { NewChunk } from '../../src/store/records.js';
import { makeScope, operator } from '../../src/store/scope.js';
import { VersionMoved } from '../../src/store/store.js';
import { STORE_SERVERS } from '../support/store-servers.js';
import { ONE_PARAGRAPH, openTestStore, paragraphs, type TestStore } from '../support/test-store.js';

// Small limits stage small documents, so that the flip is tried without megabytes. Readers see old or new, never a mix:
// tried by stopping an attempt at each of its transactions, as a crash would.

const scope = makeScope('ada', null);
const chunking = ONE_PARAGRAPH;
const writeLimits = { maxTransactionRows: 2, maxTransactionBytes: 1_000_000 };

describe.each(STORE_SERVERS)('a staged version on $name', ({ start, hasSearch }) => {
  let server: Awaited<ReturnType<typeof start>>;
  const stores: TestStore[] = [];
  const open = async (options: Parameters<typeof openTestStore>[1] = {}): Promise<TestStore> => {
    const store = await openTestStore(server.uri, { requireSearch: hasSearch, writeLimits, ...options });
    stores.push(store);
    return store;
  };
  const texts = async (store: TestStore): Promise<(string | null)[]> => {
    const { items } = await store.listDocuments(scope, { orderBy: 'TITLE', first: 10 });
    return await store.texts(
      scope,
      items.map(({ node }) => node.id),
    );
  };

  beforeAll(async () => {
    server = await start();
  });
  afterAll(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await server?.stop();
  });

  test('says how many of its rows are stored, batch by batch', async () => {
    const store = await open();
    const told: [number, number][] = [];
    const input = { title: 'long', text: paragraphs(600), chunking, dryRun: false, waitUntil: 'STORED' } as const;
    await store.ingest.upsertDocument(scope, input, {
      onProgress: ({ phase, done, total }) => phase === 'storing' && told.push([done, total]),
    });
    expect(told.slice(0, 3)).toEqual([
      [0, 600],
      [500, 600],
      [600, 600],
    ]);
  });

  test('is created whole, replaced whole, and leaves neither claim nor cleanup behind', async () => {
    const store = await open();
    const created = await store.upsert(scope, 't', paragraphs(6), { chunking });
    expect(created).toMatchObject({ outcome: 'CREATED', document: { version: 1, chunkCount: 6 } });
    expect(await findTornDocuments(store.database)).toEqual([]);
    const text = `${paragraphs(2, 'omega')}\n\n${paragraphs(5)}`;
    const replaced = await store.upsert(scope, 't', text);
    expect(replaced.changes).toMatchObject({ chunksAdded: 2, chunksKept: 5, chunksRemoved: 1, chunksEmbedded: 2 });
    expect(await findTornDocuments(store.database)).toEqual([]);
    expect(await texts(store)).toEqual([text]);
    const row = await store.database.documents.findOne();
    expect(row?.attempt).toBeUndefined();
    expect(await store.database.cleanups.countDocuments()).toBe(0);
    // Moved rows are new ones with their vectors copied, nothing was embedded again.
    const live = await store.database.chunks.find({ from_version: 2 }).toArray();
    expect(live).toHaveLength(7);
  });

  test('superseded rows and texts stay a minute for those who read them, then go', async () => {
    const store = await open();
    await store.upsert(scope, 't', paragraphs(5), { chunking });
    await store.upsert(scope, 't', paragraphs(4, 'omega'));
    expect(await store.database.chunks.countDocuments()).toBe(9);
    store.advance(59_000);
    expect(await store.sweep(operator)).toMatchObject({ supersededRemoved: 0 });
    expect(await store.database.chunks.countDocuments()).toBe(9);
    store.advance(2_000);
    expect(await store.sweep(operator)).toMatchObject({ supersededRemoved: 1 });
    expect(await store.database.chunks.countDocuments()).toBe(4);
    expect(await store.database.texts.distinct('version')).toEqual([2]);
    expect(await store.sweep(operator)).toMatchObject({ supersededRemoved: 0 });
    expect(await findTornDocuments(store.database)).toEqual([]);
  });

  test('a crash at any of its transactions leaves the version before, and the sweeper undoes the rest', async () => {
    const store = await open();
    await store.upsert(scope, 't', paragraphs(5), { chunking, language: 'en' });
    const before = await store.document(scope, { title: 't' });
    const rows = await store.database.chunks.find().sort({ ordinal: 1 }).toArray();
    const next = `${paragraphs(2, 'omega')}\n\n${paragraphs(4)}`;
    let crashes = 0;
    for (let survives = 0; ; survives++) {
      const crashing = await open({ dbName: store.dbName });
      crashAfter(crashing, survives);
      const result = await crashing.upsert(scope, 't', next).catch(() => null);
      if (result !== null) break;
      crashes++;
      expect(await store.document(scope, { title: 't' })).toMatchObject({ version: 1, revision: before?.revision });
      expect(await findTornDocuments(store.database)).toEqual([]);
      store.advance(LEASE_MS + 1_000);
      await store.sweep(operator);
      const row = await store.database.documents.findOne();
      expect(row?.attempt).toBeUndefined();
      expect(await store.database.chunks.find().sort({ ordinal: 1 }).toArray()).toEqual(rows);
      expect(await store.database.texts.distinct('version')).toEqual([1]);
    }
    // Claim renewals: undo, rows, text, superseding, flip.
    expect(crashes).toBeGreaterThanOrEqual(4);
    expect(await texts(store)).toEqual([next]);
    expect(await findTornDocuments(store.database)).toEqual([]);
  });

  test('a crash while a large document is created leaves no document and, after a sweep, no rows', async () => {
    const store = await open();
    for (const survives of [0, 1, 2]) {
      const crashing = await open({ dbName: store.dbName });
      crashAfter(crashing, survives);
      await expect(crashing.upsert(scope, 't', paragraphs(5), { chunking })).rejects.toThrow('crashed');
      expect(await store.countDocuments(scope)).toBe(0);
      store.advance(LEASE_MS + 1_000);
      await store.sweep(operator);
      expect(await store.database.chunks.countDocuments()).toBe(0);
      expect(await store.database.texts.countDocuments()).toBe(0);
      expect(await store.database.cleanups.countDocuments()).toBe(0);
    }
    expect((await store.upsert(scope, 't', paragraphs(5))).outcome).toBe('CREATED');
  });

  test('an attempt that lost its claim writes nothing more, however late it wakes up', async () => {
    const store = await open();
    const { document } = await store.upsert(scope, 't', paragraphs(3), { chunking });
    const id = new ObjectId(document?.id);
    let now = Date.now();
    const clock = () => new Date(now);
    const guard = { id, version: 1, revision: 1 };
    const slow = await claimDocument(store.database, guard, clock);
    await expect(claimDocument(store.database, guard, clock)).rejects.toThrow(VersionMoved);
    now += LEASE_MS + 1;
    const heir = await claimDocument(store.database, guard, clock);
    await expect(
      underClaim(store.database, slow, (session) => store.database.chunks.insertOne(stagedRow(id), { session })),
    ).rejects.toThrow(VersionMoved);
    expect(await store.database.chunks.countDocuments()).toBe(3);
    await underClaim(store.database, heir, (session) => store.database.chunks.insertOne(stagedRow(id), { session }));
    expect(await store.database.chunks.countDocuments()).toBe(4);
  });

  test('a small write waits for a claim that lives, and undoes one that died', async () => {
    const store = await open({ writeLimits: { maxTransactionRows: 100, maxTransactionBytes: 1_000_000 } });
    const { document } = await store.upsert(scope, 't', paragraphs(3), { chunking });
    const id = new ObjectId(document?.id);
    const claim = await claimDocument(store.database, { id, version: 1, revision: 1 }, store.clock);
    await underClaim(store.database, claim, (session) => store.database.chunks.insertOne(stagedRow(id), { session }));
    const version = {
      title: 't',
      text: 'x',
      contentHash: '',
      mediaType: 'text/plain',
      language: null,
      sourceUri: null,
      agentIds: [],
      metadata: {},
      chunking: document?.chunking as never,
      space: 's1',
      chunks: [],
      vectors: new Map(),
    };
    await expect(store.writeVersion(scope, document, version)).rejects.toThrow(VersionMoved);
    expect(await store.database.chunks.countDocuments()).toBe(4);
    store.advance(LEASE_MS + 1_000);
    const after = await store.upsert(scope, 't', paragraphs(2, 'omega'));
    expect(after.document?.version).toBe(2);
    expect(await store.database.chunks.countDocuments()).toBe(2);
    expect(await findTornDocuments(store.database)).toEqual([]);
  });

  test('parallel large and small writes of one title, with attribute changes and a delete between, end whole', async () => {
    const store = await open();
    const work = Array.from({ length: 12 }, (_, index) => {
      if (index === 7) return store.deleteDocument(scope, { title: 't' });
      if (index % 3 === 2) return store.updateAttributes(scope, { title: 't' }, { metadata: { index } });
      return store.upsert(scope, 't', paragraphs(1 + (index % 5), `word${index}`), {
        chunking,
        agentIds: [`a${index}`],
      });
    });
    for (const result of await Promise.allSettled(work))
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'CONFLICT' });
    expect(await findTornDocuments(store.database)).toEqual([]);
    store.advance(2 * LEASE_MS);
    await store.sweep(operator);
    const rows = await store.database.chunks.find().toArray();
    const document = await store.database.documents.findOne();
    expect(rows).toHaveLength(document?.chunk_count ?? 0);
    for (const row of rows) expect(row.agent_ids).toEqual(document?.agent_ids);
    expect(await findOrphanedChunks(store.database)).toBe(0);
  });

  test('readers that list chunks while versions are flipped see one version or the other', async () => {
    const store = await open();
    const { document } = await store.upsert(scope, 't', paragraphs(4, 'word0'), { chunking });
    const id = document?.id as string;
    let writing = true;
    const seen = new Set<string>();
    const reading = (async () => {
      while (writing) {
        const [text] = await store.texts(scope, [id]);
        const words = (text as string).split('\n\n').map((paragraph) => paragraph.split(' ')[0]);
        expect(new Set(words).size).toBe(1);
        const { items } = await store.listChunks(scope, id, { first: 50 });
        expect(items.map(({ node }) => node.ordinal)).toEqual([...items.keys()]);
        seen.add(`${words[0]}`);
      }
    })();
    for (let version = 1; version <= 8; version++)
      await store.upsert(scope, 't', paragraphs(3 + (version % 3), `word${version}`));
    writing = false;
    await reading;
    expect(seen.size).toBeGreaterThan(1);
    expect(await findTornDocuments(store.database)).toEqual([]);
  });
});

/** The store's connection dies after so many transactions under a claim: every later command fails, as after a crash. */
function crashAfter(store: TestStore, transactions: number): void {
  const { client } = store.database;
  const startSession = client.startSession.bind(client);
  let left = transactions;
  client.startSession = (options) => {
    if (left-- > 0) return startSession(options);
    for (const collection of [
      store.database.documents,
      store.database.chunks,
      store.database.texts,
      store.database.cleanups,
    ])
      for (const name of ['updateOne', 'updateMany', 'deleteMany', 'deleteOne', 'insertMany', 'find'] as const)
        Object.defineProperty(collection, name, {
          value: () => {
            throw new Error('crashed');
          },
        });
    throw new Error('crashed');
  };
}

function stagedRow(documentId: ObjectId) {
  const chunk: NewChunk = {
    start: 0,
    end: 6,
    parentStart: null,
    parentEnd: null,
    page: null,
    headings: [],
    language: null,
    tokenCount: 1,
    text: 'staged',
    embedHash: 'staged',
  };
  return newChunkRow(
    { _id: documentId, owner: 'ada' },
    { agent_ids: [], metadata: {}, language: null },
    { chunk, ordinal: 0 },
    { fromVersion: 2, writtenAt: new Date(), embeddings: { s1: toBinary(Float32Array.of(1, ...Array(255).fill(0))) } },
  );
}
