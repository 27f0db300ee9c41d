import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { post, startTestServer, type TestServer } from './server.js';

const ADMIN = 'an-admin-key-of-at-least-32-characters';
let server: TestServer;
const keys: Record<string, { id: string; secret: string }> = {};
beforeAll(async () => {
  server = await startTestServer({ GAZETTEER_ADMIN_KEY: ADMIN });
  for (const [name, input] of Object.entries({
    ada: { ownerId: 'ada', role: 'WRITER' },
    reader: { ownerId: 'ada', role: 'READER' },
    red: { ownerId: 'ada', role: 'WRITER', agentIds: ['red'] },
    eve: { ownerId: 'eve', role: 'WRITER' },
  }))
    keys[name] = await createKey({ name, ...input });
});
afterAll(async () => server.stop());

async function createKey(input: object): Promise<{ id: string; secret: string }> {
  const { createApiKey } = await server.data(
    'mutation($input: CreateApiKeyInput!) { createApiKey(input: $input) { apiKey { id } secret userErrors { message } } }',
    { input },
    ADMIN,
  );
  expect(createApiKey.userErrors).toEqual([]);
  return { id: createApiKey.apiKey.id, secret: createApiKey.secret };
}
const secretOf = (name: string): string => keys[name]!.secret;

const JOB = 'id kind state total done failed createdAt startedAt finishedAt';
const INGEST = `mutation($documents: [UpsertDocumentInput!]!) {
  ingestDocuments(input: { documents: $documents }) { job { ${JOB} } userErrors { code message path } }
}`;
const ITEMS = `query($id: ID!, $states: [JobItemState!], $first: Int! = 100, $after: String) {
  node(id: $id) { ... on Job { ${JOB} items(states: $states, first: $first, after: $after) {
    totalCount pageInfo { hasNextPage endCursor }
    nodes { name state outcome error { code message retryable } document { title status version lastError } }
  } } }
}`;

const documents = (count: number, word: string) =>
  Array.from({ length: count }, (_, index) => ({
    title: `${word} ${index}`,
    text: `The ${word} number ${index} speaks of pumps.`,
    waitUntil: 'STORED',
  }));

// biome-ignore lint/suspicious/noExplicitAny: what an operation answers is up to its text
async function ingest(given: object[], key: string): Promise<any> {
  const { ingestDocuments } = await server.data(INGEST, { documents: given }, secretOf(key));
  return ingestDocuments.job;
}

const authorization = (key: string) => `Bearer ${secretOf(key)}`;
const SUBSCRIPTION = `subscription($id: ID!) { job(id: $id) { ${JOB} items(first: 1) { nodes { state } } } }`;

/** The events of a subscription over graphql-ws, to its end. */
async function watchOverSocket(id: string, key: string): Promise<unknown[]> {
  const client = createClient({
    url: server.url.replace('http', 'ws'),
    webSocketImpl: WebSocket,
    retryAttempts: 0,
    connectionParams: { authorization: authorization(key) },
  });
  try {
    const events: unknown[] = [];
    for await (const event of client.iterate({ query: SUBSCRIPTION, variables: { id } })) events.push(event);
    return events;
  } finally {
    await client.dispose();
  }
}

/** The same over server-sent events. */
async function watchOverEvents(id: string, key: string): Promise<unknown[]> {
  const response = await post(server.url, JSON.stringify({ query: SUBSCRIPTION, variables: { id } }), secretOf(key), {
    accept: 'text/event-stream',
  });
  const stream = await response.text();
  expect(stream.trimEnd()).toMatch(/event: complete\ndata:$/);
  return [...stream.matchAll(/^event: next\ndata: (.*)$/gm)].map(([, data]) => JSON.parse(data!));
}
const TRANSPORTS = { 'graphql-ws': watchOverSocket, 'server-sent events': watchOverEvents };

describe('ingestDocuments', () => {
  test('queues a job whose items tell how each document ended', async () => {
    const job = await ingest(
      [...documents(3, 'alpha'), { title: 'blank', text: ' ' }, { title: 'garbled', file: { name: 'x', base64: '#' } }],
      'ada',
    );
    expect(job).toMatchObject({ kind: 'INGEST', total: 5, createdAt: expect.any(String) });
    const events = await watchOverEvents(job.id, 'ada');
    expect(events.at(-1)).toMatchObject({ data: { job: { state: 'PARTIAL', done: 3, failed: 2 } } });
    const { node } = await server.data(ITEMS, { id: job.id }, secretOf('reader'));
    expect(node).toMatchObject({ state: 'PARTIAL', startedAt: expect.any(String), finishedAt: expect.any(String) });
    expect(node.items.totalCount).toBe(5);
    const [first, , , blank, garbled] = node.items.nodes;
    expect(first).toEqual({
      name: 'alpha 0',
      state: 'SUCCEEDED',
      outcome: 'CREATED',
      error: null,
      document: { title: 'alpha 0', status: 'READY', version: 1, lastError: null },
    });
    expect(blank).toMatchObject({
      state: 'FAILED',
      outcome: null,
      error: { code: 'EMPTY_TEXT', retryable: false },
      document: { title: 'blank', status: 'FAILED', version: 0, lastError: expect.stringMatching(/./) },
    });
    expect(garbled).toMatchObject({ name: 'garbled', state: 'FAILED', error: { code: 'INVALID' }, document: null });
  });

  test('pages through items, by state too', async () => {
    const job = await ingest(documents(5, 'paged'), 'ada');
    await watchOverEvents(job.id, 'ada');
    const names: string[] = [];
    for (let after: string | null = null, more = true; more; ) {
      const { node } = await server.data(
        ITEMS,
        { id: job.id, first: 2, after, states: ['SUCCEEDED'] },
        secretOf('ada'),
      );
      names.push(...node.items.nodes.map(({ name }: { name: string }) => name));
      after = node.items.pageInfo.endCursor;
      more = node.items.pageInfo.hasNextPage;
    }
    expect(names).toEqual(documents(5, 'paged').map(({ title }) => title));
    const { node } = await server.data(ITEMS, { id: job.id, states: ['FAILED'] }, secretOf('ada'));
    expect(node.items).toMatchObject({ totalCount: 0, nodes: [] });
  });

  test.each([
    ['none', [], ['input', 'documents']],
    ['a hundred and one', documents(101, 'many'), ['input', 'documents']],
    [
      'a dry run',
      [...documents(1, 'dry'), { title: 't', text: 'x', dryRun: true }],
      ['input', 'documents', '1', 'dryRun'],
    ],
    [
      'a title twice',
      [...documents(2, 'twin'), { title: ' twin  1 ', text: 'another' }],
      ['input', 'documents', '2', 'title'],
    ],
  ])('refuses %s with the path', async (_, given, path) => {
    const { ingestDocuments } = await server.data(INGEST, { documents: given }, secretOf('ada'));
    expect(ingestDocuments).toEqual({
      job: null,
      userErrors: [{ code: 'INVALID', message: expect.any(String), path }],
    });
  });

  test('is for writers', async () => {
    expect(await server.error(INGEST, { documents: documents(1, 'x') }, secretOf('reader'))).toMatchObject({
      code: 'FORBIDDEN',
    });
  });
});

describe.each(Object.entries(TRANSPORTS))('subscription job over %s', (_, watch) => {
  test('sends the job now, its progress, and ends with it', async () => {
    const job = await ingest(documents(60, `watched ${watch.name}`), 'ada');
    const events = (await watch(job.id, 'ada')) as { data: { job: Record<string, never> } }[];
    const done = events.map(({ data }) => Number(data.job.done));
    expect(done).toEqual([...done].sort((a, b) => a - b));
    expect(new Set(events.map((event) => JSON.stringify(event))).size).toBe(events.length);
    expect(events.at(-1)?.data.job).toMatchObject({
      id: job.id,
      state: 'SUCCEEDED',
      done: 60,
      // read anew under each event
      items: { nodes: [{ state: 'SUCCEEDED' }] },
    });
  });

  test('of a job that has ended is one event', async () => {
    const job = await ingest(documents(1, `ended ${watch.name}`), 'ada');
    await watch(job.id, 'ada');
    expect(await watch(job.id, 'ada')).toMatchObject([{ data: { job: { state: 'SUCCEEDED' } } }]);
  });

  test('of a job out of sight is an error like that of an absent one', async () => {
    const job = await ingest(documents(1, `hidden ${watch.name}`), 'ada');
    const [foreign, absent] = [await watch(job.id, 'eve'), await watch('rubbish', 'eve')];
    expect(foreign).toMatchObject([{ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] }]);
    expect(absent).toEqual(foreign);
  });
});

describe('jobs of others', () => {
  const CHANGE = (name: string) =>
    `mutation($id: ID!) { ${name}(input: { jobId: $id }) { job { id } userErrors { code path } } }`;

  test.each(['eve', 'red'])('are absent for %s, whatever is asked', async (other) => {
    const job = await ingest(documents(1, `private ${other}`), 'ada');
    expect((await server.data(ITEMS, { id: job.id }, secretOf(other))).node).toBeNull();
    const { jobs } = await server.data('{ jobs { totalCount nodes { id } } }', {}, secretOf(other));
    expect(jobs.nodes.map(({ id }: { id: string }) => id)).not.toContain(job.id);
    for (const name of ['cancelJob', 'retryJob'])
      expect((await server.data(CHANGE(name), { id: job.id }, secretOf(other)))[name]).toEqual({
        job: null,
        userErrors: [{ code: 'NOT_FOUND', path: ['input', 'jobId'] }],
      });
  });

  test('are listed latest first for who may see them, by state', async () => {
    const first = await ingest(documents(1, 'listed a'), 'red');
    const second = await ingest(documents(1, 'listed b'), 'red');
    await watchOverEvents(second.id, 'red');
    await watchOverEvents(first.id, 'red');
    const query =
      '{ jobs(first: 1, states: [SUCCEEDED]) { totalCount nodes { id } pageInfo { hasNextPage endCursor } } }';
    const { jobs } = await server.data(query, {}, secretOf('red'));
    expect(jobs).toMatchObject({ totalCount: 2, nodes: [{ id: second.id }], pageInfo: { hasNextPage: true } });
    const next = await server.data(
      'query($after: String) { jobs(first: 5, states: [SUCCEEDED], after: $after) { nodes { id } } }',
      { after: jobs.pageInfo.endCursor },
      secretOf('red'),
    );
    expect(next.jobs.nodes).toEqual([{ id: first.id }]);
    expect((await server.data('{ jobs(states: []) { totalCount } }', {}, secretOf('red'))).jobs.totalCount).toBe(0);
  });

  test('a job that has ended cannot be cancelled, and one without failures not be retried', async () => {
    const job = await ingest(documents(1, 'over'), 'ada');
    await watchOverEvents(job.id, 'ada');
    for (const name of ['cancelJob', 'retryJob'])
      expect((await server.data(CHANGE(name), { id: job.id }, secretOf('ada')))[name]).toEqual({
        job: null,
        userErrors: [{ code: 'CONFLICT', path: ['input', 'jobId'] }],
      });
    expect(await server.error(CHANGE('cancelJob'), { id: job.id }, secretOf('reader'))).toMatchObject({
      code: 'FORBIDDEN',
    });
  });
});
