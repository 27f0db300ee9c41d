import { type ClientRequestArgs, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { serverAudits } from 'graphql-http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { logLine, post, startTestServer, type TestServer, upsert } from '../server.js';

let server: TestServer;
let origin: string;
beforeAll(async () => {
  server = await startTestServer();
  origin = new URL(server.url).origin;
});
afterAll(async () => server.stop());

const VIEWER = JSON.stringify({ query: '{ viewer { role } }' });

/** With `fetch` a Host header cannot be chosen. */
function raw(
  options: ClientRequestArgs & { body?: string },
): Promise<{ status: number; body: string; headers: Record<string, unknown> }> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const request = httpRequest({ hostname, port, ...options }, (response) => {
      let body = '';
      response.on('data', (chunk) => {
        body += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode!, body, headers: response.headers }));
    });
    request.on('error', reject);
    request.end(options.body);
  });
}

/** Apollo Server 5 answers a request that cannot run with 400 for every media type: monitors see that it failed. */
const ANSWERED_400_INSTEAD_OF_200: ReadonlySet<string> = new Set(['572B', 'FDE2', '7B9B']);

describe('the GraphQL-over-HTTP audits', () => {
  for (const audit of serverAudits({ url: () => server.url, fetchFn: fetch })) {
    const known = ANSWERED_400_INSTEAD_OF_200.has(audit.id);
    (known ? test.fails : test)(`${audit.id} ${audit.name}`, async () => {
      const result = await audit.fn();
      if (result.status === 'warn' || result.status === 'error') throw new Error(result.reason);
    });
  }
});

describe('Host and Origin in development mode', () => {
  const asked = (headers: Record<string, string>, path = '/graphql') =>
    raw({ method: 'POST', path, headers: { 'content-type': 'application/json', ...headers }, body: VIEWER });

  test.each(['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example:80', 'a b', '192.168.1.5'])(
    'the Host %s is refused',
    async (host) => {
      const { status, body } = await asked({ host });
      expect(status).toBe(403);
      expect(JSON.parse(body).errors[0].extensions.code).toBe('FORBIDDEN');
    },
  );

  test.each(['localhost:4000', '127.0.0.1', '[::1]:1', 'LOCALHOST'])('the Host %s is answered', async (host) => {
    expect((await asked({ host })).status).toBe(200);
  });

  test('probes take any Host, the explorer and metrics do not', async () => {
    const status = async (path: string) => (await raw({ path, headers: { host: 'probe.example' } })).status;
    expect(await status('/healthz')).toBe(200);
    expect(await status('/readyz')).toBe(200);
    for (const path of ['/metrics', '/explorer/', '/export', '/nowhere']) expect(await status(path)).toBe(403);
  });

  test.each(['https://evil.example', 'null', 'http://127.0.0.1', 'http://localhost:1'])(
    'the Origin %s is refused',
    async (given) => {
      expect((await asked({ origin: given })).status).toBe(403);
    },
  );

  test('its own Origin, whatever the scheme, and Apollo Studio are answered', async () => {
    const { host } = new URL(server.url);
    for (const given of [`http://${host}`, `https://${host}`])
      expect((await asked({ origin: given })).status).toBe(200);
    const studio = await asked({ origin: 'https://studio.apollographql.com' });
    expect(studio.headers).toMatchObject({
      'access-control-allow-origin': 'https://studio.apollographql.com',
      vary: 'Origin',
    });
  });

  test('a preflight of Studio is answered, one of a stranger is not', async () => {
    const preflight = (from: string) =>
      raw({ method: 'OPTIONS', path: '/graphql', headers: { origin: from, 'access-control-request-method': 'POST' } });
    const allowed = await preflight('https://studio.apollographql.com');
    expect(allowed.status).toBe(204);
    expect(allowed.headers['access-control-allow-headers']).toContain('authorization');
    expect((await preflight('https://evil.example')).status).toBe(403);
  });
});

describe('Host and Origin with credentials', () => {
  const ADMIN = 'an-admin-key-of-at-least-32-characters';
  let guarded: TestServer;
  beforeAll(async () => {
    guarded = await startTestServer({
      GAZETTEER_ADMIN_KEY: ADMIN,
      GAZETTEER_HOSTS: 'docs.example,127.0.0.1',
      GAZETTEER_CORS_ORIGINS: 'https://app.example',
    });
  });
  afterAll(async () => guarded.stop());
  const asked = (headers: Record<string, string>) =>
    raw({
      port: new URL(guarded.url).port,
      method: 'POST',
      path: '/graphql',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${ADMIN}`, ...headers },
      body: VIEWER,
    });

  test('only the configured hosts are answered', async () => {
    expect((await asked({ host: 'docs.example' })).status).toBe(200);
    expect((await asked({ host: 'DOCS.example:8443' })).status).toBe(200);
    expect((await asked({ host: 'other.example' })).status).toBe(403);
    expect((await asked({ host: 'localhost' })).status).toBe(403);
  });

  test('only the configured origins are answered, Studio no longer', async () => {
    expect((await asked({ origin: 'https://app.example' })).headers['access-control-allow-origin']).toBe(
      'https://app.example',
    );
    expect((await asked({ origin: 'https://studio.apollographql.com' })).status).toBe(403);
  });

  test('nothing is read of a body without credentials', async () => {
    const { status } = await asked({ authorization: 'Bearer nobody' });
    expect(status).toBe(401);
  });

  test('metrics are an administrator’s', async () => {
    const { secret } = (
      await guarded.data('mutation { createApiKey(input: { ownerId: "ada", name: "k" }) { secret } }', {}, ADMIN)
    ).createApiKey;
    const metrics = (key?: string) =>
      fetch(new URL('/metrics', guarded.url), { headers: key ? { authorization: `Bearer ${key}` } : {} });
    expect((await metrics()).status).toBe(401);
    expect((await metrics(secret)).status).toBe(403);
    expect(await (await metrics(ADMIN)).text()).toContain('gazetteer_http_request_seconds_bucket');
  });

  test('no third party’s page is shown', async () => {
    const html = await (
      await fetch(guarded.url, { headers: { accept: 'text/html', authorization: `Bearer ${ADMIN}` } })
    ).text();
    expect(html).toContain('/explorer/');
    expect(html).not.toContain('apollographql.com');
  });
});

describe('answers', () => {
  test('every failure has the shape of a GraphQL error, on every route', async () => {
    const answers: [string, RequestInit, number, string][] = [
      ['/nowhere', {}, 404, 'BAD_USER_INPUT'],
      [
        '/graphql',
        { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } },
        400,
        'BAD_USER_INPUT',
      ],
      ['/graphql', { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } }, 415, 'BAD_USER_INPUT'],
      ['/graphql', { method: 'PUT' }, 404, 'BAD_USER_INPUT'],
      ['/upload', { method: 'POST' }, 403, 'FORBIDDEN'],
      ['/upload?owner=eve', { method: 'POST', headers: { 'x-gazetteer-client': 'test' } }, 400, 'BAD_USER_INPUT'],
      ['/import', { method: 'POST' }, 403, 'FORBIDDEN'],
      ['/import', { method: 'POST', headers: { 'x-gazetteer-client': 'test' } }, 400, 'BAD_USER_INPUT'],
    ];
    for (const [path, options, status, code] of answers) {
      const response = await fetch(new URL(path, origin), options);
      expect([path, response.status]).toEqual([path, status]);
      expect(await response.json()).toEqual({
        errors: [
          expect.objectContaining({ message: expect.any(String), extensions: expect.objectContaining({ code }) }),
        ],
      });
    }
  });

  test('so has what is no request at all', async () => {
    const { hostname, port } = new URL(server.url);
    const said = (bytes: string) =>
      new Promise<string>((resolve, reject) => {
        let answer = '';
        const socket = connect(Number(port), hostname, () => socket.write(bytes));
        socket.on('data', (chunk) => {
          answer += chunk;
        });
        socket.on('close', () => resolve(answer));
        socket.on('error', reject);
      });
    const shape = /\r\n\r\n\{"errors":\[\{"message":"[^"]+","extensions":\{"code":"BAD_USER_INPUT"\}\}\]\}$/;
    for (const [bytes, status] of [
      ['GARBAGE\r\n\r\n', 400],
      [`GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
      ['GET /%E0%A4%A HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n', 400],
    ] as const) {
      const answer = await said(bytes);
      expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(answer).toMatch(shape);
    }
  });

  test('a persisted query of another hash, and a compressed body, are said to be what they are', async () => {
    const persisted = {
      query: '{ viewer { role } }',
      extensions: { persistedQuery: { version: 1, sha256Hash: 'abc' } },
    };
    const mismatch = await post(server.url, JSON.stringify(persisted));
    expect(await mismatch.json()).toMatchObject({ errors: [{ extensions: { code: 'BAD_REQUEST' } }] });
    const compressed = await post(server.url, VIEWER, undefined, { 'content-encoding': 'gzip' });
    expect(compressed.status).toBe(400);
    expect(await compressed.text()).toContain('Compressed');
  });

  test('a body above 72 MiB is refused with the limit', async () => {
    const response = await post(server.url, ' '.repeat(72 * 1024 * 1024 + 1));
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({
      errors: [{ extensions: { code: 'BAD_USER_INPUT', limit: 'requestBodyBytes', maximum: 72 * 1024 * 1024 } }],
    });
  });

  test('variables nested 10 000 deep are refused', async () => {
    const nested = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`;
    const query =
      'mutation($m: JSONObject) { upsertDocument(input: { title: "deep", text: "x", metadata: $m }) { outcome } }';
    const response = await post(server.url, `{"query":${JSON.stringify(query)},"variables":{"m":${nested}}}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] });
    expect(await server.data('{ document(by: { title: "deep" }) { id } }')).toEqual({ document: null });
  });

  test('an integer in the variables of a GET is not rounded', async () => {
    const url = new URL(server.url);
    url.searchParams.set('query', 'query($f: DocumentFilter) { documents(filter: $f) { totalCount } }');
    url.searchParams.set('variables', '{"f":{"metadata":[{"key":"k","eq":9007199254740993}]}}');
    const response = await fetch(url, { headers: { 'apollo-require-preflight': '1' } });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] });
  });

  test('a GET changes nothing', async () => {
    const url = new URL(server.url);
    url.searchParams.set('query', 'mutation { upsertDocument(input: { title: "got", text: "x" }) { outcome } }');
    expect((await fetch(url, { headers: { 'apollo-require-preflight': '1' } })).status).toBe(405);
    const streamed = await fetch(url, { headers: { accept: 'text/event-stream' } });
    expect(await streamed.text()).toContain('BAD_USER_INPUT');
    expect(await server.data('{ document(by: { title: "got" }) { id } }')).toEqual({ document: null });
  });

  test('never quote long values back', async () => {
    const secretText = 'the quick brown fox jumps over the lazy dog '.repeat(50);
    const query = 'query($n: Int!) { documents(first: $n) { totalCount } }';
    const { message } = await server.error(query, { n: secretText });
    expect(message.length).toBeLessThan(400);
    expect(message).not.toContain('jumps over the lazy dog the quick');
    const literal = await server.error(`{ documents(first: "${secretText}") { totalCount } }`);
    expect(literal.message).not.toContain('jumps over the lazy dog the quick');
  });

  test('carry a request id, the client’s own where it is harmless', async () => {
    const id = async (given?: string) =>
      (await post(server.url, VIEWER, undefined, given ? { 'x-request-id': given } : {})).headers.get('x-request-id');
    expect(await id('my-request-17')).toBe('my-request-17');
    expect(await id()).toMatch(/^[0-9a-f-]{36}$/);
    expect(await id('<script>')).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('the log', () => {
  test('has one line per request, with the operation and its calls, without texts, variables or keys', async () => {
    const text = 'A text that nobody may find in a log.';
    const answer = await server.send(
      'mutation Store($i: UpsertDocumentInput!) { upsertDocument(input: $i) { outcome } }',
      {
        i: { title: 'a title that is no business of the log', text },
      },
    );
    const line = await logLine(server, answer);
    expect(line).toMatchObject({
      type: 'mutation',
      operation: 'Store',
      route: '/graphql',
      status: 200,
      providerCalls: 1,
    });
    expect(line.storeCalls).toBeGreaterThan(0);
    expect(line.durationMs).toBeGreaterThan(0);
    const everything = JSON.stringify(server.log);
    expect(everything).not.toContain('nobody may find');
    expect(everything).not.toContain('no business');
    expect(server.log.filter((entry) => entry.requestId === line.requestId)).toHaveLength(1);
  });

  test('names the codes of what failed', async () => {
    const answer = await server.send('{ documents(after: "x") { totalCount } }');
    expect(await logLine(server, answer)).toMatchObject({ errors: ['BAD_USER_INPUT'] });
  });
});

describe('the explorer', () => {
  test('comes whole from this server', async () => {
    const page = await fetch(new URL('/graphiql', origin));
    expect(page.url).toBe(`${origin}/explorer/`);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const html = await page.text();
    expect(html).not.toMatch(/(src|href)="(https?:)?\/\//);
    const scripts = [...html.matchAll(/<script[^>]* src="([^"]+)"/g)].map((match) => match[1]!);
    expect(scripts.length).toBeGreaterThan(0);
    for (const script of scripts) {
      const file = await fetch(new URL(script, `${origin}/explorer/`));
      expect([script, file.status, file.headers.get('content-type')]).toEqual([
        script,
        200,
        'text/javascript; charset=utf-8',
      ]);
    }
  });

  test.each(['../package.json', '..%2fpackage.json', '%2e%2e/index.js', 'nothing.js'])('serves no %s', async (path) => {
    expect((await raw({ path: `/explorer/${path}` })).status).toBe(404);
  });
});

test('Apollo Studio opens in development, with a way out for those who are offline', async () => {
  const html = await (await fetch(server.url, { headers: { accept: 'text/html' } })).text();
  expect(html).toContain('embeddable-sandbox.cdn.apollographql.com');
  expect(html).toContain('href="/explorer/"');
});

test('readiness names its parts', async () => {
  await upsert(server, { title: 'there', text: 'x' });
  const response = await fetch(new URL('/readyz', origin));
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ status: 'ready', checks: { database: 'ok', embedder: 'ok', indexes: 'ok' } });
});
