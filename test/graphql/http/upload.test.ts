import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makePdf } from '../../ingest/extract/make-pdf.js';
import { followed } from '../../support/follow-job.js';
import { startTestServer, type TestServer } from '../server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => server.stop());

const CLIENT = { 'x-gazetteer-client': 'test' };

async function upload(
  parameters: Record<string, string>,
  body: RequestInit['body'],
  headers: Record<string, string> = {},
  // biome-ignore lint/suspicious/noExplicitAny: what is answered is the test's business
): Promise<{ status: number; body: any }> {
  const url = new URL(`/upload?${new URLSearchParams(parameters)}`, server.url);
  const response = await fetch(url, { method: 'POST', headers: { ...CLIENT, ...headers }, body: body ?? null });
  return { status: response.status, body: await response.json() };
}

function temporaryFolders(): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith('gazetteer-upload-'));
}

describe('a raw body', () => {
  test('becomes the document that its parameters describe', async () => {
    const { status, body } = await upload(
      {
        title: 'pumps',
        name: 'pumps.md',
        agentIds: 'bot, imp',
        metadata: '{"year":2024}',
        language: 'en',
        sourceUri: 'https://example.org/pumps',
        chunking: '{"strategy":"STRUCTURE","maxTokens":50}',
      },
      '# Pumps\n\nPrime the pump first.',
    );
    expect(status).toBe(200);
    expect(body).toMatchObject({
      outcome: 'CREATED',
      searchable: true,
      warnings: [],
      userErrors: [],
      changes: { chunksAdded: 1, chunksEmbedded: 1 },
      document: {
        title: 'pumps',
        mediaType: 'text/markdown',
        agentIds: ['bot', 'imp'],
        metadata: { year: 2024 },
        language: 'en',
        sourceUri: 'https://example.org/pumps',
        version: 1,
        status: 'READY',
        embeddingSpace: { provider: 'hash' },
      },
    });
    const { document } = await server.data(
      'query($id: ID!) { document(by: { id: $id }) { text chunking { strategy maxTokens } } }',
      {
        id: body.document.id,
      },
    );
    expect(document).toEqual({
      text: '# Pumps\n\nPrime the pump first.',
      chunking: { strategy: 'STRUCTURE', maxTokens: 50 },
    });
    const again = await upload({ title: 'pumps', name: 'pumps.md' }, '# Pumps\n\nPrime the pump first.');
    expect(again.body).toMatchObject({ outcome: 'UNCHANGED', document: { agentIds: ['bot', 'imp'] } });
  });

  test('of a PDF is told by its bytes, whatever curl says, and keeps its pages', async () => {
    const pdf = makePdf([
      [{ at: [72, 700], text: 'The first page speaks of valves.' }],
      [{ at: [72, 700], text: 'The second page speaks of seals.' }],
    ]);
    const { body } = await upload({ title: 'manual', chunking: '{"strategy":"SENTENCE","maxTokens":12}' }, pdf, {
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect(body).toMatchObject({ outcome: 'CREATED', document: { mediaType: 'application/pdf' } });
    const { document } = await server.data('{ document(by: { title: "manual" }) { chunks { nodes { page text } } } }');
    expect(document.chunks.nodes.map((chunk: { page: number }) => chunk.page)).toEqual([1, 2]);
  });

  test('with dryRun says what it would cost and stores nothing', async () => {
    const { body } = await upload({ title: 'dry', dryRun: 'true' }, 'Some words.');
    expect(body).toMatchObject({ document: null, outcome: 'CREATED', changes: { chunksEmbedded: 1 } });
    expect(await server.data('{ document(by: { title: "dry" }) { id } }')).toEqual({ document: null });
  });

  test('of more than 8 MiB becomes a job, and arrives whole', async () => {
    const line = 'A line of a long text about water and pumps.\n';
    const text = line.repeat(Math.ceil((9 * 1024 * 1024) / line.length));
    const { status, body } = await upload(
      { title: 'long', waitUntil: 'STORED', chunking: '{"strategy":"SLIDING_WINDOW","maxCharacters":50000}' },
      text,
    );
    expect([status, Object.keys(body)]).toEqual([202, ['jobId']]);
    expect(await followed(server, body.jobId)).toMatchObject({ state: 'SUCCEEDED', total: 1, done: 1 });
    const { document } = await server.data('{ document(by: { title: "long" }) { textLength } }');
    expect(document.textLength).toBe(text.length);
  }, 60_000);
});

describe('a form', () => {
  test('brings its file and its fields; the query counts first', async () => {
    const form = new FormData();
    form.set('title', 'from the form');
    form.set('metadata', '{"from":"form"}');
    form.set('file', new Blob(['| a | b |\n|---|---|\n| 1 | 2 |'], { type: 'text/markdown' }), 'table.md');
    form.set('language', 'de');
    const { status, body } = await upload({ title: 'from the query' }, form);
    expect(status).toBe(200);
    expect(body.document).toMatchObject({
      title: 'from the query',
      mediaType: 'text/markdown',
      metadata: { from: 'form' },
      language: 'de',
    });
  });

  test('may hold a file that waits on disk', async () => {
    const form = new FormData();
    const text = 'Words and words. '.repeat(40_000);
    form.set('file', new Blob([text]), 'words.txt');
    const { body } = await upload(
      { title: 'on disk', chunking: '{"strategy":"SLIDING_WINDOW","maxCharacters":50000}' },
      form,
    );
    expect(body.document.textLength).toBe(text.length);
  });

  const multipart = { 'content-type': 'multipart/form-data; boundary=x' };
  test.each([
    [
      'without a file',
      '--x\r\ncontent-disposition: form-data; name="title"\r\n\r\nt\r\n--x--\r\n',
      multipart,
      'expected a file, got none',
    ],
    [
      'with two files',
      `${['a', 'b'].map((name) => `--x\r\ncontent-disposition: form-data; name="${name}"; filename="${name}.txt"\r\n\r\nwords\r\n`).join('')}--x--\r\n`,
      multipart,
      'expected one file, got several',
    ],
    [
      'that is cut',
      '--x\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\nwor',
      multipart,
      'cannot be read',
    ],
    ['without a boundary', 'words', { 'content-type': 'multipart/form-data' }, 'cannot be read'],
    [
      'with a field that there is not',
      '--x\r\ncontent-disposition: form-data; name="owner"\r\n\r\neve\r\n--x\r\ncontent-disposition: form-data; name="f"; filename="a.txt"\r\n\r\nwords\r\n--x--\r\n',
      multipart,
      'There is no parameter \\"owner\\"',
    ],
  ])('%s is refused, and stores nothing', async (_, form, headers, message) => {
    const { status, body } = await upload({ title: 'bad form' }, form, headers);
    expect([status, body.errors[0].extensions.code]).toEqual([400, 'BAD_USER_INPUT']);
    expect(JSON.stringify(body)).toContain(message);
    expect(await server.data('{ document(by: { title: "bad form" }) { id } }')).toEqual({ document: null });
  });
});

describe('refusals', () => {
  test.each([
    ['no title', {}, 'words', 400, 'INVALID', ['input', 'title']],
    ['a blank title', { title: ' ' }, 'words', 400, 'INVALID', ['input', 'title']],
    ['an empty file', { title: 'empty' }, '', 422, 'EMPTY_TEXT', ['input', 'file']],
    [
      'a picture',
      { title: 'png' },
      Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
      ['input', 'file'],
    ],
    ['a damaged PDF', { title: 'pdf' }, '%PDF-1.7 nothing', 422, 'UNREADABLE', ['input', 'file']],
    [
      'a version that is not',
      { title: 'v', expectedVersion: '3' },
      'words',
      409,
      'CONFLICT',
      ['input', 'expectedVersion'],
    ],
    ['nested metadata', { title: 'm', metadata: '{"a":{"b":1}}' }, 'words', 400, 'INVALID', ['input', 'metadata', 'a']],
  ])('%s is data with a status', async (_, parameters, file, status, code, path) => {
    const answer = await upload(parameters as Record<string, string>, file);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ document: null, outcome: null, userErrors: [{ code, path }] });
  });

  test.each([
    [{ title: 't', chunking: '{"strategy":"MAGIC"}' }, 'MAGIC'],
    [{ title: 't', metadata: '{' }, 'Expected JSON in the parameter metadata'],
    [{ title: 't', owner: 'eve' }, 'There is no parameter'],
    [{ title: 't', dryRun: 'maybe' }, 'Boolean'],
  ])('%j cannot be meant', async (parameters, message) => {
    const { status, body } = await upload(parameters as Record<string, string>, 'words');
    expect([status, body]).toEqual([400, expect.anything()]);
    expect(body.errors[0].message).toContain(message);
  });

  test('too large is 413: by its announced length before anything is sent, and by what comes where none is announced', async () => {
    const tooLarge = { userErrors: [expect.objectContaining({ code: 'TOO_LARGE', path: ['input', 'file'] })] };
    const announced = await rawRequest(
      `POST /upload?title=t HTTP/1.1\r\nhost: 127.0.0.1\r\nx-gazetteer-client: t\r\ncontent-length: 52428801\r\nconnection: close\r\n\r\n`,
    );
    expect(announced).toMatch(/^HTTP\/1.1 413 /);
    expect(JSON.parse(announced.slice(announced.indexOf('{')))).toMatchObject(tooLarge);

    async function* unannounced(): AsyncGenerator<Uint8Array> {
      for (let sent = 0; sent <= 52_428_800; sent += 1_048_576) yield Buffer.alloc(1_048_576, 'a ');
    }
    const { status, body } = await uploadStream(unannounced());
    expect(status).toBe(413);
    expect(body).toMatchObject(tooLarge);

    const form = new FormData();
    form.set('file', new Blob([Buffer.alloc(52_428_801, 'a ')]), 'large.txt');
    const inForm = await upload({ title: 't' }, form);
    expect([inForm.status, inForm.body]).toEqual([413, expect.objectContaining(tooLarge)]);
  });
});

async function uploadStream(body: AsyncIterable<Uint8Array>) {
  const response = await fetch(new URL('/upload?title=t', server.url), {
    method: 'POST',
    headers: CLIENT,
    body: body as never,
    duplex: 'half',
  } as RequestInit);
  return { status: response.status, body: await response.json() };
}

/** Sends bytes, and reads until the server ends. */
function rawRequest(head: string): Promise<string> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () => socket.write(head));
    socket.on('data', (chunk) => {
      answer += chunk;
      // The body never comes, so neither would the end.
      if (/\r\n\r\n.*\}$/s.test(answer)) socket.destroy();
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}

test('a client that leaves in the middle leaves nothing: no document, no file', async () => {
  const before = temporaryFolders();
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.write(
    'POST /upload?title=left HTTP/1.1\r\nhost: 127.0.0.1\r\nx-gazetteer-client: t\r\ncontent-length: 2000000\r\nx-request-id: left-in-the-middle\r\n\r\n',
  );
  await new Promise<void>((sent) => socket.write(Buffer.alloc(1_000_000, 'words '), () => sent()));
  socket.destroy();
  await expect
    .poll(() => server.log.find((line) => line.requestId === 'left-in-the-middle' && line.status === 499))
    .toBeDefined();
  expect(temporaryFolders()).toEqual(before);
  expect(server.log.filter(({ msg }) => msg === 'Unexpected error')).toEqual([]);
  expect(await server.data('{ document(by: { title: "left" }) { id } }')).toEqual({ document: null });
  // Open files without a name are what a leak would be.
  if (existsSync('/proc/self/fd')) expect(openUploads()).toEqual([]);
});

function openUploads(): string[] {
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).includes('gazetteer-upload-');
    } catch {
      return false;
    }
  });
}
