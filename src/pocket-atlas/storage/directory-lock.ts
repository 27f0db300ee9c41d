import { spawn } from 'node:child_process';
import { closeSync, constants, openSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * One server per data directory. Every kind of lock here is the kernel's and ends with its holder, however that ends, so
 * that a start after `kill -9` succeeds at once and nothing has to be cleaned up:
 * - Linux: a listening Unix socket in the abstract namespace, named by the directory's device and inode; and, where the
 *   `flock` command exists, flock(2) on a file. The command locks a descriptor that it inherits from us: the lock belongs
 *   to the open file, which stays open here. The socket alone would not be seen from another container on the same volume.
 * - macOS and BSD: flock(2) by `open` itself (O_EXLOCK).
 */
export interface DirectoryLock {
  release(): void;
}

export const LOCK_FILE = 'lock';
const WAIT_MS = 10_000;
const RETRY_MS = 50;

export class DirectoryLocked extends Error {
  constructor(dataDir: string) {
    super(
      `The data directory ${dataDir} is in use by another Pocket Atlas. Stop that one, or give this one its own directory.`,
    );
    this.name = 'DirectoryLocked';
  }
}

/**
 * Waits for the lock of an existing directory.
 *
 * @throws DirectoryLocked when another holds it for `waitMs` (10 s).
 */
export async function lockDirectory(
  dataDir: string,
  options: { waitMs?: number; platform?: NodeJS.Platform } = {},
): Promise<DirectoryLock> {
  const { waitMs = WAIT_MS, platform = process.platform } = options;
  const deadline = Date.now() + waitMs;
  for (;;) {
    const lock = await tryLock(dataDir, platform);
    if (lock !== undefined) return lock;
    if (Date.now() >= deadline) throw new DirectoryLocked(dataDir);
    await delay(RETRY_MS);
  }
}

async function tryLock(dataDir: string, platform: NodeJS.Platform): Promise<DirectoryLock | undefined> {
  if (platform === 'darwin' || platform.endsWith('bsd')) return exclusiveOpen(dataDir);
  if (platform === 'win32') return refuseWindows(dataDir);
  const held: DirectoryLock[] = [];
  for (const take of [abstractSocket, flock]) {
    const lock = await take(dataDir);
    if (typeof lock === 'object') held.push(lock);
    else if (lock === 'held') {
      releaseAll(held);
      return undefined;
    }
  }
  if (held.length === 0) throw new Error(`${dataDir} cannot be locked here: install the flock command (util-linux)`);
  return { release: () => releaseAll(held) };
}

function releaseAll(locks: readonly DirectoryLock[]): void {
  for (const lock of locks) lock.release();
}

type Taken = DirectoryLock | 'held' | 'unavailable';

/** Listening on a name of the abstract namespace is exclusive, and the name goes with the listener. */
async function abstractSocket(dataDir: string): Promise<Taken> {
  const { dev, ino } = statSync(dataDir, { bigint: true });
  const server = createServer((socket) => socket.destroy());
  server.unref();
  const refused = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    server.once('error', resolve);
    server.listen({ path: `\0pocket-atlas-${dev}-${ino}` }, () => resolve(undefined));
  });
  if (refused === undefined) return { release: () => void server.close() };
  return refused.code === 'EADDRINUSE' ? 'held' : 'unavailable';
}

/** The command's answer when another holds the lock; others mean that it cannot lock here (some network mounts). */
const FLOCK_HELD = 1;

async function flock(dataDir: string): Promise<Taken> {
  const descriptor = openSync(join(dataDir, LOCK_FILE), 'a', 0o600);
  const command = spawn('flock', ['-n', '3'], { stdio: ['ignore', 'ignore', 'ignore', descriptor] });
  const status = await new Promise<number | null>((resolve) => {
    command.once('error', () => resolve(null));
    command.once('exit', resolve);
  });
  if (status === 0) return { release: () => closeSync(descriptor) };
  closeSync(descriptor);
  return status === FLOCK_HELD ? 'held' : 'unavailable';
}

/** open(2) of macOS and BSD takes the lock in the same call. Values from <fcntl.h>. */
const O_EXLOCK = 0x20;

function exclusiveOpen(dataDir: string): DirectoryLock | undefined {
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_NONBLOCK | O_EXLOCK;
  try {
    const descriptor = openSync(join(dataDir, LOCK_FILE), flags, 0o600);
    return { release: () => closeSync(descriptor) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return undefined;
    throw error;
  }
}

function refuseWindows(dataDir: string): never {
  throw new Error(`Pocket Atlas cannot lock ${dataDir} on Windows: set MONGODB_URI to use a MongoDB server instead.`);
}
