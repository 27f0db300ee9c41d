import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { afterEach, expect, it } from 'vitest';
import { startPocketAtlas } from '../../../src/pocket-atlas/start.js';

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function count(uri: string): Promise<number> {
  const client = new MongoClient(uri);
  try {
    return await client.db('d').collection('c').countDocuments();
  } finally {
    await client.close();
  }
}

async function insertOne(uri: string): Promise<void> {
  const client = new MongoClient(uri);
  try {
    await client.db('d').collection('c').insertOne({ a: 1 });
  } finally {
    await client.close();
  }
}

it('serves any driver from memory, each start with an empty database, and leaves nothing behind', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'start-test-'));
  cleanUps.push(() => rm(dir, { recursive: true, force: true }));
  const before = process.env.TMPDIR;
  process.env.TMPDIR = dir;
  try {
    const first = await startPocketAtlas();
    const second = await startPocketAtlas();
    cleanUps.push(first.stop, second.stop);
    await insertOne(first.uri);
    expect(await count(first.uri)).toBe(1);
    expect(await count(second.uri)).toBe(0);
    await Promise.all([first.stop(), first.stop(), second.stop()]);
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
  expect(await readdir(dir)).toEqual([]);
});

it('keeps a directory that it is given', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'start-test-'));
  cleanUps.push(() => rm(dataDir, { recursive: true, force: true }));
  const first = await startPocketAtlas({ dataDir });
  await insertOne(first.uri);
  await first.stop();
  const second = await startPocketAtlas({ dataDir });
  cleanUps.push(second.stop);
  expect(await count(second.uri)).toBe(1);
});

it('removes what was in memory also when the program that started it is killed', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'start-test-'));
  cleanUps.push(() => rm(dir, { recursive: true, force: true }));
  const script = `
    const { startPocketAtlas } = await import(${JSON.stringify(new URL('../../../dist/src/pocket-atlas/start.js', import.meta.url).href)});
    console.log((await startPocketAtlas()).uri);
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    env: { ...process.env, TMPDIR: dir },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [uri] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  await insertOne(uri.trim());
  expect(await readdir(dir)).not.toEqual([]);
  child.kill('SIGKILL');
  await expect.poll(() => readdir(dir), { timeout: 20_000, interval: 50 }).toEqual([]);
});

it('says why it cannot start', async () => {
  const running = await startPocketAtlas();
  cleanUps.push(running.stop);
  const port = Number(new URL(running.uri).port);
  await expect(startPocketAtlas({ port })).rejects.toThrow(/EADDRINUSE/);
});

it('can be imported by its package name, with types', async () => {
  const root = new URL('../../../', import.meta.url);
  expect(existsSync(new URL('dist/src/pocket-atlas/start.d.ts', root))).toBe(true);
  const script =
    "import('gazetteer/pocket-atlas').then(({ startPocketAtlas }) => console.log(typeof startPocketAtlas))";
  const output = await new Promise<string>((resolve, reject) => {
    execFile(process.execPath, ['-e', script], { cwd: root }, (error, stdout) =>
      error ? reject(error) : resolve(stdout),
    );
  });
  expect(output.trim()).toBe('function');
});
