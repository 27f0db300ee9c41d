import { afterAll, beforeAll, expect, test } from 'vitest';
import { operator } from '../../src/store/scope.js';
import { STORE_SERVERS } from '../support/store-servers.js';
import { openTestStore, type TestStore } from '../support/test-store.js';

const [{ start, hasSearch }] = STORE_SERVERS as [(typeof STORE_SERVERS)[number]];
let server: Awaited<ReturnType<typeof start>>;
let store: TestStore;

beforeAll(async () => {
  server = await start();
  store = await openTestStore(server.uri, { requireSearch: hasSearch });
});
afterAll(async () => {
  await store?.close();
  await server?.stop();
});

const create = (key: object = {}) =>
  store.createApiKey(operator, { owner: 'ada', name: 'k', role: 'WRITER', agentIds: null, expiresAt: null, ...key });

test('there are no keys until the first, and development mode does not come back when the last is revoked', async () => {
  expect(await store.hasApiKeys()).toBe(false);
  const { apiKey } = await create();
  expect(await store.hasApiKeys()).toBe(true);
  expect(await store.revokeApiKey(operator, apiKey.id)).toBe(apiKey.id);
  expect(await store.revokeApiKey(operator, apiKey.id)).toBeNull();
  expect(await store.listApiKeys(operator)).toEqual([]);
  expect(await store.hasApiKeys()).toBe(true);
});

test('a secret has 256 random bits, is stored nowhere, and opens its key until revoked', async () => {
  const { apiKey, secret } = await create({ agentIds: ['a', 'a', 'b'] });
  expect(secret).toMatch(/^gz_[\w-]{43}$/);
  expect(apiKey).toMatchObject({ owner: 'ada', role: 'WRITER', agentIds: ['a', 'b'], lastUsedAt: null });
  expect(await store.apiKeyBySecret(secret)).toMatchObject({ id: apiKey.id });
  expect(JSON.stringify(await store.database.apiKeys.find().toArray())).not.toContain(secret.slice(3));
  for (const wrong of [
    '',
    'gz_',
    secret.slice(0, -1),
    `${secret}x`,
    secret.toUpperCase(),
    (await create()).secret.replace('gz_', 'GZ_'),
  ])
    expect(await store.apiKeyBySecret(wrong)).toBeNull();
  await store.revokeApiKey(operator, apiKey.id);
  expect(await store.apiKeyBySecret(secret)).toBeNull();
});

test('a key expires, and its use is noted at most once a minute', async () => {
  const { secret } = await create({ expiresAt: new Date(store.clock().getTime() + 10 * 60_000) });
  const usedAt = async () => {
    await store.apiKeyBySecret(secret);
    return (await store.database.apiKeys.find().sort({ _id: -1 }).next())?.last_used_at?.getTime();
  };
  const first = await usedAt();
  expect(first).toBeTypeOf('number');
  store.advance(59_000);
  expect(await usedAt()).toBe(first);
  store.advance(2_000);
  expect(await usedAt()).toBeGreaterThan(first as number);
  store.advance(10 * 60_000);
  expect(await store.apiKeyBySecret(secret)).toBeNull();
});

test.each([
  [{ owner: '' }, 'ownerId'],
  [{ owner: 'a\0b' }, 'ownerId'],
  [{ owner: 'x'.repeat(257) }, 'ownerId'],
  [{ name: '  ' }, 'name'],
  [{ agentIds: [] }, 'agentIds'],
  [{ agentIds: [''] }, 'agentIds'],
  [{ expiresAt: new Date(0) }, 'expiresAt'],
])('%j is refused: an empty binding must not read as none', async (key, field) => {
  await expect(create(key)).rejects.toMatchObject({ code: 'INVALID', path: ['input', field] });
});
