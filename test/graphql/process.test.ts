import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { post, UPSERT } from './server.js';

/** The server as a process, as `npm start` runs it: what it prints, how it starts, how it stops. */
const root = fileURLToPath(new URL('../../', import.meta.url));

let directory: string;
const running = new Set<ChildProcessByStdio<null, Readable, Readable>>();
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gazetteer-process-'));
});
afterEach(async () => {
  for (const child of running) await ended(child, 'SIGKILL');
  rmSync(directory, { recursive: true, force: true });
});

interface Started {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  readonly out: () => string;
  readonly err: () => string;
}

function start(script: string, environment: Record<string, string> = {}): Started {
  const child = spawn(process.execPath, [join(root, script)], {
    cwd: directory,
    env: { PATH: process.env.PATH, EMBEDDING_PROVIDER: 'hash', PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  return { child, out: () => out, err: () => err };
}

async function ready({ out, err }: Started): Promise<string> {
  await expect.poll(() => out() || err().includes('Cannot start'), { timeout: 50_000 }).toBeTruthy();
  const url = /^Gazetteer ready at (http:\S+)\n$/.exec(out())?.[1];
  if (url === undefined) throw new Error(`It did not start: ${err()}`);
  return url;
}

async function ended(
  child: ChildProcessByStdio<null, Readable, Readable>,
  signal?: NodeJS.Signals,
): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  if (signal) child.kill(signal);
  const [code] = await once(child, 'exit');
  return code;
}

const upsert = (url: string, title: string, text = 'Kept.') =>
  post(url, JSON.stringify({ query: UPSERT, variables: { input: { title, text } } }));
const titles = async (url: string) => {
  const response = await post(url, JSON.stringify({ query: '{ documents(first: 100) { nodes { title } } }' }));
  const { data } = (await response.json()) as { data: { documents: { nodes: { title: string }[] } } };
  return data.documents.nodes.map((node) => node.title).sort();
};

test('one line on stdout says where it is; SIGTERM lets what runs finish, and nothing is lost', async () => {
  const first = start('dist/src/main.js');
  const url = await ready(first);
  const finishing = ['a', 'b', 'c'].map((title) => upsert(url, title, `${title} `.repeat(5_000)));
  // the requests are being answered when the signal comes
  await expect
    .poll(async () => /in_flight [1-9]/.test(await (await fetch(new URL('/metrics', url))).text()))
    .toBe(true);
  const code = ended(first.child, 'SIGTERM');
  for (const response of await Promise.all(finishing))
    expect(await response.json()).toMatchObject({ data: { upsertDocument: { outcome: 'CREATED' } } });
  expect(await code).toBe(0);
  expect(first.out()).toBe(`Gazetteer ready at ${url}\n`);
  await expect(fetch(url)).rejects.toThrow();

  const second = start('dist/src/main.js');
  expect(await titles(await ready(second))).toEqual(['a', 'b', 'c']);
  expect(await ended(second.child, 'SIGINT')).toBe(0);
});

test('killed at once, it starts again at once with everything that it had acknowledged', async () => {
  const first = start('dist/src/main.js');
  const url = await ready(first);
  const acknowledged: string[] = [];
  for (let i = 0; i < 5; i += 1) {
    await (await upsert(url, `d${i}`)).json();
    acknowledged.push(`d${i}`);
  }
  await ended(first.child, 'SIGKILL');
  const second = start('dist/src/main.js');
  expect(await titles(await ready(second))).toEqual(acknowledged);
});

describe('a start that cannot be says why, in lines that a person can read, and exits with 1', () => {
  const refusal = async (environment: Record<string, string>) => {
    const started = start('dist/src/main.js', environment);
    const code = await ended(started.child);
    return { code, out: started.out(), err: started.err() };
  };

  test('wrong settings, a line each', async () => {
    expect(await refusal({ PORT: 'abc', GAZETTEER_JWT_ADMIN: 'perhaps' })).toEqual({
      code: 1,
      out: '',
      err: 'Cannot start\n  PORT: expected a whole number from 0 to 65535\n  GAZETTEER_JWT_ADMIN: expected true or false\n',
    });
  });

  test('a language that no analyzer knows, before there is a data directory', async () => {
    const { code, err } = await refusal({ GAZETTEER_LANGUAGES: 'en,xx' });
    expect(code).toBe(1);
    expect(err).toMatch(/^Cannot start\n {2}GAZETTEER_LANGUAGES: No analyzer for xx; known languages: .*\n$/);
    expect(existsSync(join(directory, 'data'))).toBe(false);
  });

  // Below /proc, Node's own recursive mkdir never ends.
  test.each([
    ['/etc/passwd', 'a file is there (/etc/passwd)'],
    ['/dev/null/x', 'a file stands in its way (/dev/null/x)'],
    ['/proc/x', 'its file system takes no directories (/proc/x)'],
    ['/proc/x/y', 'its file system takes no directories (/proc/x)'],
  ])('%s as the data directory', async (dataDir, reason) => {
    expect(await refusal({ GAZETTEER_DATA_DIR: dataDir })).toEqual({
      code: 1,
      out: '',
      err: `Cannot start\n  GAZETTEER_DATA_DIR: ${dataDir} cannot be a data directory: ${reason}\n`,
    });
  });

  test('a port in use', async () => {
    const other = createServer();
    await new Promise<void>((listening) => other.listen(0, '127.0.0.1', listening));
    const { port } = other.address() as AddressInfo;
    const { code, out, err } = await refusal({ PORT: String(port), GAZETTEER_LOG_LEVEL: 'silent' });
    other.close();
    expect({ code, out, err }).toEqual({
      code: 1,
      out: '',
      err: `Cannot start\n  Port ${port} on 127.0.0.1 is in use: stop what listens there, or set PORT (0 picks a free one)\n`,
    });
  });

  test('a port for metrics that is in use, by the name of its own setting', async () => {
    const other = createServer();
    await new Promise<void>((listening) => other.listen(0, '127.0.0.1', listening));
    const { port } = other.address() as AddressInfo;
    const { code, err } = await refusal({ GAZETTEER_METRICS_PORT: String(port), GAZETTEER_LOG_LEVEL: 'silent' });
    other.close();
    expect(code).toBe(1);
    expect(err).toBe(
      `Cannot start\n  Port ${port} on 127.0.0.1 is in use: stop what listens there, or set GAZETTEER_METRICS_PORT\n`,
    );
  });

  test.each([
    ['mongodb://ada:hunter/2@127.0.0.1:1/', 'percent-encode'],
    ['mongodb://ada:hunter@2@127.0.0.1:1/', 'percent-encode'],
    ['mongodb://ada:hunter?2@127.0.0.1:1/', ''],
    ['mongodb://ada:hunter2@127.0.0.1:99999/', '127.0.0.1:99999'],
    ['mongodb://ada:hunter2@127.0.0.1:1/?retries=2', 'retries'],
    ['mongodb+srv://ada:hunter2@cluster.invalid/', 'cluster.invalid'],
  ])('%s as the database, in a line that shows no password', async (uri, reason) => {
    const { code, err } = await refusal({ MONGODB_URI: uri, GAZETTEER_LOG_LEVEL: 'silent' });
    expect(code).toBe(1);
    expect(err).toMatch(/^Cannot start\n {2}MONGODB_URI: .*\n$/);
    expect(err).toContain(reason);
    expect(err).not.toMatch(/hunter/);
  });

  test('an address beyond loopback without credentials', async () => {
    const { code, err } = await refusal({ HOST: '0.0.0.0', GAZETTEER_LOG_LEVEL: 'silent' });
    expect(code).toBe(1);
    expect(err).toContain('HOST=0.0.0.0 would serve everybody as administrator');
  });

  test('a database that is not there', async () => {
    const { code, err } = await refusal({
      MONGODB_URI: 'mongodb://127.0.0.1:9/?serverSelectionTimeoutMS=500',
      GAZETTEER_LOG_LEVEL: 'silent',
    });
    expect(code).toBe(1);
    expect(err).toMatch(/^Cannot start\n/);
    expect(err.split('\n').length).toBeLessThan(6);
  });
});

test('settings come from .env too, and the environment wins', async () => {
  const { writeFileSync } = await import('node:fs');
  writeFileSync(join(directory, '.env'), 'GAZETTEER_ADMIN_KEY=from-the-file-of-at-least-32-characters\nPORT=1\n');
  const url = await ready(start('dist/src/main.js', { HOST: '0.0.0.0' }));
  expect((await post(url, '{"query":"{ viewer { role } }"}')).status).toBe(401);
  expect((await post(url, '{"query":"{ viewer { role } }"}', 'from-the-file-of-at-least-32-characters')).status).toBe(
    200,
  );
});

test('the demo ingests its documents, shows what it finds, and leaves with 0', async () => {
  const demo = start('dist/scripts/demo.js');
  expect(await ended(demo.child)).toBe(0);
  const lines = demo.out();
  expect(lines).toMatch(/3\d created, 0 updated, 0 unchanged, 0 failed/);
  const chunks = Number(/; (\d+) chunks in/.exec(lines)?.[1]);
  expect(chunks).toBeGreaterThan(30);
  expect(chunks).toBeLessThanOrEqual(150);
  for (const found of [
    'high-reservoir.md',
    'catalogue-2025.html',
    '2024-09-board.md',
    '2023-09-30-chlorine-alarm.html',
    'gv-80-gate-valve.md',
  ])
    expect(lines).toContain(found);
});
