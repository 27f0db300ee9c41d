import { SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../../src/config.js';
import { makeAuthenticator } from '../../../src/graphql/auth/authenticate.js';

const SECRET = 'a-secret-of-at-least-thirty-two-bytes';

/** Keys by their secrets; `asked` counts how often somebody wanted to know whether there are any. */
function keys(known: Record<string, string> = {}) {
  const store = {
    asked: 0,
    hasApiKeys: async () => {
      store.asked += 1;
      return Object.keys(known).length > 0;
    },
    apiKeyBySecret: async (secret: string) => {
      const owner = known[secret];
      if (owner === undefined) return null;
      const dates = { createdAt: new Date(0), expiresAt: null, lastUsedAt: null };
      return { id: 'a'.repeat(24), name: owner, owner, role: 'READER' as const, agentIds: ['bot'], ...dates };
    },
  };
  return store;
}

const auth = (environment: Record<string, string> = {}) => parseConfig(environment).auth;
const unauthenticated = { code: 'UNAUTHENTICATED' };

describe('development mode', () => {
  test('lasts while there is no credential at all', async () => {
    const authenticator = makeAuthenticator(auth(), keys());
    expect(await authenticator.isDevelopment()).toBe(true);
    expect(await authenticator.authenticate(undefined)).toMatchObject({ owner: 'local', role: 'ADMIN', agents: null });
  });

  test('takes no credentials on trust', async () => {
    await expect(makeAuthenticator(auth(), keys()).authenticate('Bearer anything')).rejects.toMatchObject(
      unauthenticated,
    );
  });

  test.each<Record<string, string>>([
    { GAZETTEER_ADMIN_KEY: SECRET },
    { GAZETTEER_JWT_SECRET: SECRET },
    { GAZETTEER_JWKS_URL: 'http://127.0.0.1/jwks' },
  ])('is over with %j', async (environment) => {
    const authenticator = makeAuthenticator(auth(environment), keys());
    expect(await authenticator.isDevelopment()).toBe(false);
    await expect(authenticator.authenticate(undefined)).rejects.toMatchObject(unauthenticated);
  });

  test('ends at once with a key of this server, within a second with one of another', async () => {
    let now = 0;
    const known: Record<string, string> = {};
    const store = keys(known);
    const authenticator = makeAuthenticator(auth(), store, () => now);
    expect(await authenticator.isDevelopment()).toBe(true);
    known.secret = 'ada';
    now = 999;
    expect(await authenticator.isDevelopment()).toBe(true);
    now = 1_000;
    expect(await authenticator.isDevelopment()).toBe(false);

    const other = makeAuthenticator(auth(), keys(), () => now);
    expect(await other.isDevelopment()).toBe(true);
    other.keyCreated();
    expect(await other.isDevelopment()).toBe(false);
  });

  test('is over for good once a key was seen: nobody asks again', async () => {
    const store = keys({ secret: 'ada' });
    const authenticator = makeAuthenticator(auth(), store);
    for (let i = 0; i < 5; i += 1) expect(await authenticator.isDevelopment()).toBe(false);
    expect(store.asked).toBe(1);
  });
});

test('each kind of credential is told from the others', async () => {
  const authenticator = makeAuthenticator(
    auth({ GAZETTEER_ADMIN_KEY: SECRET, GAZETTEER_JWT_SECRET: SECRET }),
    keys({ 'key-of-ada': 'ada', 'a.b.c': 'never asked' }),
  );
  const token = await new SignJWT({ sub: 'bob', role: 'writer' })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime('1h')
    .sign(new TextEncoder().encode(SECRET));
  expect(await authenticator.authenticate(`Bearer ${SECRET}`)).toMatchObject({ kind: 'ADMIN_KEY', role: 'ADMIN' });
  expect(await authenticator.authenticate(`bearer ${token}`)).toMatchObject({
    kind: 'JWT',
    owner: 'bob',
    role: 'WRITER',
  });
  expect(await authenticator.authenticate('Bearer key-of-ada')).toMatchObject({
    kind: 'API_KEY',
    owner: 'ada',
    agents: ['bot'],
  });
  for (const bad of [
    '',
    'Bearer',
    'Basic x',
    'Bearer a b',
    'Bearer a.b.c',
    `Bearer ${SECRET}x`,
    `Bearer ${'x'.repeat(8_193)}`,
  ])
    await expect(authenticator.authenticate(bad)).rejects.toMatchObject(unauthenticated);
});
