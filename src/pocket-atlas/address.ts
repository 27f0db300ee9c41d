import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { makeDirectory } from './make-directory.js';

/** What the process prints once it can be connected to, before the URI. */
export const READY_PREFIX = 'Pocket Atlas ready at ';

export const SOCKET_NAME = 'pocket.sock';
/** Longer socket paths are cut off without a word by the system calls below Node. */
const PATH_BYTES_MAX = 100;

export interface SocketPath {
  readonly path: string;
  /** Removes what was made for it outside of the data directory. */
  readonly remove: () => Promise<void>;
}

/**
 * In the data directory (made when missing, for its owner only) where the path fits, else in a fresh directory of its own.
 * Throws `DirectoryUnusableError`.
 */
export async function chooseSocketPath(dataDir: string): Promise<SocketPath> {
  await makeDirectory(dataDir);
  const path = join(resolve(dataDir), SOCKET_NAME);
  if (Buffer.byteLength(path) <= PATH_BYTES_MAX) return { path, remove: async () => {} };
  const directory = await mkdtemp(join(tmpdir(), 'pocket-atlas-'));
  await chmod(directory, 0o700);
  return { path: join(directory, SOCKET_NAME), remove: () => rm(directory, { recursive: true, force: true }) };
}

/** Sockets outlive a killed server as files; whoever holds the lock of the data directory may take the place. */
export async function clearSocketPath(path: string): Promise<void> {
  await makeDirectory(dirname(path));
  await rm(path, { force: true });
}

/** What a driver connects to. */
export function socketUri(path: string): string {
  return `mongodb://${encodeURIComponent(path)}/?directConnection=true`;
}

export function tcpUri(port: number): string {
  return `mongodb://127.0.0.1:${port}/?directConnection=true`;
}
