import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHashEmbedder } from '../../src/embed/hash.js';
import { AppError } from '../../src/errors.js';
import { findTornDocuments } from '../../src/store/integrity.js';
import { makeScope } from '../../src/store/scope.js';
import { STORE_SERVERS } from '../support/store-servers.js';
import { ONE_PARAGRAPH, openTestStore, paragraphs, type TestStore } from '../support/test-store.js';

const scope = makeScope('ada', null);
const chunking = ONE_PARAGRAPH;

describe.each(STORE_SERVERS)('upsertDocument on $name', ({ start, hasSearch }) => {
  let server: Awaited<ReturnType<typeof start>>;
  const stores: TestStore[] = [];
  const open = async (options: Parameters<typeof openTestStore>[1] = {}): Promise<TestStore> => {
    const store = await openTestStore(server.uri, { requireSearch: hasSearch, ...options });
    stores.push(store);
    return store;
  };

  beforeAll(async () => {
    server = await start();
  });
  afterAll(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await server?.stop();
  });

  test('creates a document whose chunks are its text, and reads it back whole', async () => {
    const store = await open();
    const text = paragraphs(10);
    const metadata = { owner: 'victim', version: 99 };
    const { document, outcome, changes } = await store.upsert(scope, '  My  title ', text, { chunking, metadata });
    expect(outcome).toBe('CREATED');
    expect(changes).toMatchObject({ chunksAdded: 10, chunksKept: 0, chunksRemoved: 0, chunksEmbedded: 10 });
    expect(document).toMatchObject({
      title: '  My  title ',
      owner: 'ada',
      version: 1,
      revision: 1,
      status: 'READY',
      language: 'en',
      chunkCount: 10,
      textLength: text.length,
      mediaType: 'text/plain',
      metadata: { owner: 'victim', version: 99 },
    });
    const id = document?.id as string;
    expect(await store.document(scope, { title: 'My title' })).toEqual(document);
    expect(await store.texts(scope, [id])).toEqual([text]);
    const page = await store.listChunks(scope, id, { first: 100 });
    const texts = await store.chunkTexts(
      scope,
      page.items.map(({ node }) => node.id),
    );
    expect(texts).toEqual(page.items.map(({ node }) => text.slice(node.start, node.end)));
    expect(await findTornDocuments(store.database)).toEqual([]);
  });

  test('the same again is UNCHANGED: no embedding call and no write', async () => {
    const store = await open();
    const first = await store.upsert(scope, 't', paragraphs(3), { metadata: { a: 1, b: [1, 2] }, agentIds: ['x'] });
    store.embedder.asked.length = 0;
    const again = await store.upsert(scope, ' t ', paragraphs(3), { title: 't', metadata: { b: [1, 2], a: 1 } });
    expect(again.outcome).toBe('UNCHANGED');
    expect(again.document).toEqual(first.document);
    expect(store.embedder.asked).toEqual([]);
    expect(again.changes).toEqual({
      chunksAdded: 0,
      chunksKept: first.document?.chunkCount,
      chunksRemoved: 0,
      chunksEmbedded: 0,
      embeddingTokens: 0,
    });
  });

  test('other agents or metadata take effect with nothing embedded, on the document and on every chunk row', async () => {
    const store = await open({ filterable: { topic: 'string', day: 'date' } });
    const first = await store.upsert(scope, 't', paragraphs(4), {
      chunking,
      agentIds: ['x'],
      metadata: { topic: 'old' },
    });
    store.embedder.asked.length = 0;
    const day = '2026-01-31T12:00:00+01:00';
    const again = await store.upsert(scope, 't', paragraphs(4), {
      agentIds: ['y'],
      metadata: { topic: 'new', day, other: 1 },
    });
    expect(again).toMatchObject({
      outcome: 'UPDATED',
      changes: { chunksKept: 4, chunksEmbedded: 0, embeddingTokens: 0 },
    });
    expect(again.document).toMatchObject({ version: 1, revision: 2, agentIds: ['y'] });
    expect(store.embedder.asked).toEqual([]);
    const rows = await store.database.chunks.find().toArray();
    expect(rows).toHaveLength(4);
    for (const row of rows) {
      expect(row.agent_ids).toEqual(['y']);
      expect(row.metadata).toEqual({ topic: 'new', day: new Date('2026-01-31T11:00:00Z') });
      expect(row.from_version).toBe(1);
    }
    expect(again.document?.updatedAt.getTime()).toBeGreaterThanOrEqual(first.document?.updatedAt.getTime() ?? 0);
  });

  test('a field left out keeps its value, null clears it', async () => {
    const store = await open();
    await store.upsert(scope, 't', 'one', {
      sourceUri: 'https://a.example',
      metadata: { a: 1 },
      language: 'DE-at',
      mediaType: 'text/markdown',
      agentIds: ['x'],
      chunking,
    });
    const kept = await store.upsert(scope, 't', 'two');
    expect(kept.document).toMatchObject({
      sourceUri: 'https://a.example',
      metadata: { a: 1 },
      language: 'de-AT',
      mediaType: 'text/markdown',
      agentIds: ['x'],
      chunking: { maxTokens: chunking.maxTokens, overlap: 0 },
      version: 2,
    });
    const cleared = await store.upsert(scope, 't', 'two', {
      sourceUri: null,
      metadata: null,
      language: null,
      mediaType: null,
      agentIds: null,
      chunking: null,
    });
    expect(cleared.document).toMatchObject({
      sourceUri: null,
      metadata: {},
      language: null,
      mediaType: 'text/plain',
      agentIds: [],
      chunking: { strategy: 'RECURSIVE', maxTokens: 400, overlap: 50 },
      version: 3,
    });
  });

  test('a document shrunk from 10 chunks to 3 has exactly 3, and only what is new is embedded', async () => {
    const store = await open();
    const before = await store.upsert(scope, 't', paragraphs(10), { chunking });
    const ids = (await store.listChunks(scope, before.document?.id as string, { first: 100 })).items.map(
      ({ node }) => node.id,
    );
    store.embedder.asked.length = 0;
    const after = await store.upsert(scope, 't', paragraphs(3));
    expect(after.changes).toMatchObject({ chunksAdded: 0, chunksKept: 3, chunksRemoved: 7, chunksEmbedded: 0 });
    expect(store.embedder.asked).toEqual([]);
    expect(await store.database.chunks.countDocuments()).toBe(3);
    const now = (await store.listChunks(scope, after.document?.id as string, { first: 100 })).items.map(
      ({ node }) => node.id,
    );
    expect(now).toEqual(ids.slice(0, 3));
    expect(await findTornDocuments(store.database)).toEqual([]);
  });

  test('a paragraph put in front moves the rest without embedding or rewriting it', async () => {
    const store = await open();
    await store.upsert(scope, 't', paragraphs(6), { chunking });
    const vectors = await store.database.chunks.find().sort({ ordinal: 1 }).toArray();
    store.embedder.asked.length = 0;
    const after = await store.upsert(scope, 't', `${paragraphs(1, 'omega')}\n\n${paragraphs(6)}`);
    expect(after.changes).toMatchObject({ chunksAdded: 1, chunksKept: 6, chunksRemoved: 0, chunksEmbedded: 1 });
    expect(store.embedder.asked).toHaveLength(1);
    const rows = await store.database.chunks.find().sort({ ordinal: 1 }).toArray();
    for (const [index, row] of vectors.entries())
      expect(rows[index + 1]).toEqual({
        ...row,
        ordinal: index + 1,
        start: expect.any(Number),
        end: expect.any(Number),
      });
    expect(await findTornDocuments(store.database)).toEqual([]);
  });

  test('equal paragraphs share one embedding', async () => {
    const store = await open();
    const same = paragraphs(1);
    await store.upsert(scope, 't', [same, same, same].join('\n\n'), { chunking });
    expect(store.embedder.asked).toHaveLength(1);
    expect(await store.database.chunks.countDocuments()).toBe(3);
    store.embedder.asked.length = 0;
    await store.upsert(scope, 't', Array(5).fill(same).join('\n\n'));
    expect(store.embedder.asked).toEqual([]);
    expect(await findTornDocuments(store.database)).toEqual([]);
  });

  test('a contextual chunk is embedded behind its title, and a title in other spelling changes no vector', async () => {
    const store = await open();
    await store.upsert(scope, 'My title', 'Body.', { chunking: { strategy: 'RECURSIVE', contextual: true } });
    expect(store.embedder.asked).toEqual(['My title\n\nBody.']);
    const [chunk] = (
      await store.listChunks(scope, (await store.document(scope, { title: 'My title' }))?.id as string, { first: 1 })
    ).items;
    expect(await store.chunkTexts(scope, [chunk?.node.id as string])).toEqual(['Body.']);
    const again = await store.upsert(scope, 'My  title', 'Body.');
    expect(again).toMatchObject({ outcome: 'UPDATED', document: { title: 'My  title', version: 1 } });
    expect(store.embedder.asked).toHaveLength(1);
  });

  test('an embedder that fails on chunk 3 of 5 leaves the previous version as it was, with the reason', async () => {
    const hash = createHashEmbedder();
    let failing = false;
    const embedder = {
      ...hash,
      embed: async (texts: readonly string[], options: Parameters<typeof hash.embed>[1]) => {
        if (!failing) return await hash.embed(texts, options);
        const vectors = await hash.embed(texts.slice(0, 2), options);
        for (const [index, vector] of vectors.entries()) options.onVector?.(index, vector);
        throw new AppError('PROVIDER_UNAVAILABLE', 'The provider is out of quota');
      },
    };
    const store = await open({ embedder });
    const before = await store.upsert(scope, 't', paragraphs(3), { chunking });
    const rows = await store.database.chunks.find().toArray();
    failing = true;
    await expect(store.upsert(scope, 't', paragraphs(5, 'omega'), { metadata: { a: 1 } })).rejects.toMatchObject({
      code: 'PROVIDER_UNAVAILABLE',
    });
    await expect(store.upsert(scope, 'new', paragraphs(5))).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
    expect(await store.document(scope, { title: 't' })).toEqual({
      ...before.document,
      lastError: 'The provider is out of quota',
    });
    expect(await store.database.chunks.find().toArray()).toEqual(rows);
    expect(await store.document(scope, { title: 'new' })).toBeNull();
    expect(await store.countDocuments(scope, { hasLastError: true })).toBe(1);

    failing = false;
    store.embedder.asked.length = 0;
    const unchanged = await store.upsert(scope, 't', paragraphs(3));
    expect(unchanged).toMatchObject({ outcome: 'UNCHANGED', document: { lastError: null, revision: 1 } });
    expect(await store.countDocuments(scope, { hasLastError: true })).toBe(0);
  });

  test('twenty parallel upserts of one title leave one document whose chunks are all of its version', async () => {
    const store = await open();
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        store.upsert(scope, 'same', paragraphs(3 + (index % 5), `word${index}`), { chunking }),
      ),
    );
    expect(results.filter(({ outcome }) => outcome === 'CREATED')).toHaveLength(1);
    expect(results.map(({ document }) => document?.version).sort((a, b) => (a ?? 0) - (b ?? 0))).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
    expect(await store.countDocuments(scope)).toBe(1);
    const document = await store.document(scope, { title: 'same' });
    expect(document?.version).toBe(20);
    const [text] = await store.texts(scope, [document?.id as string]);
    expect(await store.database.chunks.countDocuments()).toBe(document?.chunkCount);
    const word = /^word\d+/.exec(text as string)?.[0];
    for (const row of await store.database.chunks.find().toArray()) expect(row.text.startsWith(`${word} `)).toBe(true);
    expect(await findTornDocuments(store.database)).toEqual([]);
  });

  test('two servers that write one title take turns as well', async () => {
    const one = await open();
    const two = await open({ dbName: one.dbName });
    const writes = [one, two, one, two, one, two].map((store, index) =>
      store.upsert(scope, 'same', paragraphs(2, `word${index}`), { chunking }),
    );
    expect((await Promise.all(writes)).map(({ document }) => document?.version).sort()).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await one.countDocuments(scope)).toBe(1);
    expect(await findTornDocuments(one.database)).toEqual([]);
  });

  test('dryRun tells what would change and cost, and changes nothing', async () => {
    const store = await open();
    const creating = await store.upsert(scope, 't', paragraphs(4), { chunking, dryRun: true });
    expect(creating).toMatchObject({
      document: null,
      outcome: 'CREATED',
      changes: { chunksAdded: 4, chunksEmbedded: 4 },
      searchable: false,
    });
    expect(creating.changes.embeddingTokens).toBeGreaterThan(40);
    expect(await store.countDocuments(scope)).toBe(0);
    const { document } = await store.upsert(scope, 't', paragraphs(4), { chunking });
    const tokens = creating.changes.embeddingTokens;
    store.embedder.asked.length = 0;
    const replacing = await store.upsert(scope, 't', `${paragraphs(3)}\n\n${paragraphs(2, 'omega')}`, { dryRun: true });
    expect(replacing).toMatchObject({
      outcome: 'UPDATED',
      document,
      changes: { chunksAdded: 2, chunksKept: 3, chunksRemoved: 1, chunksEmbedded: 2, embeddingTokens: tokens / 2 },
    });
    const attributes = await store.upsert(scope, 't', paragraphs(4), { dryRun: true, metadata: { a: 1 } });
    expect(attributes).toMatchObject({ outcome: 'UPDATED', document });
    expect(await store.upsert(scope, 't', paragraphs(4), { dryRun: true })).toMatchObject({ outcome: 'UNCHANGED' });
    expect(store.embedder.asked).toEqual([]);
    expect(await store.document(scope, { title: 't' })).toEqual(document);
  });

  test('expectedVersion is checked before anything is spent', async () => {
    const store = await open();
    const conflict = { code: 'CONFLICT', path: ['input', 'expectedVersion'] };
    await expect(store.upsert(scope, 't', 'one', { expectedVersion: 1 })).rejects.toMatchObject(conflict);
    await store.upsert(scope, 't', 'one', { expectedVersion: 0 });
    store.embedder.asked.length = 0;
    await expect(store.upsert(scope, 't', 'two', { expectedVersion: 0 })).rejects.toMatchObject(conflict);
    // Even when nothing would have changed.
    await expect(store.upsert(scope, 't', 'one', { expectedVersion: 7 })).rejects.toMatchObject(conflict);
    expect(store.embedder.asked).toEqual([]);
    expect((await store.upsert(scope, 't', 'two', { expectedVersion: 1 })).document?.version).toBe(2);
  });

  test('of two writers that expect the same version one gets CONFLICT', async () => {
    const store = await open();
    await store.upsert(scope, 't', 'zero');
    const results = await Promise.allSettled(
      ['one', 'two'].map((text) => store.upsert(scope, 't', text, { expectedVersion: 1 })),
    );
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'CONFLICT' } });
    expect((await store.document(scope, { title: 't' }))?.version).toBe(2);
  });

  test.each([
    ['a blank title', { title: ' \u200b ' }, 'INVALID', ['input', 'title']],
    ['a blank text', { text: '\u200b \u00a0\n' }, 'EMPTY_TEXT', ['input', 'text']],
    ['no text at all', { text: null }, 'INVALID', ['input', 'text']],
    ['text and file', { file: { name: 'a.txt', bytes: new Uint8Array() } }, 'INVALID', ['input', 'text']],
    ['60 MB of text', { text: 'x'.repeat(60_000_000) }, 'TOO_LARGE', ['input', 'text']],
    ['a language that is none', { language: 'not a language' }, 'INVALID', ['input', 'language']],
    ['a media type that is none', { mediaType: 'text' }, 'INVALID', ['input', 'mediaType']],
    ['a URI too long', { sourceUri: 'x'.repeat(2_049) }, 'INVALID', ['input', 'sourceUri']],
    ['nested metadata', { metadata: { a: { b: 1 } } as never }, 'INVALID', ['input', 'metadata', 'a']],
    [
      'an overlap as large as the window',
      { chunking: { strategy: 'TOKEN', maxTokens: 5, overlap: 5, contextual: false } },
      'INVALID',
      ['input', 'chunking', 'overlap'],
    ],
    [
      'chunks above the limit of the space',
      { chunking: { strategy: 'TOKEN', maxTokens: 9_000, contextual: false } },
      'INVALID',
      ['input', 'chunking', 'maxTokens'],
    ],
    [
      'one chunk of far too many tokens',
      { text: 'word '.repeat(200_000), chunking: { strategy: 'NONE', contextual: false } },
      'TOO_LARGE',
      ['input', 'chunking'],
    ],
  ] as const)('%s is refused at its field, and nothing is written', async (_name, input, code, path) => {
    const store = stores[0] ?? (await open());
    const count = await store.database.documents.countDocuments();
    await expect(store.upsert(makeScope('bad input', null), 'title', 'text', input as never)).rejects.toMatchObject({
      code,
      path,
    });
    expect(await store.database.documents.countDocuments()).toBe(count);
  });

  test('a chunk longer than the model takes is stored with a warning', async () => {
    const store = await open();
    const chunking = { strategy: 'NONE', contextual: false } as const;
    const { document, warnings, outcome } = await store.upsert(scope, 't', 'word '.repeat(10_000), { chunking });
    expect(outcome).toBe('CREATED');
    expect(document?.chunkCount).toBe(1);
    expect(warnings).toEqual([expect.stringMatching(/^1 chunk is longer than the 8192 tokens .* averaged/)]);
  });

  test('a blank paragraph among real ones is never sent to the embedder', async () => {
    const store = await open();
    const { outcome } = await store.upsert(scope, 't', 'Alpha.\n\n\u00a0\u200b\n\nOmega.', {
      chunking: { ...chunking, maxTokens: 3 },
    });
    expect(outcome).toBe('CREATED');
    expect(store.embedder.asked.length).toBeGreaterThan(0);
    for (const text of store.embedder.asked) expect(text).toMatch(/[A-Z]/);
  });

  test('titles and values that look like object ids stay strings', async () => {
    const store = await open({ filterable: { ref: 'string' } });
    const ref = '5cc67a80e46e13a0d6a87a80';
    const { document } = await store.upsert(scope, 'JGL-24423/TL', 'text', { metadata: { ref } });
    expect(await store.document(scope, { title: 'JGL-24423/TL' })).toEqual(document);
    expect(await store.countDocuments(scope, { metadata: [{ key: 'ref', eq: ref }] })).toBe(1);
    expect(await store.countDocuments(scope, { ids: [ref] })).toBe(0);
  });

  test('a text file is read anew, without byte-order mark and CR', async () => {
    const store = await open();
    const bytes = new TextEncoder().encode('\ufeff# Title\r\n\r\nText.');
    const { document } = await store.ingest.upsertDocument(
      scope,
      { title: 'readme', file: { name: 'README.md', bytes }, dryRun: false, waitUntil: 'STORED' },
      {},
    );
    expect(document?.mediaType).toBe('text/markdown');
    expect(await store.texts(scope, [document?.id as string])).toEqual(['# Title\n\nText.']);
  });

  test('an abort ends with nothing written, and is not remembered as a failure', async () => {
    const hash = createHashEmbedder();
    const abort = new AbortController();
    const embedder = {
      ...hash,
      embed: async (texts: readonly string[], options: Parameters<typeof hash.embed>[1]) => {
        if (texts.some((text) => text.startsWith('omega'))) abort.abort(new Error('the client went away'));
        options.signal?.throwIfAborted();
        return await hash.embed(texts, options);
      },
    };
    const store = await open({ embedder });
    const { document } = await store.upsert(scope, 't', 'alpha');
    const input = { title: 't', text: 'omega', dryRun: false, waitUntil: 'STORED' } as const;
    await expect(store.ingest.upsertDocument(scope, input, { signal: abort.signal })).rejects.toThrow(
      'the client went away',
    );
    expect(await store.document(scope, { title: 't' })).toEqual(document);
  });

  test('progress tells every phase in order', async () => {
    const store = await open();
    const phases: string[] = [];
    const input = { title: 't', text: paragraphs(3), chunking, dryRun: false, waitUntil: 'STORED' } as const;
    await store.ingest.upsertDocument(scope, input, { onProgress: ({ phase }) => phases.push(phase) });
    expect([...new Set(phases)]).toEqual(['extracting', 'chunking', 'embedding', 'storing']);
    expect(phases.filter((phase) => phase === 'embedding')).toHaveLength(3);
  });

  test.runIf(hasSearch)('waitUntil SEARCHABLE answers once both indexes return the version', async () => {
    const store = await open();
    const { document, searchable } = await store.upsert(scope, 't', paragraphs(5), {
      chunking,
      waitUntil: 'SEARCHABLE',
    });
    expect(searchable).toBe(true);
    const again = await store.upsert(scope, 't', paragraphs(2, 'omega'), { waitUntil: 'SEARCHABLE' });
    expect(again).toMatchObject({ searchable: true, document: { version: 2 } });
    const wait = { timeoutMs: 0 };
    expect(await store.waitUntilSearchable(scope, document?.id as string, 1, wait)).toBe(false);
    expect(await store.waitUntilSearchable(scope, document?.id as string, 2, wait)).toBe(true);
    expect(await store.waitUntilSearchable(makeScope('eve', null), document?.id as string, 2, wait)).toBe(false);
  });
});
