import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { post, startTestServer, type TestServer } from './server.js';

const CREATE = `mutation($input: CreateApiKeyInput!) {
  createApiKey(input: $input) {
    apiKey { id name ownerId role agentIds createdAt expiresAt lastUsedAt } secret userErrors { code message path }
  }
}`;
const VIEWER = '{ viewer { ownerId role agentIds } }';

describe('the first key', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(async () => server.stop());

  test('is an operator’s, and ends development mode at once', async () => {
    expect(await server.data(VIEWER)).toEqual({ viewer: { ownerId: 'local', role: 'ADMIN', agentIds: null } });
    const refused = (await server.data(CREATE, { input: { ownerId: 'ada', name: 'k', role: 'WRITER' } })).createApiKey;
    expect(refused).toMatchObject({
      apiKey: null,
      secret: null,
      userErrors: [{ code: 'INVALID', path: ['input', 'role'] }],
    });
    expect(refused.userErrors[0].message).toContain('ADMIN');
    expect(await server.data(VIEWER)).toBeTruthy();

    const { secret } = (await server.data(CREATE, { input: { ownerId: 'local', name: 'first', role: 'ADMIN' } }))
      .createApiKey;
    expect(await server.error(VIEWER)).toMatchObject({ code: 'UNAUTHENTICATED', status: 401 });
    expect(await server.data(VIEWER, {}, secret)).toEqual({
      viewer: { ownerId: 'local', role: 'ADMIN', agentIds: null },
    });
  });
});

describe('keys', () => {
  const ADMIN = 'an-admin-key-of-at-least-32-characters';
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ GAZETTEER_ADMIN_KEY: ADMIN });
  });
  afterAll(async () => server.stop());
  const create = async (input: object, by = ADMIN) => (await server.data(CREATE, { input }, by)).createApiKey;

  test('give their owner, role and agents to whoever holds the secret', async () => {
    const { apiKey, secret } = await create({ ownerId: 'ada', name: 'laptop', role: 'WRITER', agentIds: ['bot'] });
    expect(apiKey).toMatchObject({
      name: 'laptop',
      ownerId: 'ada',
      role: 'WRITER',
      agentIds: ['bot'],
      expiresAt: null,
      lastUsedAt: null,
    });
    expect(secret).toMatch(/^\S{40,}$/);
    expect(await server.data(VIEWER, {}, secret)).toEqual({
      viewer: { ownerId: 'ada', role: 'WRITER', agentIds: ['bot'] },
    });
  });

  test('are listed without their secrets, and useless at once when revoked', async () => {
    const { apiKey, secret } = await create({ ownerId: 'ada', name: 'lost' });
    const listed = await server.send('{ admin { apiKeys { id name } } }', {}, ADMIN);
    expect(listed.data.admin.apiKeys).toContainEqual({ id: apiKey.id, name: 'lost' });
    expect(JSON.stringify(listed.data)).not.toContain(secret);
    const revoke =
      'mutation($id: ID!) { revokeApiKey(input: { apiKeyId: $id }) { revokedApiKeyId userErrors { code path } } }';
    expect((await server.data(revoke, { id: apiKey.id }, ADMIN)).revokeApiKey).toEqual({
      revokedApiKeyId: apiKey.id,
      userErrors: [],
    });
    expect(await server.error(VIEWER, {}, secret)).toMatchObject({ code: 'UNAUTHENTICATED', status: 401 });
    for (const id of [apiKey.id, 'rubbish'])
      expect((await server.data(revoke, { id }, ADMIN)).revokeApiKey).toEqual({
        revokedApiKeyId: null,
        userErrors: [{ code: 'NOT_FOUND', path: ['input', 'apiKeyId'] }],
      });
  });

  test.each([
    ['an owner without a name', { ownerId: '', name: 'k' }, 'ownerId'],
    ['an owner with a control character', { ownerId: 'a\u0000', name: 'k' }, 'ownerId'],
    ['a key without a name', { ownerId: 'ada', name: ' ' }, 'name'],
    ['an empty list of agents', { ownerId: 'ada', name: 'k', agentIds: [] }, 'agentIds'],
    ['an end in the past', { ownerId: 'ada', name: 'k', expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
  ])('%s is INVALID', async (_, input, field) => {
    expect(await create(input)).toMatchObject({
      apiKey: null,
      secret: null,
      userErrors: [{ code: 'INVALID', path: ['input', field] }],
    });
  });

  test('are an administrator’s to make, list and revoke', async () => {
    const { secret } = await create({ ownerId: 'ada', name: 'w', role: 'WRITER' });
    expect(await server.error(CREATE, { input: { ownerId: 'ada', name: 'k' } }, secret)).toMatchObject({
      code: 'FORBIDDEN',
      status: 200,
    });
    expect(await server.data('{ admin { apiKeys { id } } }', {}, secret)).toEqual({ admin: null });
  });

  test.each([
    ['an unknown secret', 'Bearer nobody'],
    ['another scheme', 'Basic YTpi'],
    ['no token', 'Bearer '],
    ['two tokens', 'Bearer a b'],
    ['a very long token', `Bearer ${'x'.repeat(9_000)}`],
  ])('%s is UNAUTHENTICATED', async (_, authorization) => {
    const response = await post(server.url, JSON.stringify({ query: VIEWER }), undefined, { authorization });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] });
  });
});
