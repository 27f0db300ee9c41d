import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, exportSPKI, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JwtConfig } from '../../../src/config.js';
import { makeJwtVerifier } from '../../../src/graphql/auth/jwt.js';

const SECRET = 'a secret of at least thirty-two bytes';
const NONE: JwtConfig = {
  secret: null,
  jwksUrl: null,
  issuer: null,
  audience: null,
  ownerClaim: 'sub',
  adminAllowed: false,
};
const bySecret: JwtConfig = { ...NONE, secret: SECRET };

const signed = (claims: Record<string, unknown>, options: { secret?: string; expires?: string | number } = {}) => {
  const token = new SignJWT(claims).setProtectedHeader({ alg: 'HS256' });
  if (options.expires !== undefined) token.setExpirationTime(options.expires);
  return token.sign(new TextEncoder().encode(options.secret ?? SECRET));
};
const valid = (claims: Record<string, unknown>) => signed(claims, { expires: '1h' });
const verify = (token: string, config: JwtConfig = bySecret) => makeJwtVerifier(config)(token);
const refused = { code: 'UNAUTHENTICATED' };

test('without a setting every token is refused', async () => {
  await expect(verify(await valid({ sub: 'ada' }), NONE)).rejects.toMatchObject(refused);
});

describe('claims', () => {
  test('sub is the owner; reader, not bound to agents, is what the rest defaults to', async () => {
    expect(await verify(await valid({ sub: 'ada' }))).toEqual({
      owner: 'ada',
      role: 'READER',
      agents: null,
      kind: 'JWT',
    });
  });

  test('another claim may name the owner', async () => {
    const config = { ...bySecret, ownerClaim: 'tenant' };
    expect(await verify(await valid({ sub: 'ada', tenant: 'acme' }), config)).toMatchObject({ owner: 'acme' });
    await expect(verify(await valid({ sub: 'ada' }), config)).rejects.toMatchObject(refused);
  });

  test('the role admin counts as writer unless it is allowed', async () => {
    const token = await valid({ sub: 'ada', role: 'admin' });
    expect(await verify(token)).toMatchObject({ role: 'WRITER' });
    expect(await verify(token, { ...bySecret, adminAllowed: true })).toMatchObject({ role: 'ADMIN' });
  });

  test('agents bind', async () => {
    expect(await verify(await valid({ sub: 'ada', agents: ['a', 'b', 'a'] }))).toMatchObject({ agents: ['a', 'b'] });
  });

  test.each<Record<string, unknown>>([
    { sub: '' },
    { sub: 7 },
    {},
    { sub: 'a\u0000b' },
    { sub: 'x'.repeat(257) },
    { sub: 'e\u0301' },
    { sub: 'ada', role: 'root' },
    { sub: 'ada', role: 'constructor' },
    { sub: 'ada', role: null },
    { sub: 'ada', agents: [] },
    { sub: 'ada', agents: 'a' },
    { sub: 'ada', agents: null },
    { sub: 'ada', agents: [''] },
    { sub: 'ada', agents: [1] },
    { sub: 'ada', agents: Array.from({ length: 101 }, (_, i) => `a${i}`) },
  ])('%j is refused', async (claims) => {
    await expect(verify(await valid(claims))).rejects.toMatchObject(refused);
  });
});

describe('time', () => {
  const at = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;
  test('a token without an end is refused', async () => {
    await expect(verify(await signed({ sub: 'ada' }))).rejects.toMatchObject(refused);
  });
  test('clocks may differ by a minute, no more', async () => {
    expect(await verify(await signed({ sub: 'ada' }, { expires: at(-50) }))).toMatchObject({ owner: 'ada' });
    await expect(verify(await signed({ sub: 'ada' }, { expires: at(-70) }))).rejects.toMatchObject(refused);
    expect(await verify(await signed({ sub: 'ada', nbf: at(50) }, { expires: '1h' }))).toMatchObject({ owner: 'ada' });
    await expect(verify(await signed({ sub: 'ada', nbf: at(70) }, { expires: '1h' }))).rejects.toMatchObject(refused);
  });
});

describe('issuer and audience', () => {
  const config = { ...bySecret, issuer: 'https://id.example', audience: 'gazetteer' };
  test('are required where they are set', async () => {
    const claims = { sub: 'ada', iss: 'https://id.example', aud: 'gazetteer' };
    expect(await verify(await valid(claims), config)).toMatchObject({ owner: 'ada' });
    for (const wrong of [{ iss: 'https://other.example' }, { aud: 'other' }, { iss: undefined }, { aud: undefined }])
      await expect(verify(await valid({ ...claims, ...wrong }), config)).rejects.toMatchObject(refused);
  });
});

test('another secret, a cut token and no token at all are refused', async () => {
  const token = await valid({ sub: 'ada' });
  const other = await signed({ sub: 'ada' }, { secret: SECRET.toUpperCase(), expires: '1h' });
  for (const bad of [other, token.slice(0, -2), 'a.b.c', '..'])
    await expect(verify(bad)).rejects.toMatchObject(refused);
});

describe('a key set', () => {
  let server: Server;
  let answer: { status: number; body: string };
  let config: JwtConfig;
  let keys: Awaited<ReturnType<typeof generateKeyPair>>;
  let pem: string;

  beforeAll(async () => {
    keys = await generateKeyPair('RS256', { extractable: true });
    pem = await exportSPKI(keys.publicKey);
    const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'k1', use: 'sig', alg: 'RS256' };
    answer = { status: 200, body: JSON.stringify({ keys: [jwk] }) };
    server = createServer((_, response) => response.writeHead(answer.status).end(answer.body));
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    config = { ...NONE, jwksUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks` };
  });
  afterAll(() => server.close());

  const token = (alg = 'RS256') =>
    new SignJWT({ sub: 'ada' }).setProtectedHeader({ alg, kid: 'k1' }).setExpirationTime('1h').sign(keys.privateKey);

  test('verifies what its key has signed', async () => {
    expect(await verify(await token(), config)).toMatchObject({ owner: 'ada', kind: 'JWT' });
  });

  test('never lends its public key as a secret, and takes no unsigned token', async () => {
    const confused = await new SignJWT({ sub: 'ada' })
      .setProtectedHeader({ alg: 'HS256', kid: 'k1' })
      .setExpirationTime('1h')
      .sign(new TextEncoder().encode(pem));
    const none = new UnsecuredJWT({ sub: 'ada' }).setExpirationTime('1h').encode();
    for (const both of [config, { ...config, secret: SECRET }])
      for (const forged of [confused, none]) await expect(verify(forged, both)).rejects.toMatchObject(refused);
  });

  test('beside a secret each keeps to its own algorithms', async () => {
    const both = { ...config, secret: SECRET };
    expect(await verify(await token(), both)).toMatchObject({ owner: 'ada' });
    expect(await verify(await valid({ sub: 'bob' }), both)).toMatchObject({ owner: 'bob' });
    await expect(verify(await valid({ sub: 'bob' }), config)).rejects.toMatchObject(refused);
    await expect(verify(await token(), bySecret)).rejects.toMatchObject(refused);
  });

  test('a key that is not in the set is the token’s fault, a set that cannot be read is not', async () => {
    const stranger = await generateKeyPair('RS256');
    const foreign = await new SignJWT({ sub: 'ada' })
      .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
      .setExpirationTime('1h')
      .sign(stranger.privateKey);
    await expect(verify(foreign, config)).rejects.toMatchObject(refused);
    const kept = answer;
    for (const broken of [
      { status: 500, body: '' },
      { status: 200, body: 'no JSON' },
      { status: 200, body: '{}' },
    ]) {
      answer = broken;
      await expect(verify(await token(), config)).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
    }
    answer = kept;
  });
});
