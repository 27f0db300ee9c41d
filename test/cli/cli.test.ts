import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { graphqlUrl } from '../../scripts/cli/client.js';
import { HELP } from '../../scripts/cli/help.js';
import { runCommand } from '../../scripts/cli/run.js';
import { startTestServer, type TestServer } from '../graphql/server.js';

let server: TestServer;
let folder: string;
beforeAll(async () => {
  server = await startTestServer();
  folder = mkdtempSync(join(tmpdir(), 'gazetteer-cli-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await server.stop();
});

let stdout: PassThrough;
let out: string[];
let err: string[];
beforeEach(() => {
  out = [];
  stdout = new PassThrough();
  err = [];
});

/** Runs a command line against the test's server; what it printed is in `out` and `err`. */
function run(args: string, options: { url?: string; apiKey?: string } = {}): Promise<number> {
  return runCommand(args.match(/'[^']*'|\S+/g)?.map((part) => part.replace(/^'|'$/g, '')) ?? [], {
    config: () => ({ url: options.url ?? server.url, apiKey: options.apiKey ?? null, stateDir: join(folder, 'state') }),
    output: { out: (line) => out.push(line), err: (line) => err.push(line), stdout },
    cwd: folder,
  });
}

function write(files: Record<string, string | Uint8Array>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

describe('ingest', () => {
  test('uploads a folder, and costs nothing the second time', async () => {
    write({
      'docs/pump.md': '# Pumps\n\nPrime it first.',
      'docs/sub/valve.txt': 'Close it slowly.',
      'docs/page.html': '<h1>Seal</h1>',
    });
    expect(await run('ingest docs')).toBe(0);
    expect(out).toEqual([
      expect.stringMatching(/^3 created, 0 updated, 0 unchanged, 0 failed, 0 skipped; 3 chunks in /),
    ]);
    const { documents } = await server.data('{ documents(orderBy: TITLE) { nodes { title mediaType text } } }');
    expect(documents.nodes.map((node: { title: string }) => node.title)).toEqual([
      'page.html',
      'pump.md',
      'sub/valve.txt',
    ]);
    expect(documents.nodes[1]).toEqual({
      title: 'pump.md',
      mediaType: 'text/markdown',
      text: '# Pumps\n\nPrime it first.',
    });

    write({ 'docs/pump.md': '# Pumps\n\nPrime it first, then start.' });
    out.length = 0;
    expect(await run('ingest docs')).toBe(0);
    expect(out[0]).toMatch(/^0 created, 1 updated, 2 unchanged, 0 failed/);
  });

  test('goes on past a file that is refused, names it, and fails in the end', async () => {
    write({
      'mixed/good.txt': 'Good.',
      'mixed/bad.txt': Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'),
      'mixed/empty.txt': '  \n',
    });
    expect(await run('ingest mixed')).toBe(1);
    expect(out[0]).toMatch(/^1 created, 0 updated, 0 unchanged, 2 failed/);
    expect(err).toContainEqual(expect.stringMatching(/^bad\.txt: failed: .*\(UNSUPPORTED_MEDIA_TYPE\)$/));
    expect(err).toContainEqual(expect.stringMatching(/^empty\.txt: failed: .*\(EMPTY_TEXT\)$/));
  });

  test('gives agents, and counts what was passed over', async () => {
    write({ 'agents/a.md': 'For a bot.', 'agents/.hidden.md': 'x', 'agents/b.png': 'x' });
    expect(await run('ingest agents --agents bot,imp')).toBe(0);
    expect(out[0]).toContain('2 skipped (1 hidden, 1 other kind of file)');
    const { document } = await server.data('{ document(by: { title: "a.md" }) { agentIds } }');
    expect(document.agentIds).toEqual(['bot', 'imp']);
  });

  test('stops at once where the server is gone or refuses', async () => {
    write({ 'docs/pump.md': 'x' });
    expect(await run('ingest docs', { url: 'http://127.0.0.1:1/graphql' })).toBe(1);
    expect(err).toEqual([expect.stringMatching(/^No answer from http:.*is the server running/)]);
    err.length = 0;
    expect(await run('ingest docs', { apiKey: 'nobody' })).toBe(1);
    expect(err).toEqual([expect.stringContaining('UNAUTHENTICATED')]);
    expect(out).toEqual([]);
  });

  test('says when there is nothing to do', async () => {
    mkdirSync(join(folder, 'nothing'), { recursive: true });
    expect(await run('ingest nothing')).toBe(1);
    expect(err).toEqual([expect.stringContaining('Nothing to ingest')]);
  });
});

describe('search', () => {
  test('prints the passages with their titles', async () => {
    expect(await run("search 'prime the pump' --first 1")).toBe(0);
    expect(out).toEqual([expect.stringMatching(/^ 1\. pump\.md .*\n {4}.*Prime it first/)]);
    expect(err).toEqual([expect.stringMatching(/^HYBRID, \d+ ms/)]);
  });

  test('takes a mode, a filter, and answers JSON', async () => {
    expect(await run(`search close --mode text --json --filter '{"titles":["sub/valve.txt"]}'`)).toBe(0);
    const found = JSON.parse(out[0]!);
    expect(found.diagnostics.mode).toBe('TEXT');
    expect(found.edges.map((edge: { node: { document: { title: string } } }) => edge.node.document.title)).toEqual([
      'sub/valve.txt',
    ]);
  });

  test('says when there is nothing', async () => {
    expect(await run(`search close --filter '{"titles":[]}'`)).toBe(0);
    expect(out).toEqual(['No hits']);
  });

  test('a refusal of the server is one line', async () => {
    expect(await run('search close --mode NEAREST')).toBe(1);
    expect(err).toEqual([expect.stringMatching(/NEAREST.*\(BAD_USER_INPUT\)$/)]);
  });
});

test('indexes are listed and ensured', async () => {
  expect(await run('indexes')).toBe(0);
  expect(out).toHaveLength(2);
  expect(out).toContainEqual('gazetteer_text  TEXT  READY');
  out.length = 0;
  expect(await run('indexes ensure --wait')).toBe(0);
  expect(out).toContainEqual('gazetteer_text  TEXT  READY');
});

describe('wrong usage exits with 2 and says what is right', () => {
  test.each([
    ['', 'Usage:'],
    ['fetch', 'There is no command "fetch"'],
    ['ingest', 'Which files?'],
    ['search', 'What is the question?'],
    ['search x --first 0', '--first: expected 1 to 100, got 0'],
    ['search x --filter {', '--filter: expected JSON'],
    ['search x --hidden', 'search has no option --hidden'],
    ['ingest x --nonsense', 'nonsense'],
    ['ingest docs --concurrency 100', '--concurrency: expected 1 to 32'],
    ['indexes drop', 'expected list or ensure, got drop'],
    ['keys', 'keys create --owner'],
    ['keys create', 'keys create --owner'],
    ['keys create --owner ada --role bogus', '--role: expected reader, writer, admin, got bogus'],
    ['keys create --owner ada --expires yesterday', '--expires: expected a date such as 2030-12-31 or'],
    ['keys create --owner ada --expires 2030-13-45', '--expires: expected a date such as 2030-12-31 or'],
    ['export there.ndjson', 'Where to is said by --out'],
    ['import', 'Which file?'],
    ['import a b', 'Which file?'],
    ['import x --on-space-mismatch maybe', '--on-space-mismatch: expected refuse or reembed, got maybe'],
    ['search x --url nonsense', '--url: expected a URL'],
  ])('%s', async (args, message) => {
    expect(await run(args)).toBe(2);
    expect(err.join('\n')).toContain(message);
    expect(out).toEqual([]);
  });
});

test('help goes to the output', async () => {
  expect(await run('--help')).toBe(0);
  for (const name of Object.keys(HELP)) expect(out.join('\n')).toContain(`  ${name} `);
  out.length = 0;
  expect(await run('keys --help')).toBe(0);
  expect(out).toEqual([HELP.keys]);
});

test.each([
  ['http://127.0.0.1:4000', 'http://127.0.0.1:4000/graphql'],
  ['http://127.0.0.1:4000/', 'http://127.0.0.1:4000/graphql'],
  ['https://docs.example/api/graphql', 'https://docs.example/api/graphql'],
])('--url %s asks %s', (given, asked) => expect(graphqlUrl(given)).toBe(asked));

test('a busy server is asked again after the pause that it wishes', async () => {
  let asked = 0;
  const busy = createServer((_, response) => {
    asked += 1;
    if (asked < 3) response.writeHead(503, { 'retry-after': '0.01' }).end('{}');
    else response.end('{"data":{"search":{"edges":[],"diagnostics":{"mode":"TEXT","degraded":[],"tookMs":1}}}}');
  });
  await new Promise<void>((listening) => busy.listen(0, '127.0.0.1', listening));
  expect(await run('search x', { url: `http://127.0.0.1:${(busy.address() as AddressInfo).port}` })).toBe(0);
  expect(asked).toBe(3);
  busy.close();
});

// last: the first key ends development mode
test('keys are created with the secret on the last line, listed and revoked', async () => {
  expect(await run('keys create --owner ada --role reader')).toBe(1);
  expect(err).toEqual([expect.stringContaining('must have role ADMIN')]);

  expect(await run('keys create --owner local --role admin')).toBe(0);
  const apiKey = out.at(-1)!;
  expect(apiKey).toMatch(/^\S{40,}$/);
  expect(await run('keys list')).toBe(1);

  out.length = 0;
  expect(
    await run("keys create --owner ada --agents bot,imp --name 'for the bots' --expires 2199-01-01T00:00:00Z", {
      apiKey,
    }),
  ).toBe(0);
  expect(out[0]).toMatch(/READER {2}owner ada {2}"for the bots" {2}agents bot,imp {2}until 2199-01-01T00:00:00.000Z$/);
  const id = out[0]!.split('  ')[0]!;
  expect(await run('keys create --owner bea --role WRITER --expires 2199-01-01', { apiKey })).toBe(0);
  expect(out.at(-2)).toMatch(/WRITER {2}owner bea .* until 2199-01-01T00:00:00.000Z$/);
  expect(await run(`keys revoke ${out.at(-2)!.split('  ')[0]}`, { apiKey })).toBe(0);

  out.length = 0;
  expect(await run('keys list', { apiKey })).toBe(0);
  expect(out).toHaveLength(2);
  expect(await run(`keys revoke ${id}`, { apiKey })).toBe(0);
  out.length = 0;
  expect(await run('keys list', { apiKey })).toBe(0);
  expect(out).toHaveLength(1);
  expect(await run(`keys revoke ${id}`, { apiKey })).toBe(1);
});
