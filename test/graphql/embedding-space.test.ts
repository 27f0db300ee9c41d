import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type FakeOpenai, startFakeOpenai } from '../support/fake-openai.js';
import { ONE_PARAGRAPH, paragraphs } from '../support/test-store.js';
import { startTestServer, type TestServer, UPSERT, upsert } from './server.js';

/** Moving a server from `hash` to a model behind OpenAI's API and back, by the mutations that an operator calls. */
const REEMBED = `mutation($input: ReembedInput!) {
  reembed(input: $input) {
    job { id kind state total } embeddingSpace { id provider model dimensions state } userErrors { code message path }
  }
}`;
const JOB = `query($id: ID!) {
  node(id: $id) { ... on Job {
    kind state total done failed
    items(first: 100) { nodes { name state outcome document { id } error { code message retryable } } }
  } }
}`;
const ACTIVATE = `mutation($id: ID!) { activateEmbeddingSpace(input: { embeddingSpaceId: $id }) {
  embeddingSpace { id state } userErrors { code message path } } }`;
const DROP = `mutation($id: ID!) { dropEmbeddingSpace(input: { embeddingSpaceId: $id }) {
  droppedEmbeddingSpaceId userErrors { code message path } } }`;
const SPACES = '{ admin { embeddingSpaces { id provider model dimensions state } } }';
const SEARCH = `query($input: SearchInput!) { search(input: $input, first: 3) {
  nodes { text document { title embeddingSpace { id state } } } diagnostics { embeddingSpace degraded } } }`;
/** What searches say of the spaces that they ran in. */
const [OLD, NEW] = ['hash/feature-hashing-v1 (256 dimensions)', 'openai/text-embedding-3-small (64 dimensions)'];
const MODEL = { provider: 'openai', model: 'text-embedding-3-small', dimensions: 64 };

let fake: FakeOpenai;
let server: TestServer;
beforeAll(async () => {
  fake = await startFakeOpenai();
});
afterAll(async () => {
  await fake?.close();
});

const settings = () => ({ OPENAI_API_KEY: 'sk-x', OPENAI_BASE_URL: fake.baseUrl });

async function fill(documents = 3): Promise<void> {
  for (let index = 0; index < documents; index++)
    await upsert(server, { title: `doc ${index}`, text: paragraphs(40, `word${index}`), chunking: ONE_PARAGRAPH });
}

/** The job once it has ended. */
// biome-ignore lint/suspicious/noExplicitAny: what an operation answers is up to its text
async function ended(id: string): Promise<any> {
  const job = async () => (await server.data(JOB, { id })).node;
  await expect.poll(async () => (await job()).state, { timeout: 20_000 }).toMatch(/SUCCEEDED|PARTIAL|FAILED|CANCELLED/);
  return await job();
}

// biome-ignore lint/suspicious/noExplicitAny: as above
async function reembed(input: object): Promise<any> {
  return (await server.data(REEMBED, { input })).reembed;
}

async function states(): Promise<[string, string][]> {
  const { admin } = await server.data(SPACES);
  return admin.embeddingSpaces.map(({ model, state }: { model: string; state: string }) => [model, state]);
}

async function searched(mode = 'VECTOR'): Promise<{ spaces: string[]; title: string; active: string }> {
  const { search } = await server.data(SEARCH, { input: { query: 'word1 paragraph number 7', mode } });
  expect(search.diagnostics.degraded).toEqual([]);
  const { title, embeddingSpace } = search.nodes[0].document;
  return { spaces: search.diagnostics.embeddingSpace, title, active: embeddingSpace.state };
}

describe('reembed', () => {
  beforeEach(async () => {
    fake.answerWith('ok');
    fake.errorHeaders = {};
    fake.requests.length = 0;
    server = await startTestServer({ EMBEDDING_PROVIDER: 'hash', ...settings() });
  });
  afterEach(async () => {
    await server.stop();
  });

  test('fills a space beside the active one, switches to it, goes back, and drops it', async () => {
    await fill();
    const { job, embeddingSpace, userErrors } = await reembed({ ...MODEL, activate: false });
    expect(userErrors).toEqual([]);
    expect(embeddingSpace).toMatchObject({ ...MODEL, state: 'BUILDING' });
    expect(job).toMatchObject({ kind: 'REEMBED', state: 'QUEUED', total: 1 });
    expect(await ended(job.id)).toMatchObject({
      state: 'SUCCEEDED',
      total: 3,
      done: 3,
      items: {
        nodes: [
          { name: 'listing of the chunks', state: 'SUCCEEDED' },
          { name: 'chunks 1 to 120', state: 'SUCCEEDED', outcome: null, document: null, error: null },
          { name: 'verification', state: 'SUCCEEDED' },
        ],
      },
    });
    const asked = fake.requests.flatMap(({ inputs }) => inputs);
    expect(asked).toHaveLength(1 + 120);
    expect(new Set(asked).size).toBe(asked.length);

    // Complete, and still beside the active one.
    expect(await states()).toEqual([
      ['feature-hashing-v1', 'ACTIVE'],
      ['text-embedding-3-small', 'BUILDING'],
    ]);
    expect(await searched()).toEqual({ spaces: OLD, title: 'doc 1', active: 'ACTIVE' });
    await upsert(server, { title: 'later', text: 'Zebras graze beside the waterworks.', waitUntil: 'SEARCHABLE' });

    const switched = (await server.data(ACTIVATE, { id: embeddingSpace.id })).activateEmbeddingSpace;
    expect(switched).toEqual({ embeddingSpace: { id: embeddingSpace.id, state: 'ACTIVE' }, userErrors: [] });
    expect(await searched()).toEqual({ spaces: NEW, title: 'doc 1', active: 'ACTIVE' });
    expect(await searched('HYBRID')).toMatchObject({ spaces: NEW });
    const { search } = await server.data(SEARCH, { input: { query: 'zebras graze', mode: 'VECTOR' } });
    expect(search.nodes[0].document.title).toBe('later');
    const unchanged = await server.data(UPSERT, {
      input: { title: 'later', text: 'Zebras graze beside the waterworks.' },
    });
    expect(unchanged.upsertDocument).toMatchObject({ outcome: 'UNCHANGED', changes: { chunksEmbedded: 0 } });

    const { admin } = await server.data(SPACES);
    const [old] = admin.embeddingSpaces;
    expect(old).toMatchObject({ model: 'feature-hashing-v1', state: 'RETIRED' });
    await server.data(ACTIVATE, { id: old.id });
    expect(await searched()).toMatchObject({ spaces: OLD });
    expect((await server.data(DROP, { id: old.id })).dropEmbeddingSpace.userErrors[0]).toMatchObject({
      code: 'CONFLICT',
    });
    expect((await server.data(DROP, { id: embeddingSpace.id })).dropEmbeddingSpace).toEqual({
      droppedEmbeddingSpaceId: embeddingSpace.id,
      userErrors: [],
    });
    expect(await states()).toEqual([['feature-hashing-v1', 'ACTIVE']]);
  });

  test('of an empty database, or one with fewer chunks than an item takes, switches by itself', async () => {
    const { job } = await reembed(MODEL);
    expect(await ended(job.id)).toMatchObject({ state: 'SUCCEEDED', total: 2 });
    expect(await states()).toEqual([
      ['feature-hashing-v1', 'RETIRED'],
      ['text-embedding-3-small', 'ACTIVE'],
    ]);
  });

  test('answers searches in the old space, and takes upserts, while the new model is slow', async () => {
    await fill();
    // The first answer is the one that is tried before anything is made.
    fake.answerWith('ok', 'rate-limited');
    fake.errorHeaders = { 'retry-after': '1' };
    const { job } = await reembed(MODEL);
    await expect.poll(() => fake.requests.length, { timeout: 10_000 }).toBeGreaterThan(1);
    expect(await searched()).toMatchObject({ spaces: OLD, title: 'doc 1' });
    expect((await server.data(JOB, { id: job.id })).node).toMatchObject({ state: 'RUNNING' });
    fake.answerWith('ok');
    await upsert(server, { title: 'doc 1', text: paragraphs(41, 'word1'), chunking: ONE_PARAGRAPH });
    expect(await ended(job.id)).toMatchObject({ state: 'SUCCEEDED' });
    expect(await searched()).toMatchObject({ spaces: NEW, title: 'doc 1' });
  });

  test('that fails leaves the space BUILDING and says how to go on; retryJob and reembed do', async () => {
    await fill();
    fake.answerWith('ok', 'refused');
    const { job, embeddingSpace } = await reembed(MODEL);
    const failed = await ended(job.id);
    expect(failed).toMatchObject({ state: 'PARTIAL', failed: 2 });
    const [listing, ...others] = failed.items.nodes;
    expect(listing).toMatchObject({ state: 'SUCCEEDED', error: null });
    for (const { error } of others) {
      expect(error).toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
      expect(error.message).toMatch(
        /The space stays BUILDING: call retryJob to go on, or dropEmbeddingSpace to give up/,
      );
      expect(error.message).not.toContain('sk-secret');
    }
    expect((await states())[1]).toEqual(['text-embedding-3-small', 'BUILDING']);
    const early = (await server.data(ACTIVATE, { id: embeddingSpace.id })).activateEmbeddingSpace;
    expect(early.userErrors[0]).toMatchObject({ code: 'CONFLICT', path: ['input', 'embeddingSpaceId'] });
    expect(early.userErrors[0].message).toMatch(/Not every chunk has a vector/);

    const again = await reembed(MODEL);
    expect(again).toMatchObject({ embeddingSpace: { id: embeddingSpace.id }, userErrors: [] });
    expect(again.job.id).not.toBe(job.id);
    expect(await ended(again.job.id)).toMatchObject({ state: 'PARTIAL' });

    fake.answerWith('ok');
    const retried = `mutation($id: ID!) { retryJob(input: { jobId: $id }) { job { state } userErrors { message } } }`;
    expect((await server.data(retried, { id: again.job.id })).retryJob.userErrors).toEqual([]);
    expect(await ended(again.job.id)).toMatchObject({ state: 'SUCCEEDED', failed: 0 });
    expect((await states())[1]).toEqual(['text-embedding-3-small', 'ACTIVE']);
  });

  test('that is dropped in the middle ends its job, and nothing of the space is left', async () => {
    await fill();
    fake.answerWith('ok', 'rate-limited');
    fake.errorHeaders = { 'retry-after': '1' };
    const { job, embeddingSpace } = await reembed(MODEL);
    await expect.poll(() => fake.requests.length, { timeout: 10_000 }).toBeGreaterThan(1);
    const other = (await reembed({ ...MODEL, dimensions: 32 })).userErrors;
    expect(other).toEqual([
      {
        code: 'CONFLICT',
        message: expect.stringMatching(
          /s2, openai\/text-embedding-3-small \(64 dimensions\), BUILDING.*dropEmbeddingSpace/,
        ),
        path: ['input'],
      },
    ]);
    expect(other[0].message).toContain(embeddingSpace.id);
    expect((await reembed(MODEL)).userErrors[0]).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringMatching(/filling this space already/),
    });
    expect((await server.data(DROP, { id: embeddingSpace.id })).dropEmbeddingSpace.userErrors).toEqual([]);
    fake.answerWith('ok');
    expect((await ended(job.id)).state).toMatch(/CANCELLED|FAILED/);
    expect(await states()).toEqual([['feature-hashing-v1', 'ACTIVE']]);
    expect(await searched()).toMatchObject({ spaces: OLD });
  });

  test('refuses what cannot be had, and finds out before anything is made that a model does not answer', async () => {
    for (const [field, input, message] of [
      ['provider', { ...MODEL, provider: 'nobody' }, /openai, bundled, hash, got "nobody"/],
      ['model', { provider: 'hash', model: 'other' }, /hash has the model "feature-hashing-v1" only/],
      ['model', { provider: 'hash', model: 'feature-hashing-v1' }, /embedded with hash\/feature-hashing-v1 .* already/],
      [
        'dimensions',
        { provider: 'bundled', model: 'universal-sentence-encoder-lite', dimensions: 3 },
        /512 dimensions/,
      ],
      ['dimensions', { ...MODEL, dimensions: 4_000 }, /at most 1536/],
      ['dimensions', { ...MODEL, dimensions: -1 }, /^Expected 1 to 8192 dimensions, got -1$/],
      ['dimensions', { ...MODEL, dimensions: 0 }, /^Expected 1 to 8192 dimensions, got 0$/],
      ['model', { ...MODEL, model: ' ' }, /blank/],
      ['dimensions', { provider: 'openai', model: 'unheard-of' }, /are not known here: give dimensions/],
    ] as const) {
      const { job, embeddingSpace, userErrors } = await reembed(input);
      expect([job, embeddingSpace]).toEqual([null, null]);
      expect(userErrors).toEqual([
        { code: 'INVALID', message: expect.stringMatching(message), path: ['input', field] },
      ]);
    }
    // Nobody was asked for that.
    expect(fake.requests).toEqual([]);
    fake.answerWith('narrow');
    expect((await reembed(MODEL)).userErrors).toEqual([
      {
        code: 'INVALID',
        message:
          'The model "text-embedding-3-small" answers with 63 dimensions, expected 64: give dimensions: 63, or another model',
        path: ['input', 'dimensions'],
      },
    ]);
    fake.answerWith('zeros');
    expect((await server.error(REEMBED, { input: MODEL })).message).toMatch(
      /check that input.model is an embedding model/,
    );
    fake.answerWith('refused');
    expect(await server.error(REEMBED, { input: MODEL })).toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
    expect(await states()).toHaveLength(1);
    const { document } = await upsert(server, { title: 't', text: 'x' });
    for (const id of [document.id, 'nonsense', Buffer.from('EmbeddingSpace:s9').toString('base64url')]) {
      const activated = (await server.data(ACTIVATE, { id })).activateEmbeddingSpace;
      expect(activated.userErrors[0]).toMatchObject({ code: 'NOT_FOUND', path: ['input', 'embeddingSpaceId'] });
      expect((await server.data(DROP, { id })).dropEmbeddingSpace.userErrors[0]).toMatchObject({ code: 'NOT_FOUND' });
    }
  });

  test('is for administrators', async () => {
    const create = `mutation($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret userErrors { message } } }`;
    const admin = await server.data(create, { input: { ownerId: 'local', name: 'a', role: 'ADMIN' } });
    const key = admin.createApiKey.secret;
    const writer = await server.data(create, { input: { ownerId: 'ada', name: 'w', role: 'WRITER' } }, key);
    const secret = writer.createApiKey.secret;
    const id = Buffer.from('EmbeddingSpace:s1').toString('base64url');
    for (const [text, variables] of [
      [REEMBED, { input: MODEL }],
      [ACTIVATE, { id }],
      [DROP, { id }],
    ] as const)
      expect(await server.error(text, variables, secret)).toMatchObject({ code: 'FORBIDDEN' });
    const { job } = (await server.data(REEMBED, { input: MODEL }, key)).reembed;
    expect((await server.data(JOB, { id: job.id }, secret)).node).toBeNull();
    expect((await server.data(JOB, { id: job.id }, key)).node).toMatchObject({ kind: 'REEMBED' });
  });
});

describe('settings that name another model', () => {
  test('stop the start with the call that moves the documents; pasted it works, and then they start clean', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'gazetteer-moved-'));
    const data = { GAZETTEER_DATA_DIR: join(directory, 'data') };
    const wanted = {
      ...data,
      ...settings(),
      EMBEDDING_PROVIDER: 'openai',
      EMBEDDING_MODEL: 'text-embedding-3-small',
      EMBEDDING_DIMENSIONS: '64',
    };
    fake.answerWith('ok');
    try {
      server = await startTestServer(data);
      await fill(1);
      await server.stop();

      const refusal = await startTestServer(wanted).catch((error: Error) => error);
      expect(refusal).toMatchObject({ code: 'EMBEDDING_SPACE_MISMATCH' });
      const { message } = refusal as Error;
      expect(message).toContain('hash/feature-hashing-v1 (256 dimensions)');
      expect(message).toContain('openai/text-embedding-3-small (64 dimensions)');
      const pasted = message.split('\n').at(-1)!;

      server = await startTestServer({ ...data, ...settings(), EMBEDDING_PROVIDER: 'hash' });
      const { reembed: moved } = await server.data(pasted);
      expect(moved.userErrors).toEqual([]);
      expect(await ended(moved.job.id)).toMatchObject({ state: 'SUCCEEDED' });
      await server.stop();

      server = await startTestServer(wanted);
      expect(await searched()).toMatchObject({ spaces: NEW, title: 'doc 0' });
      expect(server.log.filter(({ level }) => Number(level) >= 40)).toEqual([]);
      await server.stop();
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });
});
