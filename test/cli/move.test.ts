import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer, upsert } from '../graphql/server.js';
import { CommandLine } from './harness.js';

let from: TestServer;
let to: TestServer;
const line = new CommandLine();
beforeAll(async () => {
  [from, to] = await Promise.all([startTestServer(), startTestServer()]);
  for (const name of ['one', 'two', 'three']) await upsert(from, { title: name, text: `The text of ${name}.` });
});
afterAll(async () => {
  line.dispose();
  await Promise.all([from?.stop(), to?.stop()]);
});

test('what is exported to a file is imported from it, and twice changes nothing', async () => {
  expect(await line.run('export --out house.ndjson', { url: from.url })).toBe(0);
  expect(line.err).toEqual([expect.stringMatching(/^3 documents exported, \d+(\.\d)? KB in house\.ndjson$/)]);
  expect(existsSync(line.path('house.ndjson.partial'))).toBe(false);

  expect(await line.run('import house.ndjson', { url: to.url })).toBe(0);
  expect(line.out).toEqual([expect.stringMatching(/^3 documents imported, 0 failed, in /)]);
  const titles = 'query { documents(orderBy: TITLE) { nodes { title text version } } }';
  expect(await to.data(titles)).toEqual(await from.data(titles));
  expect(await line.run('import house.ndjson', { url: to.url })).toBe(0);
  expect(await to.data(titles)).toEqual(await from.data(titles));
});

test('a name that ends in .gz is packed, and read again', async () => {
  expect(await line.run('export --out house.ndjson.gz', { url: from.url })).toBe(0);
  expect(gunzipSync(readFileSync(line.path('house.ndjson.gz'))).toString()).toMatch(/^\{"kind":"header"/);
  expect(statSync(line.path('house.ndjson.gz')).size).toBeLessThan(statSync(line.path('house.ndjson')).size);
  expect(await line.run('import house.ndjson.gz', { url: to.url })).toBe(0);
});

test('a file that is there is replaced with --force only', async () => {
  line.write({ 'kept.ndjson': 'precious' });
  expect(await line.run('export --out kept.ndjson', { url: from.url })).toBe(1);
  expect(line.err).toEqual(['kept.ndjson is there already: take another name, or --force to replace it']);
  expect(readFileSync(line.path('kept.ndjson'), 'utf8')).toBe('precious');
  expect(await line.run('export --out kept.ndjson --force', { url: from.url })).toBe(0);
  expect(readFileSync(line.path('kept.ndjson'), 'utf8')).toMatch(/^\{"kind":"header"/);
});

test('without --out it is the standard output', async () => {
  expect(await line.run('export', { url: from.url })).toBe(0);
  expect(line.out).toEqual([]);
  const text = (line.stdout.read() as Buffer).toString();
  expect(text.trimEnd().split('\n')).toHaveLength(
    readFileSync(line.path('house.ndjson'), 'utf8').trimEnd().split('\n').length,
  );
});

test('an export goes through a pipe, packed or not, and one that breaks off there is refused', async () => {
  const url = to.url;
  for (const bytes of [readFileSync(line.path('house.ndjson')), readFileSync(line.path('house.ndjson.gz'))]) {
    // Byte by byte at first: what a pipe brings is not in pieces of any use.
    const pieces = [bytes.subarray(0, 1), bytes.subarray(1, 2), bytes.subarray(2)];
    expect(await line.run('import -', { url, stdin: Readable.from(pieces) })).toBe(0);
    expect(line.out).toEqual([expect.stringMatching(/^3 documents imported, 0 failed, in /)]);
    expect(await line.run('import -', { url, stdin: Readable.from([bytes.subarray(0, bytes.length - 40)]) })).toBe(1);
    expect(line.out).toEqual([]);
  }
  expect(await line.run('import -', { url })).toBe(1);
  expect(line.err).toEqual(['The file is empty (BAD_USER_INPUT)']);
});

test('a damaged document is named and fails the command; a cut file is refused', async () => {
  const lines = readFileSync(line.path('house.ndjson'), 'utf8').split('\n');
  line.write({
    'damaged.ndjson': lines.with(4, lines[4]!.slice(0, -1)).join('\n'),
    'cut.ndjson': lines.slice(0, -2).join('\n'),
  });
  expect(await line.run('import damaged.ndjson', { url: to.url })).toBe(1);
  expect(line.err).toEqual([expect.stringMatching(/^.+: failed: Line 5: .*\(INVALID\)$/)]);
  expect(line.out).toEqual([expect.stringMatching(/^2 documents imported, 1 failed/)]);
  expect(await line.run('import cut.ndjson', { url: to.url })).toBe(1);
  expect(line.err).toEqual([expect.stringContaining('The file is incomplete')]);
  expect(await line.run('import nowhere.ndjson', { url: to.url })).toBe(1);
  expect(line.err).toEqual(['nowhere.ndjson: cannot be read (ENOENT)']);
});

test('an export that breaks off leaves no file of that name, and says so', async () => {
  const whole = readFileSync(line.path('house.ndjson'), 'utf8');
  const broken: Server = createServer((_, response) => {
    response.write(whole.slice(0, -200), () => response.destroy());
  });
  const short: Server = createServer((_, response) => response.end(whole.slice(0, -200)));
  for (const server of [broken, short]) {
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await line.run('export --out broken.ndjson', { url })).toBe(1);
    expect(line.err).toEqual([expect.stringMatching(/^The export (broke off|is incomplete)/)]);
    expect(existsSync(line.path('broken.ndjson'))).toBe(false);
    expect(existsSync(line.path('broken.ndjson.partial'))).toBe(false);
    server.close();
  }
});
