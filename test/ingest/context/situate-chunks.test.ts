import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Clock } from '../../../src/embed/retry.js';
import { createChatContextWriter } from '../../../src/ingest/context/chat-context-writer.js';
import { embedHash } from '../../../src/ingest/embed-strings.js';
import { ownText } from '../../../src/store/own-text.js';
import { makeScope } from '../../../src/store/scope.js';
import { type FakeChat, startFakeChat } from '../../support/fake-chat.js';
import { STORE_SERVERS } from '../../support/store-servers.js';
import { openTestStore, paragraphs, type TestStore } from '../../support/test-store.js';

const scope = makeScope('ada', null);
const chunking = { strategy: 'RECURSIVE', maxTokens: 60, overlap: 0, contextual: true } as const;
const clock: Clock = { now: () => 0, sleep: async () => {}, random: () => 1 };

describe.each(STORE_SERVERS)('chunks that a chat model situates on $name', ({ start, hasSearch }) => {
  let server: Awaited<ReturnType<typeof start>>;
  let chat: FakeChat;
  const stores: TestStore[] = [];
  beforeAll(async () => {
    server = await start();
    chat = await startFakeChat();
  });
  afterAll(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await chat?.close();
    await server?.stop();
  });
  beforeEach(() => {
    chat.answerWith();
    chat.say(null);
  });

  const open = async () => {
    const contextWriter = createChatContextWriter({ url: chat.baseUrl, model: 'small', apiKey: null, clock });
    const store = await openTestStore(server.uri, { requireSearch: hasSearch, ingest: { contextWriter } });
    stores.push(store);
    return store;
  };
  const asked = () => chat.requests.length;

  test('have their line before title and text for the embedder, and none in their own text', async () => {
    const store = await open();
    chat.say('About the waterworks.');
    const text = paragraphs(3);
    const { document } = await store.upsert(scope, 'Works', text, { chunking });
    const rows = await store.database.chunks.find().sort({ ordinal: 1 }).toArray();
    expect(rows.map(ownText)).toEqual(text.split('\n\n').map((paragraph) => paragraph.trim()));
    expect(store.embedder.asked).toEqual(rows.map((row) => `About the waterworks.\n\nWorks\n\n${ownText(row)}`));
    for (const row of rows) {
      expect(row.embed_hash).toBe(embedHash(`About the waterworks.\n\nWorks\n\n${ownText(row)}`));
      expect(text.slice(row.start, row.end)).toBe(ownText(row));
    }
    expect(document?.chunkCount).toBe(3);
    expect(await store.database.keptWork.countDocuments()).toBe(0);
  });

  test('keep it: an edit asks and embeds what it changed, and the same again is UNCHANGED', async () => {
    const store = await open();
    const text = paragraphs(10);
    await store.upsert(scope, 'Works', text, { chunking });
    const before = asked();
    expect((await store.upsert(scope, 'Works', text)).outcome).toBe('UNCHANGED');
    expect(asked()).toBe(before);
    store.embedder.asked.length = 0;
    const { changes } = await store.upsert(scope, 'Works', `${text}\n\n${paragraphs(1, 'omega')}`);
    expect(changes).toMatchObject({ chunksKept: 10, chunksAdded: 1, chunksRemoved: 0, chunksEmbedded: 1 });
    expect(store.embedder.asked).toHaveLength(1);
    expect(asked()).toBe(before + 1);
  });

  test('a chat model that fails fails the upsert; the version before stays, and lines that came are not asked for again', async () => {
    const store = await open();
    await store.upsert(scope, 'Works', 'The first version.', { chunking });
    const before = asked();
    chat.answerWith(200, 200, 200, 200, 200, 401, 401, 401, 401);
    await expect(store.upsert(scope, 'Works', paragraphs(20))).rejects.toMatchObject({
      code: 'PROVIDER_UNAVAILABLE',
      details: { provider: 'context' },
    });
    expect(await store.document(scope, { title: 'Works' })).toMatchObject({
      version: 1,
      status: 'READY',
      lastError: expect.stringContaining('context model'),
    });
    const failures = asked() - before - 5;
    chat.answerWith();
    const { document } = await store.upsert(scope, 'Works', paragraphs(20));
    expect(document).toMatchObject({ version: 2, chunkCount: 20, lastError: null });
    expect(asked() - before).toBe(20 + failures);
  });

  test('a dry run asks nobody, and says at most what it may cost', async () => {
    const store = await open();
    const before = asked();
    const estimate = await store.upsert(scope, 'Works', paragraphs(5), { chunking, dryRun: true });
    expect([asked(), store.embedder.asked]).toEqual([before, []]);
    const { changes } = await store.upsert(scope, 'Works', paragraphs(5), { chunking });
    expect(estimate.changes).toMatchObject({ chunksAdded: 5, chunksEmbedded: 5 });
    expect(changes.embeddingTokens).toBeLessThanOrEqual(estimate.changes.embeddingTokens);
    const again = await store.upsert(scope, 'Works', `${paragraphs(5)}\n\n${paragraphs(1, 'omega')}`, { dryRun: true });
    expect(again.changes).toMatchObject({ chunksKept: 5, chunksAdded: 1, chunksEmbedded: 1 });
  });

  test('never exceed their limit, however long the line', async () => {
    const store = await open();
    chat.say('word '.repeat(5_000));
    await store.upsert(scope, 'Works', paragraphs(30), { chunking });
    const sizes = store.embedder.asked.map((string) => store.embedder.countTokens(string));
    expect(sizes.length).toBeGreaterThan(10);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(chunking.maxTokens);
  });

  test('documents that are not contextual ask nobody', async () => {
    const store = await open();
    const before = asked();
    await store.upsert(scope, 'Works', paragraphs(3), { chunking: { ...chunking, contextual: false } });
    expect(asked()).toBe(before);
  });
});
