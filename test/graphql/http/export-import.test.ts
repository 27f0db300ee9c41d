import { createHash } from 'node:crypto';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makePdf } from '../../ingest/extract/make-pdf.js';
import { madeDocument, SPACE, storeOf, exported as textOfExport } from '../../ingest/transfer/exported.js';
import { type FakeOpenai, startFakeOpenai } from '../../support/fake-openai.js';
import { type EndedJob, followed } from '../../support/follow-job.js';
import { startTestServer, type TestServer, upsert } from '../server.js';

/** Two servers that know nothing of each other: what one exports, the other imports. */
let from: TestServer;
let to: TestServer;
beforeAll(async () => {
  [from, to] = await Promise.all([startTestServer(), startTestServer()]);
});
afterAll(async () => {
  await Promise.all([from?.stop(), to?.stop()]);
});

/** Of the hash embedder. */
const DIMENSIONS = 256;
const CLIENT = { 'x-gazetteer-client': 'test' };

async function exported(server: TestServer, key?: string): Promise<string> {
  const response = await fetch(new URL('/export', server.url), {
    headers: key ? { authorization: `Bearer ${key}` } : {},
  });
  expect(response.status).toBe(200);
  return await response.text();
}

async function sendImport(
  server: TestServer,
  file: string | Uint8Array,
  options: { query?: string; headers?: Record<string, string>; key?: string } = {},
  // biome-ignore lint/suspicious/noExplicitAny: what is answered is the test's business
): Promise<{ status: number; body: any }> {
  const response = await fetch(new URL(`/import${options.query ?? ''}`, server.url), {
    method: 'POST',
    headers: { ...(options.key ? { authorization: `Bearer ${options.key}` } : CLIENT), ...options.headers },
    body: file as never,
  });
  return { status: response.status, body: await response.json() };
}

async function imported(
  server: TestServer,
  file: string | Uint8Array,
  options: Parameters<typeof sendImport>[2] = {},
): Promise<EndedJob> {
  const { status, body } = await sendImport(server, file, options);
  expect([status, body]).toEqual([202, { jobId: expect.any(String) }]);
  return await followed(server, body.jobId, options.key);
}

/**
 * The lines of each document by its title: several are imported at once, so their order is not kept. A vector is its hash,
 * so that a difference can be read.
 */
function documentsOf(file: string): Record<string, readonly string[]> {
  const documents: Record<string, string[]> = {};
  let current: string[] = [];
  for (const line of file.trimEnd().split('\n').slice(1, -1)) {
    const fields = JSON.parse(line);
    if (fields.kind === 'document') {
      current = [];
      documents[fields.title] = current;
    }
    current.push(line.replace(/"vector":"[^"]+"/, (vector) => createHash('md5').update(vector).digest('hex')));
  }
  return documents;
}

async function countDocuments(server: TestServer): Promise<number> {
  return (await server.data('{ documents { totalCount } }')).documents.totalCount;
}

const PDF = makePdf([
  [{ at: [72, 700], text: 'The first page speaks of valves.' }],
  [{ at: [72, 700], text: 'The second page speaks of seals.' }],
]);
const CHAPTERS = ['Priming', 'Sealing', 'Storing']
  .map((name) => `# ${name}\n\n${`About ${name.toLowerCase()} there is a lot to say, and here it is said. `.repeat(8)}`)
  .join('\n\n');

const INPUTS = [
  { title: 'plain', text: 'A centrifugal pump must be primed.' },
  {
    title: 'with  everything',
    text: CHAPTERS,
    mediaType: 'text/markdown',
    language: 'en',
    sourceUri: 'https://example.org/a?b=c',
    agentIds: ['bot', 'imp'],
    metadata: { year: 2024, tags: ['a', 'b'], price: 0.1, open: true, none: null },
    chunking: { strategy: 'STRUCTURE', maxTokens: 40, contextual: true },
  },
  { title: 'children', text: CHAPTERS, chunking: { strategy: 'PARENT_CHILD', maxTokens: 30, parentMaxTokens: 90 } },
  {
    title: 'manual',
    file: { name: 'manual.pdf', base64: PDF.toString('base64') },
    chunking: { strategy: 'SENTENCE', maxTokens: 12 },
  },
  { title: 'ünïcode 🌍', text: 'Schöne Grüße 🌍\u2028und mehr "Zitate" \\ überall.' },
];

describe('a house that moves', () => {
  let file: string;
  beforeAll(async () => {
    for (const input of INPUTS) expect((await upsert(from, input)).userErrors).toEqual([]);
    file = await exported(from);
  });

  test('arrives as it was: an export of the new server is the same, line by line', async () => {
    const job = await imported(to, file);
    expect(job).toMatchObject({ state: 'SUCCEEDED', total: INPUTS.length, done: INPUTS.length, failed: 0 });
    expect(job.items.map(({ name, outcome }) => [name, outcome])).toEqual(
      INPUTS.map(({ title }) => [title, 'CREATED']),
    );
    expect(documentsOf(await exported(to))).toEqual(documentsOf(file));
  });

  test('with its pages, parents, headings and vectors, which searches find', async () => {
    const { document } = await to.data('{ document(by: { title: "manual" }) { chunks { nodes { page } } } }');
    expect(document.chunks.nodes.map(({ page }: { page: number }) => page)).toEqual([1, 2]);
    const lines = file
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const chunks = lines.filter(({ kind }) => kind === 'chunk');
    expect(chunks.every(({ vector }) => typeof vector === 'string')).toBe(true);
    expect(chunks.some(({ parentStart }) => parentStart !== null)).toBe(true);
    expect(chunks.some(({ headings }) => headings.includes('Sealing'))).toBe(true);
    expect(chunks.some(({ embedPrefix }) => embedPrefix !== undefined)).toBe(true);
    await expect
      .poll(async () => {
        const { search } = await to.data(
          '{ search(input: { query: "page about seals", mode: VECTOR }, first: 1) { nodes { text } } }',
        );
        return search.nodes[0]?.text;
      })
      .toContain('seals');
  });

  test('twice changes nothing', async () => {
    const before = await to.data('{ documents { nodes { id version revision updatedAt } } }');
    const job = await imported(to, file);
    expect(job.items.map(({ outcome }) => outcome)).toEqual(INPUTS.map(() => 'UNCHANGED'));
    expect(await to.data('{ documents { nodes { id version revision updatedAt } } }')).toEqual(before);
  });

  test('and the same content given again is unchanged on the new server, without embedding', async () => {
    for (const input of INPUTS) {
      const { outcome, changes } = await upsert(to, input);
      expect([input.title, outcome, changes.chunksEmbedded]).toEqual([input.title, 'UNCHANGED', 0]);
    }
  });

  test('takes back what was changed since', async () => {
    await upsert(to, { title: 'plain', text: 'Something else now.' });
    await to.data(
      'mutation { updateDocument(input: { by: { title: "manual" }, metadata: { moved: true } }) { userErrors { code } } }',
    );
    const job = await imported(to, file);
    expect(job.items.map(({ outcome }) => outcome)).toEqual([
      'UPDATED',
      'UNCHANGED',
      'UNCHANGED',
      'UPDATED',
      'UNCHANGED',
    ]);
    expect(documentsOf(await exported(to))).toEqual(documentsOf(file));
  });

  test('travels packed as well, both ways', async () => {
    const response = await new Promise<{ encoding: string | undefined; bytes: Buffer }>((resolve, reject) => {
      httpRequest(new URL('/export', from.url), { headers: { 'accept-encoding': 'br;q=0.1, gzip' } }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk) => chunks.push(chunk));
        answer.on('end', () => resolve({ encoding: answer.headers['content-encoding'], bytes: Buffer.concat(chunks) }));
      })
        .on('error', reject)
        .end();
    });
    expect(response.encoding).toBe('gzip');
    expect(documentsOf(gunzipSync(response.bytes).toString())).toEqual(documentsOf(file));
    const job = await imported(to, response.bytes, { headers: { 'content-encoding': 'gzip' } });
    expect(job.state).toBe('SUCCEEDED');
    // Somebody who asks for none of it gets none.
    const plain = await fetch(new URL('/export', from.url), { headers: { 'accept-encoding': 'identity, gzip;q=0' } });
    expect(plain.headers.get('content-encoding')).toBeNull();
    await plain.body?.cancel();
  });

  test('a damaged line is named, and all other documents arrive', async () => {
    const lines = file.trimEnd().split('\n');
    lines[4] = lines[4]!.slice(0, -1);
    const job = await imported(to, lines.join('\n'));
    expect(job).toMatchObject({ state: 'PARTIAL', total: INPUTS.length, failed: 1 });
    expect(job.items.filter(({ state }) => state === 'FAILED')).toEqual([
      expect.objectContaining({ error: { code: 'INVALID', message: expect.stringMatching(/^Line 5: not JSON/) } }),
    ]);
  });

  test('a line that is whole and wrong is refused by its number, a missing last line feed loses nothing', async () => {
    const wrong = INPUTS.length;
    const lines = file.split('\n');
    const at = lines.findIndex((line) => line.includes('"kind":"chunk"'));
    const vector = Buffer.from(Float32Array.from([Number.NaN]).buffer).toString('base64');
    lines[at] = lines[at]!.replace(/"vector":"[^"]+"/, `"vector":"${vector}"`);
    const job = await imported(to, lines.join('\n'));
    expect(job).toMatchObject({ state: 'PARTIAL', done: wrong - 1, failed: 1 });
    expect((await imported(to, file.trimEnd())).state).toBe('SUCCEEDED');
  });

  test.each([
    [
      'cut between documents',
      (bytes: Buffer) => bytes.subarray(0, bytes.indexOf('{"kind":"document"', 5_000)),
      'The file is incomplete',
    ],
    ['cut in a line', (bytes: Buffer) => bytes.subarray(0, bytes.length - 30), 'it is cut in its last line'],
    [
      'without a document',
      (bytes: Buffer) =>
        Buffer.from(
          bytes
            .toString()
            .split('\n')
            .filter((_line, index, all) => index < 1 || index > all.findIndex((one) => one.includes('"kind":"end"')))
            .join('\n'),
        ),
      'is not what was exported',
    ],
    ['of something else', () => Buffer.from('{"hello":"world"}\n'), 'Line 1'],
    ['of nothing', () => Buffer.alloc(0), 'The file is empty'],
  ])('a file %s is refused, and leaves neither a job nor a document', async (_, change, message) => {
    const count = async () => (await to.data('{ jobs { totalCount } }')).jobs.totalCount;
    const before = [await count(), documentsOf(await exported(to))];
    const { status, body } = await sendImport(to, change(Buffer.from(file)));
    expect(status).toBe(400);
    expect(body.errors[0]).toMatchObject({
      message: expect.stringContaining(message),
      extensions: { code: 'BAD_USER_INPUT' },
    });
    expect([await count(), documentsOf(await exported(to))]).toEqual(before);
  });

  test('a packed file that is cut is refused, and so is one that unpacks without end', async () => {
    const packed = gzipSync(file);
    const cut = await sendImport(to, packed.subarray(0, packed.length - 20), {
      headers: { 'content-encoding': 'gzip' },
    });
    expect([cut.status, cut.body.errors[0].message]).toEqual([400, expect.stringContaining('cut or damaged')]);

    const zeros = gzipSync(Buffer.alloc(20 * 1024 * 1024, '0'));
    const line = await sendImport(to, zeros, { headers: { 'content-encoding': 'gzip' } });
    expect(line.body.errors[0]).toMatchObject({ extensions: { code: 'BAD_USER_INPUT', limit: 'importLineBytes' } });

    const header = file.slice(0, file.indexOf('\n') + 1);
    const many = `{"kind":"text","text":"${'0'.repeat(1_000_000)}"}\n`.repeat(70);
    const bomb = await sendImport(to, gzipSync(header + many), { headers: { 'content-encoding': 'gzip' } });
    expect(bomb.body.errors[0].message).toContain('unpacks to more than 100 times its size');
  });

  test('a packed file that does not say so is told what to send', async () => {
    expect(await sendImport(to, gzipSync(file))).toMatchObject({
      status: 400,
      body: { errors: [{ message: 'The file is packed with gzip: send Content-Encoding: gzip with it' }] },
    });
  });

  test('an unknown parameter or encoding is refused', async () => {
    for (const options of [
      { query: '?onSpaceMismatch=maybe' },
      { query: '?owner=eve' },
      { headers: { 'content-encoding': 'br' } },
    ])
      expect(await sendImport(to, file, options)).toMatchObject({ status: 400 });
  });
});

test.each([
  ['/upload', 'POST', ['GET', 'PUT', 'PATCH', 'DELETE']],
  ['/import', 'POST', ['GET', 'PUT', 'PATCH', 'DELETE']],
  ['/export', 'GET', ['POST', 'PUT', 'PATCH', 'DELETE']],
])('%s takes %s only, and says so', async (path, allowed, others) => {
  for (const method of others) {
    const response = await fetch(new URL(path, to.url), {
      method,
      ...(method !== 'GET' && { body: 'x', headers: { 'content-type': 'text/plain' } }),
    });
    expect([response.status, response.headers.get('allow')]).toEqual([405, allowed]);
    expect(await response.json()).toMatchObject({
      errors: [{ message: `${path} takes ${allowed}, got ${method}`, extensions: { code: 'BAD_USER_INPUT' } }],
    });
  }
  const head = await fetch(new URL(path, to.url), { method: 'HEAD' });
  expect([head.status, head.headers.get('allow')]).toEqual([405, allowed]);
});

test('a client that leaves in the middle of an import leaves no job', async () => {
  const file = await exported(from);
  const before = (await to.data('{ jobs { totalCount } }')).jobs.totalCount;
  const request = httpRequest(new URL('/import', to.url), {
    method: 'POST',
    headers: { ...CLIENT, 'content-length': String(file.length + 100), 'x-request-id': 'left-the-import' },
  });
  request.on('error', () => undefined);
  await new Promise<void>((sent) => request.write(file.slice(0, -200), () => sent()));
  request.destroy();
  await expect
    .poll(() => to.log.find((line) => line.requestId === 'left-the-import' && line.status === 499))
    .toBeDefined();
  expect((await to.data('{ jobs { totalCount } }')).jobs.totalCount).toBe(before);
  expect(to.log.filter(({ msg }) => msg === 'Unexpected error')).toEqual([]);
});

test('what is wrong with a file larger than any GraphQL request is said before it has come', async () => {
  const { status, body } = await new Promise<{ status: number; body: string }>((resolve, reject) => {
    const request = httpRequest(
      new URL('/import', to.url),
      { method: 'POST', headers: { ...CLIENT, 'content-length': '200000000' } },
      (answer) => {
        let text = '';
        answer.on('data', (chunk) => {
          text += chunk;
        });
        answer.on('end', () => {
          resolve({ status: answer.statusCode!, body: text });
          request.destroy();
        });
      },
    );
    request.on('error', reject);
    request.write('no export\n');
  });
  expect([status, JSON.parse(body).errors[0].message]).toEqual([400, expect.stringContaining('Line 1')]);
});

test('a client that leaves in the middle of an export ends it', async () => {
  for (let round = 0; round < 20; round++) {
    const id = `left-the-export-${round}`;
    const request = httpRequest(new URL('/export', from.url), { headers: { 'x-request-id': id } }, (answer) =>
      answer.destroy(),
    );
    request.on('error', () => undefined);
    request.end();
    await expect
      .poll(() => from.log.find(({ requestId, route }) => requestId === id && route === '/export'))
      .toBeDefined();
  }
  // More than the limit of exports at once: none of them was left open.
  expect(Object.keys(documentsOf(await exported(from)))).toHaveLength(INPUTS.length);
});

test('an export of nothing is imported as nothing', async () => {
  const empty = await startTestServer();
  try {
    expect(await sendImport(to, await exported(empty))).toEqual({ status: 200, body: { jobId: null } });
  } finally {
    await empty.stop();
  }
});

test('an export of 30 MB is read no faster than it is taken: what goes meanwhile is not in it', async () => {
  const big = await startTestServer();
  try {
    // Made by hand and brought in, because cutting and embedding so much would take its time.
    const line = 'Water flows downhill, and pumps bring it up again.\n';
    const made = ['one', 'two', 'three'].map((title) => madeDocument(title, line.repeat(200_000), {}, DIMENSIONS));
    const space = { ...SPACE, model: 'feature-hashing-v1', dimensions: DIMENSIONS };
    const file = await textOfExport({
      ...storeOf(made),
      activeSpace: async () => space,
      currentSpaces: async () => [space],
    });
    expect((await imported(big, file)).state).toBe('SUCCEEDED');
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      httpRequest(new URL('/export', big.url), resolve).on('error', reject).end();
    });
    let bytes = 0;
    let last = '';
    let hasDeleted = false;
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      last = (last + chunk.toString('latin1')).slice(-500);
      if (bytes < 1_000_000 || hasDeleted) continue;
      hasDeleted = true;
      await big.data('mutation { deleteDocument(input: { by: { title: "three" } }) { deletedDocumentId } }');
    }
    expect(bytes).toBeGreaterThan(20_000_000);
    expect(JSON.parse(last.trimEnd().split('\n').at(-1)!)).toMatchObject({ kind: 'checksum', documents: 2 });
  } finally {
    await big.stop();
  }
}, 120_000);

describe('another embedding model', () => {
  let other: TestServer;
  let provider: FakeOpenai;
  beforeAll(async () => {
    provider = await startFakeOpenai({ dimensions: 64 });
    other = await startTestServer({
      EMBEDDING_PROVIDER: 'openai',
      EMBEDDING_MODEL: 'other-model',
      EMBEDDING_DIMENSIONS: '64',
      OPENAI_BASE_URL: provider.baseUrl,
      OPENAI_API_KEY: 'none',
    });
  });
  afterAll(async () => {
    await other?.stop();
    await provider?.close();
  });

  test('refuses the file at once, saying what to do', async () => {
    const { status, body } = await sendImport(other, await exported(from));
    expect(status).toBe(409);
    expect(body.errors[0]).toMatchObject({
      message: expect.stringContaining('onSpaceMismatch=reembed'),
      extensions: { code: 'EMBEDDING_SPACE_MISMATCH' },
    });
    expect(await countDocuments(other)).toBe(0);
  });

  test('or embeds every chunk itself where asked, and keeps all else', async () => {
    const file = await exported(from);
    const job = await imported(other, file, { query: '?onSpaceMismatch=reembed' });
    expect(job.state).toBe('SUCCEEDED');
    const withoutVectors = (text: string) =>
      documentsOf(text.replaceAll(/"vector":"[^"]+"/g, '"vector":""').replaceAll(/"sha256":"[^"]+"/g, '"sha256":""'));
    expect(withoutVectors(await exported(other))).toEqual(withoutVectors(file));
    const again = await imported(other, file, { query: '?onSpaceMismatch=reembed' });
    expect(again.items.map(({ outcome }) => outcome)).toEqual(INPUTS.map(() => 'UNCHANGED'));
    for (const input of INPUTS) expect((await upsert(other, input)).outcome).toBe('UNCHANGED');
  });
});

describe('credentials', () => {
  const KEY = 'k'.repeat(40);
  let shared: TestServer;
  const keys: Record<string, string> = {};
  beforeAll(async () => {
    shared = await startTestServer({ GAZETTEER_ADMIN_KEY: KEY });
    const make = async (name: string, input: object) => {
      const { createApiKey } = await shared.data(
        'mutation($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret userErrors { message } } }',
        { input: { name, ...input } },
        KEY,
      );
      keys[name] = createApiKey.secret;
    };
    await make('ada', { ownerId: 'ada', role: 'WRITER' });
    await make('bot', { ownerId: 'ada', role: 'WRITER', agentIds: ['bot'] });
    await make('reader', { ownerId: 'ada', role: 'READER' });
    await make('eve', { ownerId: 'eve', role: 'WRITER' });
  });
  afterAll(async () => shared?.stop());

  const titles = (file: string) => Object.keys(documentsOf(file)).sort();
  const TITLES = INPUTS.map(({ title }) => title).sort();

  test('export what they see: the owner all, an agent its own, a stranger nothing', async () => {
    expect(await imported(shared, await exported(from), { key: keys.ada! })).toMatchObject({ state: 'SUCCEEDED' });
    expect(titles(await exported(shared, keys.ada))).toEqual(TITLES);
    await upsert(shared, { title: 'for the bot', text: 'Only for the bot.', agentIds: ['bot'] }, keys.ada);
    expect(titles(await exported(shared, keys.bot))).toEqual(['for the bot', 'with  everything']);
    expect(titles(await exported(shared, keys.eve))).toEqual([]);
    expect((await fetch(new URL('/export', shared.url))).status).toBe(401);
  });

  test('import as themselves: an owner gets its own documents, the agents of others are refused item by item', async () => {
    const file = await exported(from);
    const eves = await imported(shared, file, { key: keys.eve! });
    expect(eves.items.map(({ outcome }) => outcome)).toEqual(INPUTS.map(() => 'CREATED'));
    const bots = await imported(shared, await exported(shared, keys.ada), { key: keys.bot! });
    expect(bots.state).toBe('PARTIAL');
    expect(Object.fromEntries(bots.items.map(({ name, outcome, error }) => [name, outcome ?? error?.code]))).toEqual({
      ...Object.fromEntries(INPUTS.map(({ title }) => [title, 'INVALID'])),
      'for the bot': 'UNCHANGED',
    });
  });

  test('of a reader may not import', async () => {
    expect(await sendImport(shared, await exported(from), { key: keys.reader! })).toMatchObject({ status: 403 });
  });
});
