import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, statSync, truncateSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MongoClient } from 'mongodb';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { compiledUrl } from '../../../src/pocket-atlas/compiled-url.js';
import {
  DataDirectoryDamagedError,
  PocketAtlasStartError,
  type SpawnedPocketAtlas,
  spawnPocketAtlas,
} from '../../../src/pocket-atlas/spawn.js';

const MAIN = fileURLToPath(compiledUrl('main.js', new URL('../../../src/pocket-atlas/spawn.ts', import.meta.url).href));

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const work of cleanUp.splice(0).reverse()) await work();
});

async function directory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'pa-'));
  cleanUp.push(() => rm(path, { recursive: true, force: true }));
  return path;
}

async function start(
  dataDir: string,
  options: Partial<Parameters<typeof spawnPocketAtlas>[0]> = {},
): Promise<SpawnedPocketAtlas> {
  const server = await spawnPocketAtlas({ dataDir, ...options });
  cleanUp.push(() => server.stop());
  return server;
}

async function connect(uri: string): Promise<MongoClient> {
  const client = await new MongoClient(uri, { serverSelectionTimeoutMS: 10_000 }).connect();
  cleanUp.push(() => client.close());
  return client;
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function gone(pid: number): Promise<void> {
  return vi.waitFor(() => expect(alive(pid)).toBe(false), { timeout: 10_000, interval: 20 });
}

function socketOf(uri: string): string {
  return decodeURIComponent(uri.slice('mongodb://'.length, uri.indexOf('/?')));
}

describe('a spawned Pocket Atlas', () => {
  it('listens on a socket in its data directory, which only its owner may enter', async () => {
    const dataDir = join(await directory(), 'data');
    const { uri } = await start(dataDir);
    expect(socketOf(uri)).toBe(join(dataDir, 'pocket.sock'));
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
    expect(statSync(socketOf(uri)).mode & 0o777).toBe(0o600);
  });

  it('takes a directory of its own for a socket whose path would be cut off, and removes it', async () => {
    const dataDir = join(await directory(), 'd'.repeat(90));
    const server = await spawnPocketAtlas({ dataDir });
    const socket = socketOf(server.uri);
    expect(Buffer.byteLength(socket)).toBeLessThanOrEqual(100);
    expect(statSync(dirname(socket)).mode & 0o777).toBe(0o700);
    await (await connect(server.uri)).db('admin').command({ ping: 1 });
    await server.stop();
    expect(existsSync(dirname(socket))).toBe(false);
  });

  it('is started again at the same address after it was killed, with everything acknowledged', async () => {
    const exits: unknown[] = [];
    const server = await start(await directory(), { port: 0, onExit: (exit) => exits.push(exit) });
    const client = await connect(server.uri);
    const collection = client.db('test').collection<{ _id: number }>('kept');
    await collection.insertMany([{ _id: 1 }, { _id: 2 }]);
    const before = server.pid;
    process.kill(before, 'SIGKILL');
    await vi.waitFor(() => expect(server.pid).not.toSatisfy((pid: number) => pid === before || pid === 0), {
      timeout: 20_000,
    });
    expect(await collection.find().sort({ _id: 1 }).toArray()).toEqual([{ _id: 1 }, { _id: 2 }]);
    expect(exits).toEqual([{ code: null, signal: 'SIGKILL', restarting: true }]);
  });

  it('outlives SIGINT and SIGTERM while its parent lives', async () => {
    const server = await start(await directory());
    const client = await connect(server.uri);
    process.kill(server.pid, 'SIGTERM');
    process.kill(server.pid, 'SIGINT');
    await client.db('admin').command({ ping: 1 });
    expect(alive(server.pid)).toBe(true);
  });

  it('ends with a parent that is killed, and its directory can be opened at once', async () => {
    const dataDir = await directory();
    const script = `
      import { spawnPocketAtlas } from ${JSON.stringify(compiledSpawn())};
      const { uri, pid } = await spawnPocketAtlas({ dataDir: ${JSON.stringify(dataDir)} });
      process.stdout.write(JSON.stringify({ uri, pid }) + '\\n');
      setInterval(() => {}, 1000);`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    cleanUp.push(async () => parent.kill('SIGKILL'));
    const { pid, uri } = JSON.parse(await firstLine(parent)) as { pid: number; uri: string };
    const client = await new MongoClient(uri).connect();
    await client
      .db('test')
      .collection('kept')
      .insertOne({ _id: 'written' as never });
    await client.close();
    parent.kill('SIGKILL');
    await gone(pid);
    const next = await start(dataDir);
    expect(await (await connect(next.uri)).db('test').collection('kept').countDocuments()).toBe(1);
  });

  it('refuses a directory that another server holds, and says which', async () => {
    const dataDir = await directory();
    await start(dataDir);
    const log: string[] = [];
    await expect(spawnPocketAtlas({ dataDir, onLog: (line) => log.push(line) })).rejects.toThrow(PocketAtlasStartError);
    expect(log.join('\n')).toContain(dataDir);
  });

  it('lets a process end that forgot to stop it', async () => {
    const dataDir = await directory();
    const script = `
      import { spawnPocketAtlas } from ${JSON.stringify(compiledSpawn())};
      const { pid } = await spawnPocketAtlas({ dataDir: ${JSON.stringify(dataDir)} });
      process.stdout.write(pid + '\\n');`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const pid = Number(await firstLine(parent));
    await new Promise((resolve) => parent.once('exit', resolve));
    await gone(pid);
  });
});

describe('a damaged data directory', () => {
  async function stored(): Promise<string> {
    const dataDir = await directory();
    const server = await spawnPocketAtlas({ dataDir });
    const client = await new MongoClient(server.uri).connect();
    const documents = Array.from({ length: 2_000 }, (_, i) => ({ i, text: 'x'.repeat(500) }));
    await client.db('test').collection('kept').insertMany(documents);
    await client.close();
    await server.stop();
    return dataDir;
  }

  it.each([
    ['cut short, so that the engine dies', (file: string) => truncateSync(file, 8_192)],
    ['overwritten, so that the engine refuses', overwriteLeaves],
  ])('is reported with what to do: %s', async (_what, damage) => {
    const dataDir = await stored();
    damage(join(dataDir, 'store.mdb'));
    const start = spawnPocketAtlas({ dataDir, onLog: () => {} });
    await expect(start).rejects.toThrow(DataDirectoryDamagedError);
    await expect(start).rejects.toThrow(`pocket-atlas salvage --data-dir ${dataDir}`);
  });

  it('can be salvaged by the command that the report names', async () => {
    const dataDir = await stored();
    const to = join(await directory(), 'new');
    const report = spawnSync(process.execPath, [MAIN, 'salvage', '--data-dir', dataDir, '--to', to], {
      encoding: 'utf8',
    });
    expect(report).toMatchObject({ status: 0, stderr: '' });
    expect(JSON.parse(report.stdout)).toMatchObject({ records: 2_000, damaged: 0, complete: true });
    const client = await connect((await start(to)).uri);
    expect(await client.db('test').collection('kept').countDocuments({ text: /^x/ })).toBe(2_000);
  });
});

/** Every page behind the first four, whose places the root names. */
function overwriteLeaves(file: string): void {
  const size = statSync(file).size;
  const descriptor = openSync(file, 'r+');
  for (let at = 16_384; at < size; at += 4_096) writeSync(descriptor, Buffer.alloc(4_096, 0x6e), 0, 4_096, at);
  closeSync(descriptor);
}

describe('the process alone', () => {
  async function alone(...args: string[]): Promise<{ child: ChildProcess; uri: string }> {
    const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    cleanUp.push(async () => child.kill('SIGKILL'));
    const line = await firstLine(child);
    expect(line).toMatch(/^Pocket Atlas ready at mongodb:\/\//);
    return { child, uri: line.slice('Pocket Atlas ready at '.length) };
  }

  it.each(['SIGINT', 'SIGTERM'] as const)('flushes and ends with code 0 on %s', async (signal) => {
    const dataDir = await directory();
    const { child, uri } = await alone('--data-dir', dataDir, '--port', '0');
    expect(uri).toMatch(/^mongodb:\/\/127\.0\.0\.1:\d+\/\?directConnection=true$/);
    const client = await new MongoClient(uri).connect();
    await client.db('test').collection('kept').insertOne({ x: 1 });
    const exited = new Promise((resolve) => child.once('exit', (code) => resolve(code)));
    child.kill(signal);
    expect(await exited).toBe(0);
    await client.close();
  });

  it('answers the writes that run when it is told to stop, and keeps what it acknowledged', async () => {
    const dataDir = await directory();
    const { child, uri } = await alone('--data-dir', dataDir, '--port', '0');
    const client = await new MongoClient(uri, { serverSelectionTimeoutMS: 200, retryWrites: false }).connect();
    const collection = client.db('test').collection<{ _id: number }>('kept');
    const acknowledged: number[] = [];
    let isStopping = false;
    const writer = async (lane: number): Promise<void> => {
      for (let i = 0; ; i += 1) {
        const _id = lane * 1_000_000 + i;
        try {
          await collection.insertOne({ _id });
        } catch {
          return;
        }
        acknowledged.push(_id);
        if (acknowledged.length >= 20 && !isStopping) {
          isStopping = true;
          child.kill('SIGTERM');
        }
      }
    };
    const exited = new Promise((resolve) => child.once('exit', (code) => resolve(code)));
    await Promise.all([0, 1, 2, 3].map(writer));
    expect(await exited).toBe(0);
    await client.close();
    const next = await connect((await start(dataDir)).uri);
    const kept = (await next.db('test').collection('kept').find().toArray()).map(({ _id }) => _id as unknown as number);
    expect(acknowledged.filter((_id) => !kept.includes(_id))).toEqual([]);
  });

  it('prints its usage for --help, and that is all', () => {
    for (const args of [['--help'], ['-h'], ['salvage', '--help']]) {
      const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8' });
      expect([status, stderr]).toEqual([0, '']);
      expect(stdout).toMatch(/^Usage:\n {2}pocket-atlas --data-dir DIR/);
    }
  });

  it('says what is wrong with its arguments and ends with code 1', async () => {
    for (const args of [[], ['--data-dir', '/tmp/x', '--port', '70000'], ['--data-dir', '/tmp/x', '--unknown']]) {
      const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
      let text = '';
      child.stderr.on('data', (chunk) => {
        text += chunk;
      });
      const code = await new Promise((resolve) => child.once('close', resolve));
      expect(code).toBe(1);
      expect(text).toMatch(/--data-dir|--port|--unknown/);
      expect(text.split('\n').length).toBeLessThan(8);
    }
  });

  it('is found by a driver as the replica set rs0 over TCP', async () => {
    const { uri } = await alone('--data-dir', await directory(), '--port', '0');
    const client = await connect(uri.replace('directConnection=true', 'replicaSet=rs0'));
    expect((await client.db('admin').command({ hello: 1 })).setName).toBe('rs0');
    const other = new MongoClient(uri.replace('directConnection=true', 'replicaSet=other'), {
      serverSelectionTimeoutMS: 500,
    });
    await expect(other.connect()).rejects.toThrow();
    await other.close();
  });
});

function compiledSpawn(): string {
  return join(dirname(MAIN), 'spawn.js');
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout!.on('data', (chunk) => {
      text += chunk;
      const end = text.indexOf('\n');
      if (end >= 0) resolve(text.slice(0, end));
    });
    child.once('exit', (code, signal) => reject(new Error(`ended (${code ?? signal}) before its first line`)));
  });
}
