import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { compiledUrl } from '../../../src/pocket-atlas/compiled-url.js';
import { DirectoryLocked, lockDirectory } from '../../../src/pocket-atlas/storage/directory-lock.js';
import { openEngine } from '../../../src/pocket-atlas/storage/open-engine.js';
import { openForTest } from './open-for-test.js';
import { temporaryDirectory } from './temporary-directory.js';

/** A process that holds the directory until it is killed. */
async function holdingProcess(dataDir: string) {
  const lockUrl = new URL('../../../src/pocket-atlas/storage/directory-lock.ts', import.meta.url).href;
  const moduleUrl = compiledUrl('./directory-lock.js', lockUrl).href;
  const program = `
    const { lockDirectory } = await import(${JSON.stringify(moduleUrl)});
    await lockDirectory(${JSON.stringify(dataDir)});
    process.stdout.write('held');
    setInterval(() => {}, 1000);
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child;
}

describe('the lock of a data directory', () => {
  it('is refused to a second engine, and free once the first is closed', async () => {
    const dataDir = temporaryDirectory();
    const engine = await openForTest({ dataDir });
    await expect(openEngine({ dataDir, lockWaitMs: 60 })).rejects.toThrow(DirectoryLocked);
    await engine.close();
    await openForTest({ dataDir, lockWaitMs: 0 });
  });

  it('is waited for', async () => {
    const dataDir = temporaryDirectory();
    const first = await lockDirectory(dataDir);
    const second = lockDirectory(dataDir, { waitMs: 5000 });
    first.release();
    (await second).release();
  });

  it('held by another process is refused, and free at once when that is killed', async () => {
    const dataDir = temporaryDirectory();
    const holder = await holdingProcess(dataDir);
    await expect(lockDirectory(dataDir, { waitMs: 60 })).rejects.toThrow('in use by another Pocket Atlas');
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    (await lockDirectory(dataDir, { waitMs: 0 })).release();
  });

  it('is of that directory only', async () => {
    const locks = [await lockDirectory(temporaryDirectory()), await lockDirectory(temporaryDirectory(), { waitMs: 0 })];
    for (const lock of locks) lock.release();
  });
});

describe('the format version', () => {
  it('of another version is refused, naming both', async () => {
    const dataDir = temporaryDirectory();
    await (await openForTest({ dataDir })).close();
    const path = join(dataDir, 'FORMAT');
    expect(readFileSync(path, 'utf8')).toBe('pocket-atlas 1\n');
    writeFileSync(path, 'pocket-atlas 7\n');
    await expect(openEngine({ dataDir })).rejects.toThrow(/says "pocket-atlas 7", this version reads "pocket-atlas 1"/);
    // The refusal gave the lock back.
    writeFileSync(path, 'pocket-atlas 1\n');
    await openForTest({ dataDir, lockWaitMs: 0 });
  });

  it('missing beside a store is refused', async () => {
    const dataDir = temporaryDirectory();
    writeFileSync(join(dataDir, 'store.mdb'), 'x');
    await expect(openEngine({ dataDir })).rejects.toThrow('holds a store but no FORMAT file');
  });
});
