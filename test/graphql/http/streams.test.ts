import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { startTestServer, type TestServer } from '../server.js';

const ADMIN = 'an-admin-key-of-at-least-32-characters';
let server: TestServer;
let socketUrl: string;
beforeAll(async () => {
  server = await startTestServer({ GAZETTEER_ADMIN_KEY: ADMIN });
  socketUrl = server.url.replace('http', 'ws');
});
afterAll(async () => server.stop());

describe('graphql-ws', () => {
  const client = (authorization?: string) =>
    createClient({
      url: socketUrl,
      webSocketImpl: WebSocket,
      retryAttempts: 0,
      lazyCloseTimeout: 10_000,
      ...(authorization && { connectionParams: { authorization } }),
    });
  const results = async (query: string, authorization?: string, variables?: Record<string, unknown>) => {
    const connection = client(authorization);
    try {
      const all: unknown[] = [];
      for await (const result of connection.iterate({ query, ...(variables && { variables }) })) all.push(result);
      return all;
    } finally {
      await connection.dispose();
    }
  };

  test('answers operations with the credentials of the connection', async () => {
    expect(await results('{ viewer { role } }', `Bearer ${ADMIN}`)).toEqual([{ data: { viewer: { role: 'ADMIN' } } }]);
  });

  test('refuses the connection without them', async () => {
    await expect(results('{ viewer { role } }')).rejects.toMatchObject({ code: 4403 });
    await expect(results('{ viewer { role } }', 'Bearer nobody')).rejects.toMatchObject({ code: 4403 });
  });

  test('checks credentials again for each operation', async () => {
    const { apiKey, secret } = (
      await server.data(
        'mutation { createApiKey(input: { ownerId: "ada", name: "k" }) { apiKey { id } secret } }',
        {},
        ADMIN,
      )
    ).createApiKey;
    const connection = client(`Bearer ${secret}`);
    const ask = async () => (await connection.iterate({ query: '{ viewer { ownerId } }' }).next()).value;
    expect(await ask()).toEqual({ data: { viewer: { ownerId: 'ada' } } });
    await server.data(
      'mutation($id: ID!) { revokeApiKey(input: { apiKeyId: $id }) { revokedApiKeyId } }',
      { id: apiKey.id },
      ADMIN,
    );
    await expect(ask()).rejects.toEqual([expect.objectContaining({ extensions: { code: 'UNAUTHENTICATED' } })]);
    await connection.dispose();
  });

  test.each([
    ['{ nothing }', 'GRAPHQL_VALIDATION_FAILED'],
    ['{', 'GRAPHQL_PARSE_FAILED'],
    ['{ documents(first: 101) { totalCount } }', 'BAD_USER_INPUT'],
    ['query($v: [ID!]) { documents(filter: { ids: $v }) { totalCount } }', 'BAD_USER_INPUT'],
    [`{ ${'a { '.repeat(300)}`, 'QUERY_TOO_COMPLEX'],
  ])('refuses %.40s with %s', async (query, code) => {
    await expect(results(query, `Bearer ${ADMIN}`)).rejects.toEqual([
      expect.objectContaining({ extensions: expect.objectContaining({ code }) }),
    ]);
  });

  test('answers a subscription that cannot begin with its error, and masks nothing of it', async () => {
    await expect(results('subscription { job(id: "x") { id } }', `Bearer ${ADMIN}`)).resolves.toEqual([
      expect.objectContaining({
        errors: [expect.objectContaining({ extensions: expect.objectContaining({ code: 'BAD_USER_INPUT' }) })],
      }),
    ]);
  });

  /** What becomes of a socket that says these things. */
  const closing = (messages: string[], options: object = {}) =>
    new Promise<{ code: number }>((resolve, reject) => {
      const socket = new WebSocket(socketUrl, 'graphql-transport-ws', options);
      socket.on('open', () => {
        for (const message of messages) socket.send(message);
      });
      socket.on('close', (code) => resolve({ code }));
      socket.on('unexpected-response', (_, response) => resolve({ code: response.statusCode! }));
      socket.on('error', reject);
    });
  const INIT = JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${ADMIN}` } });

  test.each([
    ['garbage', ['garbage'], 4400],
    [
      'an operation before its credentials',
      ['{"type":"subscribe","id":"1","payload":{"query":"{ viewer { role } }"}}'],
      4401,
    ],
    ['credentials twice', [INIT, INIT], 4429],
    [
      'an integer that would be rounded',
      [
        INIT,
        '{"type":"subscribe","id":"1","payload":{"query":"{ viewer { role } }","variables":{"n":9007199254740993}}}',
      ],
      4400,
    ],
    ['more than a megabyte', ['x'.repeat(1024 * 1024 + 1)], 1009],
  ])('a socket that sends %s is closed', async (_, messages, code) => {
    expect(await closing(messages)).toEqual({ code });
  });

  test('strangers are refused before the upgrade', async () => {
    expect(await closing([], { origin: 'https://evil.example' })).toEqual({ code: 403 });
    const other = new WebSocket(socketUrl.replace('/graphql', '/other'), 'graphql-transport-ws');
    const status = await new Promise((resolve) =>
      other.on('unexpected-response', (_, response) => resolve(response.statusCode)),
    );
    expect(status).toBe(400);
  });

  test('a twenty-first operation at once on a socket is RATE_LIMITED', async () => {
    const socket = new WebSocket(socketUrl, 'graphql-transport-ws');
    const errors: unknown[] = [];
    await new Promise<void>((resolve) => {
      let answered = 0;
      socket.on('open', () => socket.send(INIT));
      socket.on('message', (data) => {
        const message = JSON.parse(String(data));
        if (message.type === 'connection_ack')
          for (let id = 0; id < 40; id += 1)
            socket.send(
              JSON.stringify({ type: 'subscribe', id: String(id), payload: { query: '{ documents { totalCount } }' } }),
            );
        if (message.type === 'error') errors.push(message.payload[0].extensions.code);
        if (message.type === 'error' || message.type === 'complete') answered += 1;
        if (answered === 40) resolve();
      });
    });
    socket.close();
    expect(errors.length).toBeGreaterThan(0);
    expect(new Set(errors)).toEqual(new Set(['RATE_LIMITED']));
  });
});

describe('server-sent events', () => {
  const stream = (body: object, headers: Record<string, string> = { authorization: `Bearer ${ADMIN}` }) =>
    fetch(server.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...headers },
      body: JSON.stringify(body),
    });

  test('answer with next and complete, in a form that proxies do not hold back', async () => {
    const response = await stream({ query: '{ viewer { role } }' });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    expect(response.headers.get('cache-control')).toBe('no-cache');
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    expect(await response.text()).toBe(
      ':\n\nevent: next\ndata: {"data":{"viewer":{"role":"ADMIN"}}}\n\nevent: complete\ndata:\n\n',
    );
  });

  test('carry refusals as results', async () => {
    expect(await (await stream({ query: '{ nothing }' })).text()).toContain('GRAPHQL_VALIDATION_FAILED');
    expect(await (await stream({ query: 'subscription { job(id: "x") { id } }' })).text()).toContain('BAD_USER_INPUT');
  });

  test('need credentials and a query like anything else', async () => {
    expect((await stream({ query: '{ viewer { role } }' }, {})).status).toBe(401);
    expect((await stream({})).status).toBe(400);
    expect((await stream({ query: '{ viewer { role } }', variables: [] })).status).toBe(400);
  });
});
