import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SpawnedPocketAtlas, spawnPocketAtlas } from '../../src/pocket-atlas/spawn.js';
import { startTestServer, type TestServer, upsert } from './server.js';

/** A database of its own by MONGODB_URI, which goes away and comes back while the server runs. */
const ADMIN = 'an-admin-key-of-at-least-32-characters';
let directory: string;
let database: SpawnedPocketAtlas;
let server: TestServer;
const port = () => Number(new URL(database.uri).port);

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gazetteer-outage-'));
  database = await spawnPocketAtlas({ dataDir: join(directory, 'data'), port: 0 });
  const uri = new URL(database.uri);
  uri.searchParams.set('serverSelectionTimeoutMS', '1500');
  server = await startTestServer({ MONGODB_URI: uri.href, GAZETTEER_ADMIN_KEY: ADMIN });
});
afterAll(async () => {
  await server.stop();
  await database.stop();
  await rm(directory, { recursive: true, force: true });
});

const readiness = async () => {
  const response = await fetch(new URL('/readyz', server.url));
  return { status: response.status, ...((await response.json()) as object) };
};

test('an outage of the database is typed, named by /readyz, and over when it is over', async () => {
  await upsert(server, { title: 'before', text: 'Stored before the outage.' }, ADMIN);
  const lost = port();
  await database.stop();

  const answer = await server.send(
    '{ document(by: { title: "before" }) { text } search(input: { query: "outage" }) { nodes { id } } }',
    {},
    ADMIN,
  );
  expect(answer.status).toBe(503);
  expect(answer.data).toEqual({ document: null, search: null });
  for (const error of answer.errors!) expect(error.extensions).toMatchObject({ code: 'STORE_UNAVAILABLE' });
  expect(JSON.stringify(answer.errors)).not.toContain(String(lost));
  expect(await readiness()).toMatchObject({ status: 'unavailable', checks: { database: 'does not answer' } });
  expect((await fetch(new URL('/healthz', server.url))).status).toBe(200);

  database = await spawnPocketAtlas({ dataDir: join(directory, 'data'), port: lost });
  await expect.poll(async () => (await readiness()) as object, { timeout: 30_000 }).toMatchObject({ status: 'ready' });
  const { document } = await server.data('{ document(by: { title: "before" }) { text } }', {}, ADMIN);
  expect(document.text).toBe('Stored before the outage.');
});
