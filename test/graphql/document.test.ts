import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { encodeNodeId } from '../../src/graphql/node-id.js';
import { logLine, post, startTestServer, type TestServer, upsert } from './server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ GAZETTEER_FILTERABLE: 'topic:string,year:number,ref:string,order:number' });
});
afterAll(async () => server.stop());

const NO_SUCH_ID = encodeNodeId('Document', 'f'.repeat(24));

describe('upsertDocument', () => {
  test('creates, replaces in place, and leaves alone what is equal', async () => {
    const created = await upsert(server, { title: 'one', text: 'First text.' });
    expect(created).toMatchObject({
      outcome: 'CREATED',
      searchable: true,
      document: { version: 1, text: 'First text.' },
    });
    const updated = await upsert(server, { title: 'one', text: 'Second text.' });
    expect(updated).toMatchObject({ outcome: 'UPDATED', document: { id: created.document.id, version: 2 } });
    const unchanged = await upsert(server, { title: 'one', text: 'Second text.' });
    expect(unchanged).toMatchObject({ outcome: 'UNCHANGED', changes: { chunksEmbedded: 0, embeddingTokens: 0 } });
  });

  test('new metadata alone embeds nothing and keeps the version', async () => {
    await upsert(server, { title: 'attributes', text: 'Stays.' });
    const updated = await upsert(server, { title: 'attributes', text: 'Stays.', metadata: { topic: 'x' } });
    expect(updated).toMatchObject({
      outcome: 'UPDATED',
      changes: { chunksEmbedded: 0 },
      document: { version: 1, metadata: { topic: 'x' } },
    });
    expect(updated.document.revision).toBeGreaterThan(1);
  });

  test('with dryRun changes nothing', async () => {
    const dry = await upsert(server, { title: 'dry', text: 'Never stored.', dryRun: true });
    expect(dry).toMatchObject({ document: null, outcome: 'CREATED', changes: { chunksAdded: 1, chunksEmbedded: 1 } });
    expect(await server.data('{ document(by: { title: "dry" }) { id } }')).toEqual({ document: null });
  });

  test('refuses a version that is not the expected one', async () => {
    await upsert(server, { title: 'guarded', text: 'v1' });
    const refused = await upsert(server, { title: 'guarded', text: 'v2', expectedVersion: 7 });
    expect(refused.userErrors).toEqual([expect.objectContaining({ code: 'CONFLICT' })]);
    const again = await upsert(server, { title: 'guarded', text: 'v2', expectedVersion: 0 });
    expect(again.userErrors).toEqual([expect.objectContaining({ code: 'CONFLICT' })]);
  });

  test('takes a file as base64', async () => {
    const file = { name: 'notes.md', base64: Buffer.from('# Notes\n\nRead me.').toString('base64') };
    const created = await upsert(server, { title: 'file', file });
    expect(created).toMatchObject({ outcome: 'CREATED', document: { text: '# Notes\n\nRead me.' } });
  });

  test.each([
    ['a blank title', { title: ' \u200b ', text: 'x' }, 'INVALID', ['input', 'title']],
    ['a text of nothing that shows', { title: 't', text: ' \u200b\u00a0\n' }, 'EMPTY_TEXT', ['input', 'text']],
    ['neither text nor file', { title: 't' }, 'INVALID', expect.any(Array)],
    [
      'both text and file',
      { title: 't', text: 'x', file: { name: 'f', base64: 'eA==' } },
      'INVALID',
      expect.any(Array),
    ],
    [
      'base64 that is none',
      { title: 't', file: { name: 'f.txt', base64: 'a b=' } },
      'INVALID',
      ['input', 'file', 'base64'],
    ],
    ['nested metadata', { title: 't', text: 'x', metadata: { a: { b: 1 } } }, 'INVALID', ['input', 'metadata', 'a']],
    [
      'metadata above 16 KB',
      { title: 't', text: 'x', metadata: { a: 'y'.repeat(16_400) } },
      'TOO_LARGE',
      ['input', 'metadata'],
    ],
    [
      'a window that is all overlap',
      { title: 't', text: 'x', chunking: { strategy: 'SLIDING_WINDOW', maxCharacters: 10, overlap: 10 } },
      'INVALID',
      expect.any(Array),
    ],
  ])('%s is a userError', async (_, input, code, path) => {
    const refused = await upsert(server, input);
    expect(refused).toMatchObject({ document: null, outcome: null, searchable: false, warnings: [] });
    expect(refused.userErrors).toEqual([{ code, path, message: expect.any(String) }]);
  });

  test('text above 50 MB is refused before it is stored', async () => {
    const refused = await upsert(server, { title: 'large', text: 'x'.repeat(60 * 1024 * 1024) });
    expect(refused.userErrors).toEqual([
      { code: 'TOO_LARGE', path: ['input', 'text'], message: expect.stringContaining('52428800') },
    ]);
  });

  test('an integer that numbers cannot hold is refused with its path, as a variable and as a literal', async () => {
    const mutation = (metadata: string, declared = '') =>
      `mutation${declared} { upsertDocument(input: { title: "big", text: "x", metadata: ${metadata} }) { document { id } userErrors { code path } } }`;
    const refusal = {
      upsertDocument: { document: null, userErrors: [{ code: 'INVALID', path: ['input', 'metadata', 'order'] }] },
    };
    expect(await server.data(mutation('{ order: 9007199254740993 }'))).toEqual(refusal);
    const body = JSON.stringify({ query: mutation('$m', '($m: JSONObject)'), variables: { m: { order: 'N' } } });
    const response = await post(server.url, body.replace('"N"', '9007199254740993'));
    expect(await response.json()).toEqual({ data: refusal });
  });

  test('what is selected under a payload is the state after that mutation', async () => {
    const { a, b } = await server.data(`mutation {
      a: upsertDocument(input: { title: "twice", text: "one" }) { document { version text chunks { nodes { text } } } }
      b: upsertDocument(input: { title: "twice", text: "two" }) { document { version text chunks { nodes { text document { text version } } } } }
    }`);
    expect(a.document).toEqual({ version: 1, text: 'one', chunks: { nodes: [{ text: 'one' }] } });
    expect(b.document).toEqual({
      version: 2,
      text: 'two',
      chunks: { nodes: [{ text: 'two', document: { text: 'two', version: 2 } }] },
    });
  });
});

describe('updateDocument', () => {
  const UPDATE = `mutation($input: UpdateDocumentInput!) {
    updateDocument(input: $input) { document { title version metadata sourceUri } userErrors { code path } }
  }`;
  const update = async (input: object) => (await server.data(UPDATE, { input })).updateDocument;

  test('changes what is given and clears what is null', async () => {
    await upsert(server, { title: 'old name', text: 'x', metadata: { topic: 'a' }, sourceUri: 'https://example.com' });
    const { document } = await update({ by: { title: 'old name' }, title: 'new name', sourceUri: null });
    expect(document).toEqual({ title: 'new name', version: 1, metadata: { topic: 'a' }, sourceUri: null });
    expect((await update({ by: { title: 'new name' }, metadata: null })).document.metadata).toEqual({});
  });

  test.each([
    ['an unknown id', { documentId: NO_SUCH_ID, title: 'x' }, 'NOT_FOUND', ['input', 'documentId']],
    ['a malformed id', { documentId: '5cc67a80e46e13a0d6a87a80', title: 'x' }, 'NOT_FOUND', ['input', 'documentId']],
    ['an unknown title', { by: { title: 'nobody' }, title: 'x' }, 'NOT_FOUND', ['input', 'by']],
    ['no target', { title: 'x' }, 'INVALID', ['input', 'documentId']],
    ['two targets', { documentId: NO_SUCH_ID, by: { title: 'x' }, title: 'x' }, 'INVALID', ['input', 'documentId']],
    ['a title set to null', { by: { title: 'x' }, title: null }, 'INVALID', ['input', 'title']],
  ])('%s is a userError', async (_, input, code, path) => {
    expect(await update(input)).toEqual({ document: null, userErrors: [{ code, path }] });
  });
});

describe('deleting', () => {
  test('a document goes with its chunks, which are counted', async () => {
    const { document } = await upsert(server, {
      title: 'short-lived',
      text: 'a'.repeat(95),
      chunking: { strategy: 'SLIDING_WINDOW', maxCharacters: 10, overlap: 0 },
    });
    const mutation = `mutation($id: ID!) { deleteDocument(input: { documentId: $id }) { deletedDocumentId deletedChunks userErrors { code } } }`;
    const { deleteDocument } = await server.data(mutation, { id: document.id });
    expect(deleteDocument).toEqual({
      deletedDocumentId: document.id,
      deletedChunks: document.chunkCount,
      userErrors: [],
    });
    const again = await server.data(mutation, { id: document.id });
    expect(again.deleteDocument).toMatchObject({ deletedDocumentId: null, userErrors: [{ code: 'NOT_FOUND' }] });
  });

  const DELETE = `mutation($filter: DocumentFilter!, $dryRun: Boolean! = false) {
    deleteDocuments(input: { filter: $filter, dryRun: $dryRun }) { deletedDocuments deletedChunks userErrors { code message } }
  }`;

  test('by filter, counted first with dryRun', async () => {
    for (const title of ['d1', 'd2']) await upsert(server, { title, text: title, metadata: { topic: 'delete-me' } });
    const filter = { metadata: [{ key: 'topic', eq: 'delete-me' }] };
    const counted = { deletedDocuments: 2, deletedChunks: 2, userErrors: [] };
    expect((await server.data(DELETE, { filter, dryRun: true })).deleteDocuments).toEqual(counted);
    expect((await server.data(DELETE, { filter })).deleteDocuments).toEqual(counted);
    expect((await server.data(DELETE, { filter })).deleteDocuments.deletedDocuments).toBe(0);
  });

  test.each([[{}], [{ metadata: [] }], [{ and: [] }], [{ not: { titles: ['x'] } }]])(
    'a filter that restricts nothing is refused: %j',
    async (filter) => {
      const before = (await server.data('{ documents { totalCount } }')).documents.totalCount;
      const { deleteDocuments } = await server.data(DELETE, { filter });
      expect(deleteDocuments).toMatchObject({ deletedDocuments: 0, userErrors: [{ code: 'INVALID' }] });
      expect((await server.data('{ documents { totalCount } }')).documents.totalCount).toBe(before);
    },
  );

  test.each([
    [{ ids: null }],
    [{ titles: null, hasLastError: false }],
    [{ metadata: [{ key: 'topic', eq: null }] }],
    [{ metadata: [{ key: 'topic' }] }],
    [{ titles: ['x'], not: {} }],
    [{ and: [{ titles: ['x'] }, {}] }],
    [{ metadata: [{ key: 'topic', eq: { $ne: '' } }] }],
    [{ metadata: [{ key: '$where', eq: 'x' }] }],
    [{ metadata: [{ key: 'a.b', eq: 'x' }] }],
  ])('a filter that would fail open is BAD_USER_INPUT: %j', async (filter) => {
    expect(await server.error(DELETE, { filter })).toMatchObject({ code: 'BAD_USER_INPUT' });
  });

  test('a variable inside a filter that is not supplied deletes nothing', async () => {
    const query = 'mutation($ids: [ID!]) { deleteDocuments(input: { filter: { ids: $ids } }) { deletedDocuments } }';
    expect(await server.error(query)).toMatchObject({
      code: 'BAD_USER_INPUT',
      message: expect.stringContaining('$ids'),
    });
  });
});

describe('reading', () => {
  test('strings that look like ids stay strings', async () => {
    await upsert(server, { title: 'JGL-24423/TL', text: 'x', metadata: { ref: '5cc67a80e46e13a0d6a87a80' } });
    const { document } = await server.data('{ document(by: { title: "JGL-24423/TL" }) { title metadata } }');
    expect(document.metadata).toEqual({ ref: '5cc67a80e46e13a0d6a87a80' });
    const query = 'query($f: DocumentFilter) { documents(filter: $f) { nodes { title } } }';
    const found = await server.data(query, { f: { metadata: [{ key: 'ref', eq: '5cc67a80e46e13a0d6a87a80' }] } });
    expect(found.documents.nodes).toEqual([{ title: 'JGL-24423/TL' }]);
  });

  test('an id of nothing is null', async () => {
    const query = 'query($id: ID!) { document(by: { id: $id }) { id } }';
    for (const id of [NO_SUCH_ID, '5cc67a80e46e13a0d6a87a80', 'x', ''])
      expect(await server.data(query, { id })).toEqual({ document: null });
  });

  test('a choice of exactly one that is none names the variable', async () => {
    const query = 'query($t: String) { document(by: { title: $t }) { id } }';
    for (const variables of [{}, { t: null }])
      expect(await server.error(query, variables)).toMatchObject({
        code: 'BAD_USER_INPUT',
        message: expect.stringContaining('$t'),
      });
    const both = 'query($b: DocumentBy!) { document(by: $b) { id } }';
    expect(await server.error(both, { b: { title: 'x', id: 'y' } })).toMatchObject({ code: 'BAD_USER_INPUT' });
  });

  test('pages cover the listing once, in order', async () => {
    const query = `query($after: String) {
      documents(orderBy: TITLE, first: 3, after: $after) { nodes { title } totalCount pageInfo { hasNextPage hasPreviousPage endCursor } }
    }`;
    const titles: string[] = [];
    let after: string | null = null;
    let total = 0;
    do {
      const { documents } = await server.data(query, { after });
      expect(documents.pageInfo.hasPreviousPage).toBe(after !== null);
      titles.push(...documents.nodes.map((node: { title: string }) => node.title));
      total = documents.totalCount;
      after = documents.pageInfo.hasNextPage ? documents.pageInfo.endCursor : null;
    } while (after !== null);
    expect(titles).toHaveLength(total);
    expect(titles).toEqual([...new Set(titles)].sort());
  });

  test.each(['abc', '', 'x'.repeat(5_000)])('a cursor that is none is BAD_USER_INPUT: %.10s', async (after) => {
    const query = 'query($after: String) { documents(after: $after) { nodes { id } } }';
    expect(await server.error(query, { after })).toMatchObject({
      code: 'BAD_USER_INPUT',
      message: expect.stringContaining('cursor'),
    });
  });

  test('a cursor of another list or with one byte changed is BAD_USER_INPUT', async () => {
    const { documents } = await server.data('{ documents(first: 1) { nodes { id } pageInfo { endCursor } } }');
    const cursor: string = documents.pageInfo.endCursor;
    const query =
      'query($after: String, $order: DocumentOrder!) { documents(after: $after, orderBy: $order) { nodes { id } } }';
    expect(await server.error(query, { after: cursor, order: 'TITLE' })).toMatchObject({ code: 'BAD_USER_INPUT' });
    const changed = `${cursor.slice(0, 10)}${cursor[10] === 'A' ? 'B' : 'A'}${cursor.slice(11)}`;
    expect(await server.error(query, { after: changed, order: 'UPDATED_NEWEST' })).toMatchObject({
      code: 'BAD_USER_INPUT',
    });
    const chunks = 'query($after: String) { documents(first: 1) { nodes { chunks(after: $after) { nodes { id } } } } }';
    expect(await server.error(chunks, { after: cursor })).toMatchObject({ code: 'BAD_USER_INPUT' });
  });

  test('a total that is not selected is not counted', async () => {
    const answer = await server.send('{ documents { nodes { id } } }');
    expect((await logLine(server, answer)).calls).toEqual({ listDocuments: 1 });
  });

  test('a listing with chunks, texts and spaces takes one store call of each kind', async () => {
    const answer = await server.send(
      '{ documents(first: 20) { nodes { embeddingSpace { model } chunks(first: 5) { nodes { text document { title } previous { id } next { id } } pageInfo { hasNextPage } totalCount } } } }',
    );
    expect(answer.data.documents.nodes.length).toBeGreaterThan(5);
    const { calls } = (await logLine(server, answer)) as { calls: Record<string, number> };
    expect(calls).toMatchObject({ listDocuments: 1, activeSpace: 1, chunkTexts: 1, documentsByIds: 1 });
    expect(calls.listChunks).toBeUndefined();
    // the chunks, then their neighbours
    expect(calls.chunksAt).toBeLessThanOrEqual(2);
  });

  test('unknown enum values and wrong types are refused', async () => {
    expect(await server.error('{ documents(orderBy: NEWEST) { totalCount } }')).toMatchObject({
      code: 'GRAPHQL_VALIDATION_FAILED',
      status: 400,
    });
    const query = 'query($o: DocumentOrder!) { documents(orderBy: $o) { totalCount } }';
    expect(await server.error(query, { o: 'NEWEST' })).toMatchObject({ code: 'BAD_USER_INPUT', status: 400 });
  });
});
