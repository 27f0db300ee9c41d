import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FakeChat, startFakeChat } from '../support/fake-chat.js';
import { type FakeOpenai, startFakeOpenai } from '../support/fake-openai.js';
import { startTestServer, type TestServer } from './server.js';

/** The settings of this part, through the whole server: a chat model, an embedding endpoint, and a budget. */
let chat: FakeChat;
let fake: FakeOpenai;
let server: TestServer;
beforeAll(async () => {
  [chat, fake] = await Promise.all([startFakeChat(), startFakeOpenai()]);
  server = await startTestServer({
    EMBEDDING_PROVIDER: 'openai',
    EMBEDDING_DIMENSIONS: '64',
    OPENAI_API_KEY: 'sk-x',
    OPENAI_BASE_URL: fake.baseUrl,
    EMBEDDING_REQUESTS_PER_MINUTE: '3',
    GAZETTEER_CONTEXT_URL: chat.baseUrl,
    GAZETTEER_CONTEXT_MODEL: 'small',
    GAZETTEER_CONTEXT_API_KEY: 'sk-chat',
  });
});
afterAll(async () => {
  await server?.stop();
  await Promise.all([chat?.close(), fake?.close()]);
});

const UPSERT = `mutation Upsert($input: UpsertDocumentInput!) {
  upsertDocument(input: $input) { outcome document { chunks { nodes { text } } } userErrors { message } }
}`;
const SEARCH = 'query Search($query: String!) { search(input: { query: $query, mode: VECTOR }) { nodes { text } } }';

test('a contextual chunk is embedded behind its line, and stored and found bare', async () => {
  chat.say('About the pump of the waterworks.');
  const input = { title: 'Pump', text: 'It must be primed.', chunking: { contextual: true }, waitUntil: 'SEARCHABLE' };
  const { upsertDocument } = await server.data(UPSERT, { input });
  expect(upsertDocument).toEqual({
    outcome: 'CREATED',
    document: { chunks: { nodes: [{ text: 'It must be primed.' }] } },
    userErrors: [],
  });
  expect(fake.requests.at(-1)?.inputs).toEqual(['About the pump of the waterworks.\n\nPump\n\nIt must be primed.']);
  expect(chat.requests).toMatchObject([{ model: 'small', authorization: 'Bearer sk-chat' }]);
  expect((await server.data(UPSERT, { input })).upsertDocument.outcome).toBe('UNCHANGED');
  expect(chat.requests).toHaveLength(1);
  const { search } = await server.data(SEARCH, { query: 'waterworks' });
  expect(search.nodes).toEqual([{ text: 'It must be primed.' }]);
});

test('a question that the budget of the minute has no room for says when to come again', async () => {
  await server.data(SEARCH, { query: 'the last one' });
  const { errors } = await server.send(SEARCH, { query: 'one too many' });
  expect(errors).toMatchObject([
    {
      message: expect.stringContaining('budget of 3 requests per minute'),
      extensions: { code: 'PROVIDER_UNAVAILABLE', retryable: true },
    },
  ]);
  expect(errors![0]!.extensions.retryAfterSeconds).toBeGreaterThan(0);
});
