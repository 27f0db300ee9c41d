import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createEmbedder } from '../../src/embed/create-embedder.js';
import type { Embedder } from '../../src/embed/embedder.js';
import { createIngest } from '../../src/ingest/create-ingest.js';
import { KEPT_WORK_TTL_MS } from '../../src/store/kept-work.js';
import { makeScope } from '../../src/store/scope.js';
import { type FakeOpenai, startFakeOpenai } from '../support/fake-openai.js';
import { STORE_SERVERS } from '../support/store-servers.js';
import { openTestStore, paragraphs, type TestStore } from '../support/test-store.js';

/** The real `openai` package against a real HTTP server: what was embedded before a failure is not embedded again. */
const ada = makeScope('ada', null);
const CHUNKS = 300;
const text = paragraphs(CHUNKS);
/** Each paragraph a chunk, as OpenAI counts tokens. */
const chunking = { strategy: 'RECURSIVE', maxTokens: 20, overlap: 0, contextual: false } as const;

describe.each(STORE_SERVERS)('embedding that stopped half way on $name', ({ start, hasSearch }) => {
  let server: Awaited<ReturnType<typeof start>>;
  let fake: FakeOpenai;
  const stores: TestStore[] = [];

  beforeAll(async () => {
    server = await start();
    fake = await startFakeOpenai();
  });
  afterAll(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await fake?.close();
    await server?.stop();
  });
  beforeEach(() => {
    fake.requests.length = 0;
    fake.answerWith('ok');
    // longer than anybody waits, so that an attempt ends at once
    fake.errorHeaders = { 'retry-after': '3600' };
  });

  const openaiEmbedder = (): Embedder =>
    createEmbedder({ provider: 'openai', apiKey: 'sk-x', baseUrl: fake.baseUrl, dimensions: 64 });
  const open = async () => {
    const store = await openTestStore(server.uri, { requireSearch: hasSearch, embedder: openaiEmbedder() });
    stores.push(store);
    return store;
  };
  /** As after a restart: nothing is remembered but what is in the database. */
  const restarted = (store: TestStore) => {
    const ingest = createIngest({ store, embedderOf: openaiEmbedder });
    return (scope = ada, title = 'long', input: object = {}, signal?: AbortSignal) =>
      ingest.upsertDocument(
        scope,
        { title, text, dryRun: false, waitUntil: 'STORED', chunking, ...input },
        signal ? { signal } : {},
      );
  };
  const embedded = () => fake.requests.filter(({ status }) => status === 200).flatMap(({ inputs }) => inputs);
  const failed = { code: 'PROVIDER_UNAVAILABLE', details: { reason: 'RATE_LIMITED' } };

  test('a 429 after the third batch: the next attempt embeds the rest, each chunk once in all', async () => {
    const store = await open();
    fake.answerWith('ok', 'ok', 'ok', 'rate-limited');
    await expect(restarted(store)()).rejects.toMatchObject(failed);
    expect(embedded()).toHaveLength(225);
    expect(await store.document(ada, { title: 'long' })).toBeNull();
    expect(await store.database.keptWork.countDocuments()).toBe(225);
    fake.answerWith('ok');
    const estimate = await restarted(store)(ada, 'long', { dryRun: true });
    const { document, changes } = await restarted(store)();
    expect(document).toMatchObject({ version: 1, chunkCount: CHUNKS });
    expect(changes).toMatchObject({ chunksAdded: CHUNKS, chunksEmbedded: 75 });
    expect(estimate.changes).toEqual(changes);
    expect(embedded()).toHaveLength(CHUNKS);
    expect(new Set(embedded()).size).toBe(CHUNKS);
    // the vectors are those that the provider gave, and what was kept for them is gone
    const rows = await store.database.chunks.find().toArray();
    const again = await openaiEmbedder().embed(
      rows.map((row) => row.text),
      { kind: 'document' },
    );
    for (const [at, row] of rows.entries()) expect(row.embeddings.s1!.toFloat32Array()).toEqual(again[at]);
    expect(await store.database.keptWork.countDocuments()).toBe(0);
  });

  test('the same process does not even ask the database', async () => {
    const store = await open();
    fake.answerWith('ok', 'ok', 'ok', 'rate-limited');
    const upsert = restarted(store);
    await expect(upsert()).rejects.toMatchObject(failed);
    fake.answerWith('ok');
    await store.database.keptWork.deleteMany({});
    expect((await upsert()).changes.chunksEmbedded).toBe(75);
    expect(embedded()).toHaveLength(CHUNKS);
  });

  test('a stop keeps what came before it', async () => {
    const store = await open();
    const stop = new AbortController();
    fake.answerWith('ok', 'ok', 'stall');
    const upsert = restarted(store)(ada, 'long', {}, stop.signal);
    await expect.poll(() => fake.requests.length).toBe(4);
    await expect.poll(() => store.database.keptWork.countDocuments()).toBe(150);
    stop.abort(new Error('the server stops'));
    await expect(upsert).rejects.toThrow('the server stops');
    fake.requests.length = 0;
    fake.answerWith('ok');
    await restarted(store)();
    expect(embedded()).toHaveLength(150);
  });

  test('another owner, or a credential bound to agents, finds nothing of it', async () => {
    const store = await open();
    fake.answerWith('ok', 'ok', 'ok', 'rate-limited');
    await expect(restarted(store)()).rejects.toMatchObject(failed);
    fake.answerWith('ok');
    for (const scope of [makeScope('bob', null), makeScope('ada', ['bot'])]) {
      const { changes } = await restarted(store)(scope, `long of ${scope.owner} ${scope.agents}`);
      expect(changes.chunksEmbedded).toBe(CHUNKS);
    }
  });

  test('after a day it is embedded again', async () => {
    const store = await open();
    fake.answerWith('ok', 'ok', 'ok', 'rate-limited');
    await expect(restarted(store)()).rejects.toMatchObject(failed);
    fake.answerWith('ok');
    store.advance(KEPT_WORK_TTL_MS + 1);
    expect((await restarted(store)()).changes.chunksEmbedded).toBe(CHUNKS);
  });

  test('what fits one request is neither looked up nor kept', async () => {
    const store = await open();
    const calls: string[] = [];
    const watched = new Proxy(store, {
      get(target, name) {
        if (/Kept|keep/.test(String(name))) calls.push(String(name));
        return Reflect.get(target, name);
      },
    });
    const short = paragraphs(32);
    await restarted(watched)(ada, 'short', { text: short });
    expect(calls).toEqual([]);
    await restarted(watched)(ada, 'longer', { text: paragraphs(33) });
    expect(calls).not.toEqual([]);
  });

  test('a passage that many documents of an owner have is embedded once', async () => {
    const store = await open();
    const upsert = restarted(store);
    const letterhead = `The waterworks of the town ${'speaks of things '.repeat(3)}`;
    for (let at = 0; at < 5; at++)
      await upsert(ada, `letter ${at}`, { text: `${letterhead}\n\n${paragraphs(1, `letter${at}`)}\n\n${letterhead}` });
    expect(embedded().filter((input) => input === letterhead.trim())).toHaveLength(1);
    expect(embedded()).toHaveLength(6);
    await upsert(makeScope('bob', null), 'letter', { text: letterhead });
    expect(embedded()).toHaveLength(7);
  });

  test('so it is when they are upserted at the same moment, and when the first of them fails', async () => {
    const store = await open();
    const upsert = restarted(store);
    const letter = (at: number) => `${paragraphs(3, 'shared')}\n\n${paragraphs(1, `letter${at}`)}`;
    const together = () =>
      Promise.allSettled([0, 1, 2, 3].map((at) => upsert(ada, `letter ${at}`, { text: letter(at) })));
    fake.answerWith('rate-limited', 'ok');
    const ends = await together();
    expect(ends.filter(({ status }) => status === 'rejected').length).toBeLessThan(3);
    expect(embedded().filter((input) => input.startsWith('shared'))).toHaveLength(3);
    await together();
    expect(embedded()).toHaveLength(7);
  });

  test('erasing an owner erases what was kept for it', async () => {
    const store = await open();
    fake.answerWith('ok', 'rate-limited');
    await expect(restarted(store)()).rejects.toMatchObject(failed);
    expect(await store.database.keptWork.countDocuments()).toBe(75);
    await store.eraseOwner((await import('../../src/store/scope.js')).operator, 'ada', { dryRun: false });
    expect(await store.database.keptWork.countDocuments()).toBe(0);
  });
});
