import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer, upsert } from './server.js';

/** What credentials allow: roles, owners and agents, through every operation that reaches a document. */
const ADMIN = 'an-admin-key-of-at-least-32-characters';
let server: TestServer;
/** Secrets by name. */
const keys: Record<string, string> = {};

const CREATE = 'mutation($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret userErrors { message } } }';

beforeAll(async () => {
  server = await startTestServer({ GAZETTEER_ADMIN_KEY: ADMIN });
  const wanted: Record<string, object> = {
    ada: { ownerId: 'ada', role: 'WRITER' },
    adaReads: { ownerId: 'ada', role: 'READER' },
    adaBot: { ownerId: 'ada', role: 'WRITER', agentIds: ['bot'] },
    adaImp: { ownerId: 'ada', role: 'WRITER', agentIds: ['imp'] },
    adaBoth: { ownerId: 'ada', role: 'WRITER', agentIds: ['bot', 'imp'] },
    bob: { ownerId: 'bob', role: 'WRITER' },
  };
  for (const [name, input] of Object.entries(wanted))
    keys[name] = (await server.data(CREATE, { input: { name, ...input } }, ADMIN)).createApiKey.secret;
});
afterAll(async () => server.stop());

describe('roles', () => {
  test.each([
    ['upsertDocument(input: { title: "t", text: "x" }) { outcome }'],
    ['updateDocument(input: { by: { title: "t" }, title: "u" }) { document { id } }'],
    ['deleteDocument(input: { by: { title: "t" } }) { deletedChunks }'],
    ['deleteDocuments(input: { filter: { titles: ["t"] } }) { deletedDocuments }'],
    ['ingestDocuments(input: { documents: [] }) { job { id } }'],
    ['ensureSearchIndexes { searchIndexes { name } }'],
    ['dropEmbeddingSpace(input: { embeddingSpaceId: "x" }) { droppedEmbeddingSpaceId }'],
    ['createApiKey(input: { ownerId: "ada", name: "k" }) { secret }'],
    ['revokeApiKey(input: { apiKeyId: "x" }) { revokedApiKeyId }'],
    ['eraseOwner(input: { ownerId: "bob" }) { documents }'],
    ['reembed(input: { provider: "hash", model: "m" }) { job { id } }'],
    ['activateEmbeddingSpace(input: { embeddingSpaceId: "x" }) { embeddingSpace { id } }'],
  ])('a reader may not %s', async (field) => {
    expect(await server.error(`mutation { ${field} }`, {}, keys.adaReads)).toMatchObject({ code: 'FORBIDDEN' });
  });

  test('a writer operates nothing', async () => {
    for (const field of [
      'ensureSearchIndexes { searchIndexes { name } }',
      'eraseOwner(input: { ownerId: "bob" }) { documents }',
    ])
      expect(await server.error(`mutation { ${field} }`, {}, keys.ada)).toMatchObject({ code: 'FORBIDDEN' });
    expect(await server.data('{ admin { apiKeys { id } } }', {}, keys.ada)).toEqual({ admin: null });
  });

  test('one forbidden field leaves its siblings', async () => {
    const { data, errors } = await server.send(
      'mutation { ensureSearchIndexes { searchIndexes { name } } }',
      {},
      keys.ada,
    );
    expect(data).toEqual({ ensureSearchIndexes: null });
    expect(errors).toHaveLength(1);
  });
});

/** Everything that a caller can ask about documents, as one operation whose answer holds whatever could leak. */
const EVERYTHING = `query($id: ID!, $chunk: ID!, $title: String!) {
  byId: document(by: { id: $id }) { text }
  byTitle: document(by: { title: $title }) { text }
  documents(first: 100) { totalCount nodes { id title } }
  filtered: documents(filter: { ids: [$id] }) { totalCount }
  node(id: $id) { id }
  nodes(ids: [$id, $chunk]) { id }
  vector: search(input: { query: "plumbus", mode: VECTOR }) { nodes { text document { title } } }
  text: search(input: { query: "plumbus", mode: TEXT }) { nodes { text } }
  hybrid: search(input: { query: "plumbus", filter: { ids: [$id] } }) { nodes { text } }
  exact: search(input: { query: "plumbus", exact: true, filter: { titles: [$title] } }) { nodes { text } }
  similarChunks(chunkId: $chunk) { nodes { id } }
  whyNot(input: { query: "plumbus" }, documentId: $id) { reason detail }
  explainSearch(input: { query: "plumbus" }) { candidates { chunk { text } } legs { returned } }
}`;
const NOTHING = {
  byId: null,
  byTitle: null,
  documents: { totalCount: 0, nodes: [] },
  filtered: { totalCount: 0 },
  node: null,
  nodes: [null, null],
  vector: { nodes: [] },
  text: { nodes: [] },
  hybrid: { nodes: [] },
  exact: { nodes: [] },
  similarChunks: null,
  whyNot: null,
};

async function idsOf(title: string, key: string): Promise<{ id: string; chunk: string; title: string }> {
  const query = 'query($t: String!) { document(by: { title: $t }) { id chunks(first: 1) { nodes { id } } } }';
  const { document } = await server.data(query, { t: title }, key);
  return { id: document.id, chunk: document.chunks.nodes[0].id, title };
}

describe('owners', () => {
  test('with the same title never see each other through any operation', async () => {
    await upsert(server, { title: 'shared title', text: 'A plumbus of ada.' }, keys.ada);
    const ids = await idsOf('shared title', keys.ada!);
    const { explainSearch, ...rest } = await server.data(EVERYTHING, ids, keys.bob);
    expect(rest).toEqual(NOTHING);
    expect(explainSearch.candidates).toEqual([]);

    await upsert(server, { title: 'shared title', text: 'A plumbus of bob.' }, keys.bob);
    const seen = JSON.stringify((await server.send(EVERYTHING, ids, keys.bob)).data);
    expect(seen).toContain('of bob');
    expect(seen).not.toContain('of ada');
  });

  test('cannot change each other’s documents', async () => {
    await upsert(server, { title: 'mine', text: 'Untouched.' }, keys.ada);
    const { id } = await idsOf('mine', keys.ada!);
    const attempts: [string, object][] = [
      [
        'mutation($id: ID!) { updateDocument(input: { documentId: $id, title: "stolen" }) { userErrors { code } } }',
        { id },
      ],
      ['mutation($id: ID!) { deleteDocument(input: { documentId: $id }) { userErrors { code } } }', { id }],
    ];
    for (const [mutation, variables] of attempts) {
      const data = await server.data(mutation, variables, keys.bob);
      expect(Object.values(data)).toEqual([{ userErrors: [{ code: 'NOT_FOUND' }] }]);
    }
    const deletion = 'mutation($id: ID!) { deleteDocuments(input: { filter: { ids: [$id] } }) { deletedDocuments } }';
    expect((await server.data(deletion, { id }, keys.bob)).deleteDocuments.deletedDocuments).toBe(0);
    expect((await server.data('{ document(by: { title: "mine" }) { text } }', {}, keys.ada)).document.text).toBe(
      'Untouched.',
    );
  });

  test('metadata named like a system field moves nothing', async () => {
    const metadata = { owner: 'bob', agent_ids: 'imp', _id: 'x', version: 99 };
    const { document } = await upsert(server, { title: 'claims', text: 'x', metadata }, keys.ada);
    expect(document).toMatchObject({ version: 1, agentIds: [], metadata });
    expect(await server.data('{ document(by: { title: "claims" }) { id } }', {}, keys.bob)).toEqual({ document: null });
  });
});

describe('agents', () => {
  beforeAll(async () => {
    await upsert(server, { title: 'for bot', text: 'The plumbus of bot.' }, keys.adaBot);
    await upsert(server, { title: 'for both', text: 'A plumbus for both.', agentIds: ['bot', 'imp'] }, keys.ada);
    await upsert(server, { title: 'for nobody', text: 'A plumbus for nobody in particular.' }, keys.ada);
  });

  test('see what names them, and nothing else of their owner', async () => {
    const listed = async (key: string | undefined) =>
      (await server.data('{ documents(orderBy: TITLE) { nodes { title } } }', {}, key)).documents.nodes
        .map((node: { title: string }) => node.title)
        .filter((title: string) => title.startsWith('for '));
    expect(await listed(keys.adaBot)).toEqual(['for bot', 'for both']);
    expect(await listed(keys.adaImp)).toEqual(['for both']);
    expect(await listed(keys.ada)).toEqual(['for both', 'for bot', 'for nobody'].sort());
  });

  test('reach a document of another agent through no operation', async () => {
    const ids = await idsOf('for bot', keys.adaBot!);
    const { documents, vector, text, explainSearch, ...rest } = await server.data(EVERYTHING, ids, keys.adaImp);
    const { documents: _d, vector: _v, text: _t, ...nothing } = NOTHING;
    expect(rest).toEqual(nothing);
    for (const part of [documents, vector, text, explainSearch]) expect(JSON.stringify(part)).not.toContain('of bot');
  });

  test('give their name to what they create, and can give no other', async () => {
    expect((await upsert(server, { title: 'made by bot', text: 'x' }, keys.adaBot)).document.agentIds).toEqual(['bot']);
    for (const agentIds of [['imp'], [], ['bot', 'imp']])
      expect((await upsert(server, { title: 'made by bot', text: 'y', agentIds }, keys.adaBot)).userErrors).toEqual([
        expect.objectContaining({ code: 'INVALID', path: ['input', 'agentIds'] }),
      ]);
  });

  test('cannot write what names others too, nor take a title that they cannot see', async () => {
    const conflict = [expect.objectContaining({ code: 'CONFLICT' })];
    expect((await upsert(server, { title: 'for both', text: 'mine now' }, keys.adaBot)).userErrors).toEqual(conflict);
    expect((await upsert(server, { title: 'for bot', text: 'mine now' }, keys.adaImp)).userErrors).toEqual(conflict);
    expect(
      (await upsert(server, { title: 'for both', text: 'A plumbus for both, again.' }, keys.adaBoth)).outcome,
    ).toBe('UPDATED');
  });

  test('lose a document at once when it is withdrawn from them', async () => {
    await upsert(server, { title: 'withdrawn', text: 'A grommet.', agentIds: ['bot'] }, keys.ada);
    const search = '{ search(input: { query: "grommet" }) { nodes { text } } }';
    const texts = async () => JSON.stringify((await server.data(search, {}, keys.adaBot)).search.nodes);
    expect(await texts()).toContain('grommet');
    const { outcome, changes } = await upsert(
      server,
      { title: 'withdrawn', text: 'A grommet.', agentIds: ['imp'] },
      keys.ada,
    );
    expect({ outcome, embedded: changes.chunksEmbedded }).toEqual({ outcome: 'UPDATED', embedded: 0 });
    expect(await texts()).not.toContain('grommet');
  });

  test('erasing an owner leaves the others', async () => {
    const erase =
      'mutation($dry: Boolean!) { eraseOwner(input: { ownerId: "bob", dryRun: $dry }) { documents chunks apiKeys userErrors { code } } }';
    const counted = { documents: 1, chunks: 1, apiKeys: 1, userErrors: [] };
    expect((await server.data(erase, { dry: true }, ADMIN)).eraseOwner).toEqual(counted);
    expect((await server.data(erase, { dry: false }, ADMIN)).eraseOwner).toEqual(counted);
    expect(await server.error('{ viewer { role } }', {}, keys.bob)).toMatchObject({ code: 'UNAUTHENTICATED' });
    expect((await server.data('{ documents { totalCount } }', {}, keys.ada)).documents.totalCount).toBeGreaterThan(3);
  });
});
