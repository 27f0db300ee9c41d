import { describe, expect, test } from 'vitest';
import { ConfigError, isLoopbackName, parseClientConfig, parseConfig } from '../src/config.js';

const SECRET = 'x'.repeat(32);

describe('an empty environment', () => {
  test('is a development server on loopback with the bundled model', () => {
    const config = parseConfig({});
    expect(config.http).toMatchObject({ host: '127.0.0.1', port: 4000, hosts: null, corsOrigins: [] });
    expect(config.database).toMatchObject({ uri: null, name: 'gazetteer', filterable: {}, languages: ['en'] });
    expect(config.database.dataDir).toMatch(/\/data$/);
    expect(config.embedding).toMatchObject({ provider: 'bundled', explicit: {} });
    expect(config.auth.adminKey).toBeNull();
  });

  test('is what variables set to nothing mean too', () => {
    expect(parseConfig({ PORT: '', MONGODB_URI: '  ', OPENAI_API_KEY: '' })).toEqual(parseConfig({}));
  });
});

test('a key makes openai the default provider without making it explicit', () => {
  const { embedding } = parseConfig({ OPENAI_API_KEY: 'sk-1' });
  expect(embedding).toMatchObject({ provider: 'openai', apiKey: 'sk-1', explicit: {} });
});

test('a setting that was made is explicit', () => {
  const { embedding } = parseConfig({ EMBEDDING_PROVIDER: 'hash', EMBEDDING_DIMENSIONS: '64' });
  expect(embedding.explicit).toEqual({ provider: 'hash', dimensions: 64 });
});

test('filterable keys are read with their types', () => {
  const { database } = parseConfig({ GAZETTEER_FILTERABLE: 'topic:string, year:number,seen:date,open:boolean,' });
  expect(database.filterable).toEqual({ topic: 'string', year: 'number', seen: 'date', open: 'boolean' });
});

test('hosts may have ports and be addresses', () => {
  const { http } = parseConfig({ GAZETTEER_HOSTS: 'docs.example.com, Docs.example.com:8443,10.0.0.1,[::1]:4000' });
  expect(http.hosts).toEqual(['docs.example.com', 'Docs.example.com:8443', '10.0.0.1', '[::1]:4000']);
});

test('the result cannot be changed', () => {
  const config = parseConfig({});
  expect(() => Object.assign(config.http, { port: 1 })).toThrow(TypeError);
});

const REFUSED: readonly [Record<string, string>, RegExp][] = [
  [{ PORT: 'abc' }, /^PORT: expected a whole number from 0 to 65535$/],
  [{ PORT: '65536' }, /^PORT: /],
  [{ PORT: '-1' }, /^PORT: /],
  [{ PORT: '1e3' }, /^PORT: /],
  [{ MONGODB_URI: 'http://db' }, /^MONGODB_URI: expected a mongodb/],
  [{ MONGODB_DB: 'a b' }, /^MONGODB_DB: /],
  [{ EMBEDDING_PROVIDER: 'cohere' }, /^EMBEDDING_PROVIDER: expected openai, bundled or hash$/],
  [{ EMBEDDING_PROVIDER: 'openai' }, /^OPENAI_API_KEY: is needed/],
  [{ OPENAI_BASE_URL: 'localhost:11434' }, /^OPENAI_BASE_URL: /],
  [{ EMBEDDING_TOKENS_PER_MINUTE: '0' }, /^EMBEDDING_TOKENS_PER_MINUTE: .*from 1/],
  [{ EMBEDDING_LATE_CHUNKING: 'yes' }, /^EMBEDDING_LATE_CHUNKING: .*true or false/],
  [{ GAZETTEER_CONTEXT_URL: 'http://127.0.0.1:11434/v1' }, /^GAZETTEER_CONTEXT_MODEL: .*needed/],
  [{ GAZETTEER_CONTEXT_MODEL: 'llama3.2' }, /^GAZETTEER_CONTEXT_URL: .*needed/],
  [{ GAZETTEER_FILTERABLE: 'topic:text' }, /^GAZETTEER_FILTERABLE: expected key:type pairs .*"topic:text"$/],
  [{ GAZETTEER_FILTERABLE: 'a.b:string' }, /^GAZETTEER_FILTERABLE: /],
  [{ GAZETTEER_FILTERABLE: '$a:string' }, /^GAZETTEER_FILTERABLE: /],
  [{ GAZETTEER_FILTERABLE: 'a:string,a:number' }, /declared twice$/],
  [{ GAZETTEER_FILTERABLE: Array.from({ length: 41 }, (_, i) => `k${i}:string`).join() }, /at most 40 keys/],
  [{ GAZETTEER_LANGUAGES: 'en,deu!' }, /^GAZETTEER_LANGUAGES: /],
  [{ GAZETTEER_LANGUAGES: 'en,xx' }, /^GAZETTEER_LANGUAGES: No analyzer for xx; known languages: ar, hy/],
  [{ GAZETTEER_LANGUAGES: 'en,de,fr,es,it,nl' }, /^GAZETTEER_LANGUAGES: .*at most 5 languages/],
  [{ GAZETTEER_CORS_ORIGINS: 'https://a.example/path' }, /^GAZETTEER_CORS_ORIGINS: /],
  [{ GAZETTEER_HOSTS: 'https://docs.example.com' }, /^GAZETTEER_HOSTS: expected names such as docs.example.com/],
  [{ GAZETTEER_HOSTS: 'docs.example.com,*.example.com' }, /^GAZETTEER_HOSTS: /],
  [{ GAZETTEER_HOSTS: '::1' }, /^GAZETTEER_HOSTS: /],
  [{ GAZETTEER_HOSTS: ',' }, /^GAZETTEER_HOSTS: /],
  [{ GAZETTEER_ADMIN_KEY: 'short' }, /^GAZETTEER_ADMIN_KEY: .*32 printable/],
  [{ GAZETTEER_ADMIN_KEY: `${SECRET} ${SECRET}` }, /^GAZETTEER_ADMIN_KEY: .*without blanks$/],
  [{ GAZETTEER_JWT_SECRET: 'short' }, /^GAZETTEER_JWT_SECRET: .*32 bytes$/],
  [{ GAZETTEER_JWT_ADMIN: 'yes' }, /^GAZETTEER_JWT_ADMIN: expected true or false$/],
];

test.each(REFUSED)('%j is refused in one line', (environment, line) => {
  expect(problemsOf(environment)).toEqual([expect.stringMatching(line)]);
});

test('every mistake has a line of its own', () => {
  expect(problemsOf({ PORT: 'x', MONGODB_URI: 'y', GAZETTEER_JWT_ADMIN: 'z' })).toHaveLength(3);
});

test('a message never holds a secret', () => {
  const problems = problemsOf({ GAZETTEER_ADMIN_KEY: 'hunter2', GAZETTEER_JWT_SECRET: 'hunter3' }).join();
  expect(problems).not.toMatch(/hunter/);
});

describe('a key set for tokens', () => {
  test('needs an issuer and an audience', () => {
    expect(problemsOf({ GAZETTEER_JWKS_URL: 'https://id.example/jwks' })).toEqual([
      'GAZETTEER_JWT_ISSUER: is needed with GAZETTEER_JWKS_URL',
      'GAZETTEER_JWT_AUDIENCE: is needed with GAZETTEER_JWKS_URL',
    ]);
  });

  test.each(['http://127.0.0.1:9200/jwks', 'http://localhost/jwks', 'http://[::1]:1/jwks'])(
    'needs neither on loopback (%s)',
    (url) => {
      expect(parseConfig({ GAZETTEER_JWKS_URL: url }).auth.jwt).toMatchObject({ jwksUrl: url, issuer: null });
    },
  );
});

test('secrets of the least length are taken', () => {
  const { auth } = parseConfig({ GAZETTEER_ADMIN_KEY: SECRET, GAZETTEER_JWT_SECRET: SECRET });
  expect(auth).toMatchObject({ adminKey: SECRET, jwt: { secret: SECRET, ownerClaim: 'sub', adminAllowed: false } });
});

test.each(['localhost', 'LOCALHOST.', 'a.localhost', '127.0.0.1', '127.8.9.10', '::1', '[::1]'])(
  '%s is a loopback name',
  (name) => expect(isLoopbackName(name)).toBe(true),
);

test.each(['example.com', '127.0.0.1.example.com', 'localhost.example.com', '0.0.0.0', '128.0.0.1', '::'])(
  '%s is no loopback name',
  (name) => expect(isLoopbackName(name)).toBe(false),
);

test('the client finds the server that the same environment starts', () => {
  expect(parseClientConfig({ PORT: '4100' })).toMatchObject({ url: 'http://127.0.0.1:4100/graphql', apiKey: null });
  expect(
    parseClientConfig({ GAZETTEER_URL: 'https://x.example', GAZETTEER_API_KEY: 'k', XDG_STATE_HOME: '/state' }),
  ).toEqual({ url: 'https://x.example', apiKey: 'k', stateDir: '/state/gazetteer' });
});

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    parseConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}
