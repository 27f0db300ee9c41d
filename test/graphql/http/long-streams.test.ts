import { createClient } from 'graphql-ws';
import { SignJWT } from 'jose';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { type FakeOpenai, startFakeOpenai } from '../../support/fake-openai.js';
import { post, startTestServer, type TestServer } from '../server.js';

// A job that stands still, because its embedder does not answer, is watched for long.

const ADMIN = 'an-admin-key-of-at-least-32-characters';
const JWT_SECRET = 'a secret of at least thirty-two bytes';
/** What a token may be late by. */
const SKEW_SECONDS = 60;
let embedder: FakeOpenai;
let server: TestServer;
let jobId: string;
beforeAll(async () => {
  embedder = await startFakeOpenai();
  embedder.answerWith('stall');
  server = await startTestServer({
    GAZETTEER_ADMIN_KEY: ADMIN,
    GAZETTEER_JWT_SECRET: JWT_SECRET,
    EMBEDDING_PROVIDER: 'openai',
    OPENAI_BASE_URL: embedder.baseUrl,
    EMBEDDING_MODEL: 'text-embedding-3-small',
    EMBEDDING_DIMENSIONS: '16',
    GAZETTEER_DRAIN_SECONDS: '1',
  });
  const { ingestDocuments } = await server.data(
    'mutation { ingestDocuments(input: { documents: [{ title: "t", text: "A text." }] }) { job { id } } }',
    {},
    (await key('ada')).secret,
  );
  jobId = ingestDocuments.job.id;
});
afterAll(async () => {
  await server?.stop();
  await embedder?.close();
});

afterEach(() => {
  vi.useRealTimers();
});

async function key(ownerId: string): Promise<{ id: string; secret: string }> {
  const { createApiKey } = await server.data(
    'mutation($ownerId: ID!) { createApiKey(input: { ownerId: $ownerId, name: "k", role: WRITER }) { apiKey { id } secret } }',
    { ownerId },
    ADMIN,
  );
  return { id: createApiKey.apiKey.id, secret: createApiKey.secret };
}

/** Expires in so many seconds, what it may be late by included. */
function token(seconds: number): Promise<string> {
  return new SignJWT({ sub: 'ada', role: 'writer' })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime(Math.floor(Date.now() / 1_000) - SKEW_SECONDS + seconds)
    .sign(new TextEncoder().encode(JWT_SECRET));
}

const SUBSCRIPTION = 'subscription($id: ID!) { job(id: $id) { state } }';

interface Watched {
  /** Resolves with the first event. */
  readonly begun: Promise<void>;
  /** The codes of the errors that it ended with. */
  readonly ended: Promise<readonly string[]>;
}

function overSocket(secret: string): Watched {
  const client = createClient({
    url: server.url.replace('http', 'ws'),
    webSocketImpl: WebSocket,
    retryAttempts: 0,
    connectionParams: { authorization: `Bearer ${secret}` },
  });
  let begin: () => void;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const ended = new Promise<readonly string[]>((resolve) => {
    client.subscribe(
      { query: SUBSCRIPTION, variables: { id: jobId } },
      {
        next: () => begin(),
        error: (errors) =>
          resolve((errors as { extensions: { code: string } }[]).map(({ extensions }) => extensions.code)),
        complete: () => resolve([]),
      },
    );
  }).finally(() => client.dispose());
  return { begun, ended };
}

function overEvents(secret: string): Watched {
  let begin: () => void;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const read = async (): Promise<readonly string[]> => {
    const response = await post(server.url, JSON.stringify({ query: SUBSCRIPTION, variables: { id: jobId } }), secret, {
      accept: 'text/event-stream',
    });
    let all = '';
    for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
      all += part;
      if (all.includes('"data"')) begin();
    }
    expect(all.trimEnd()).toMatch(/event: complete\ndata:$/);
    return [...all.matchAll(/"code":"([A-Z_]+)"/g)].map(([, code]) => code!);
  };
  return { begun, ended: read() };
}

test.each([
  ['graphql-ws', overSocket],
  ['server-sent events', overEvents],
])(
  'a subscription over %s ends with UNAUTHENTICATED when its key is revoked or its token expires',
  async (_, watch) => {
    const [revoked, kept] = [await key('ada'), await key('ada')];
    const [byRevoked, byKept, byToken] = [watch(revoked.secret), watch(kept.secret), watch(await token(6))];
    let isKept = true;
    void byKept.ended.then(() => {
      isKept = false;
    });
    await Promise.all([byRevoked.begun, byKept.begun, byToken.begun]);
    const revoke = 'mutation($id: ID!) { revokeApiKey(input: { apiKeyId: $id }) { revokedApiKeyId } }';
    await server.data(revoke, { id: revoked.id }, ADMIN);
    expect(await byRevoked.ended).toEqual(['UNAUTHENTICATED']);
    expect(await byToken.ended).toEqual(['UNAUTHENTICATED']);
    expect(isKept).toBe(true);
    await server.data(revoke, { id: kept.id }, ADMIN);
    expect(await byKept.ended).toEqual(['UNAUTHENTICATED']);
  },
);

/** What a proxy may ask for at least. */
const QUIET_MS = 15_000;
const STEP_MS = 3_000;

test('a stream of events on which nothing happens gives a sign of life every fifteen seconds', async () => {
  const { secret } = await key('ada');
  // What the server starts for the stream runs by this clock.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const leaving = new AbortController();
  const response = await fetch(server.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      authorization: `Bearer ${secret}`,
    },
    body: JSON.stringify({ query: SUBSCRIPTION, variables: { id: jobId } }),
    signal: leaving.signal,
  });
  let all = '';
  const reading = (async () => {
    for await (const part of response.body!.pipeThrough(new TextDecoderStream())) all += part;
  })().catch(() => {});
  await expect.poll(() => all).toContain('"data"');
  const signs = () => all.split('\n').filter((line) => line.startsWith(':')).length;
  for (let count = signs(); count < 5; count++) {
    vi.advanceTimersByTime(QUIET_MS);
    await expect.poll(signs).toBeGreaterThan(count);
  }
  leaving.abort();
  await reading;
});

test('a socket on which nothing happens is pinged every fifteen seconds', async () => {
  const { secret } = await key('ada');
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const socket = new WebSocket(server.url.replace('http', 'ws'), 'graphql-transport-ws');
  let pings = 0;
  let begun = false;
  socket.on('ping', () => {
    pings += 1;
  });
  socket.on('open', () =>
    socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${secret}` } })),
  );
  socket.on('message', (data) => {
    const { type } = JSON.parse(String(data));
    begun ||= type === 'next';
    if (type !== 'connection_ack') return;
    const payload = { query: SUBSCRIPTION, variables: { id: jobId } };
    socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload }));
  });
  await expect.poll(() => begun).toBe(true);
  for (let count = 0; count < 4; count++) {
    // No further than to the next ping: two that nobody could answer in between would end the socket.
    for (let passed = 0; passed < QUIET_MS && pings === count; passed += STEP_MS) {
      vi.advanceTimersByTime(STEP_MS);
      await server.data('{ viewer { role } }', {}, secret);
    }
    await expect.poll(() => pings).toBeGreaterThan(count);
    // The server hears the answer before it asks again.
    await server.data('{ viewer { role } }', {}, secret);
  }
  expect(socket.readyState).toBe(WebSocket.OPEN);
  socket.close();
});
