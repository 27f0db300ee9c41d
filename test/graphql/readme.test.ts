import { readdirSync, readFileSync } from 'node:fs';
import { parse, validate } from 'graphql';
import { describe, expect, test } from 'vitest';
import { HELP } from '../../scripts/cli/help.js';
import { parseConfig } from '../../src/config.js';
import { ERROR_CODES, REFUSAL_CODES } from '../../src/errors.js';
import { LIMITS } from '../../src/graphql/limits.js';
import { makeSchema } from '../../src/graphql/schema.js';

/** What README.md promises is what the code does. */
const root = new URL('../../', import.meta.url);
const readme = readFileSync(new URL('README.md', root), 'utf8');
const config = readFileSync(new URL('src/config.ts', root), 'utf8');

/** The rows of the table under a heading, as lists of cells. */
function table(heading: string): string[][] {
  const section = readme.split(`\n## ${heading}\n`)[1]!.split('\n## ')[0]!;
  return section
    .split('\n')
    .filter((line) => /^\| [`*]/.test(line))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

test('the limits are listed with their numbers and codes', () => {
  const rows = table('Limits').map(([name, most, code]) => [
    name!.replaceAll('`', ''),
    most,
    code!.replaceAll('`', ''),
  ]);
  const expected = Object.entries(LIMITS).map(([name, { maximum, unit, code }]) => [name, `${maximum} ${unit}`, code]);
  expect(rows.sort()).toEqual(expected.sort());
});

describe('error codes', () => {
  test('are listed', () => {
    const rows = table('Errors').map(([code]) => code!.replaceAll('`', ''));
    expect(rows.sort()).toEqual([...Object.keys(ERROR_CODES), 'INTERNAL_SERVER_ERROR'].sort());
    for (const code of REFUSAL_CODES) expect(readme).toContain(`\`${code}\``);
  });

  test('are each provoked by a test', () => {
    const tests = readdirSync(new URL('test/', root), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.ts') && !name.endsWith('readme.test.ts'))
      .map((name) => readFileSync(new URL(`test/${name}`, root), 'utf8'));
    const unprovoked = [...Object.keys(ERROR_CODES), ...REFUSAL_CODES].filter(
      (code) => !tests.some((text) => text.includes(code)),
    );
    // refused by quotas and by kinds of files that are not built yet
    expect(unprovoked.filter((code) => !['QUOTA_EXCEEDED', 'UNSUPPORTED_MEDIA_TYPE'].includes(code))).toEqual([]);
  });
});

describe('settings', () => {
  const names = [...config.split('const SETTINGS')[1]!.matchAll(/^ {4}([A-Z_]+): /gm)].map((match) => match[1]!);

  test('are listed', () => {
    expect(names.length).toBeGreaterThan(20);
    expect(
      table('Settings')
        .map(([name]) => name!.replaceAll('`', ''))
        .sort(),
    ).toEqual(names.sort());
  });

  test('have the defaults that are listed', () => {
    const defaults = Object.fromEntries(
      table('Settings').map(([name, value]) => [name!.replaceAll('`', ''), value!.replaceAll('`', '')]),
    );
    const { http, database, auth, logLevel } = parseConfig({});
    expect(defaults).toMatchObject({
      PORT: String(http.port),
      HOST: http.host,
      MONGODB_DB: database.name,
      GAZETTEER_LANGUAGES: database.languages.join(),
      GAZETTEER_JWT_OWNER_CLAIM: auth.jwt.ownerClaim,
      GAZETTEER_JWT_ADMIN: String(auth.jwt.adminAllowed),
      GAZETTEER_DRAIN_SECONDS: String(http.drainMs / 1000),
      GAZETTEER_LOG_LEVEL: logLevel,
    });
  });
});

test('every command of package.json and of the command line that it names exists', () => {
  const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
  for (const [, name] of readme.matchAll(/npm run ([a-z-]+)/g)) expect(Object.keys(scripts)).toContain(name);
  for (const [, name] of readme.matchAll(/npm run gazetteer -- ([a-z]+)/g)) expect(Object.keys(HELP)).toContain(name);
});

test('every file that it links to exists', () => {
  for (const [, path] of readme.matchAll(/\]\(([^)h][^)]*)\)/g))
    expect(() => readFileSync(new URL(path!, root))).not.toThrow();
});

test('every operation that it shows is valid', () => {
  const schema = makeSchema();
  const operations = [...readme.matchAll(/```graphql\n([\s\S]*?)```/g)].map(([, text]) => text!);
  expect(operations.length).toBeGreaterThan(2);
  for (const operation of operations) expect(validate(schema, parse(operation))).toEqual([]);
});
