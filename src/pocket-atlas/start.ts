import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDirectoryDamagedError, PocketAtlasStartError, spawnPocketAtlas } from './spawn.js';

export { DataDirectoryDamagedError, PocketAtlasStartError };

/** Pocket Atlas for other people's programs and tests: `import { startPocketAtlas } from 'gazetteer/pocket-atlas'`. */
export interface PocketAtlasOptions {
  /** Where the data lies, made when absent. Left out: in memory, gone with the server. */
  readonly dataDir?: string;
  /** On 127.0.0.1. Default: a free one. */
  readonly port?: number;
  /** Milliseconds until a write reaches the search indexes, to catch callers who forget to wait. Default: none. */
  readonly searchLagMs?: number;
}

export interface PocketAtlas {
  /** For any MongoDB driver. */
  readonly uri: string;
  /** Ends it; with a `dataDir`, everything is on disk by then. May be called twice. */
  stop(): Promise<void>;
}

/**
 * Starts the server as a process of its own, which ends with yours. In memory means: files in the system's temporary
 * folder that no write waits for, and that the server removes when it ends, also after `kill -9` of your process.
 *
 * @throws PocketAtlasStartError when it cannot start (another server holds the directory for 10 s; the port is taken),
 *   DataDirectoryDamagedError when its files cannot be read.
 */
export async function startPocketAtlas(options: PocketAtlasOptions = {}): Promise<PocketAtlas> {
  const { dataDir, port = 0, searchLagMs } = options;
  const directory = dataDir ?? (await mkdtemp(join(tmpdir(), 'pocket-atlas-')));
  const remove = async (): Promise<void> => {
    if (dataDir === undefined) await rm(directory, { recursive: true, force: true });
  };
  try {
    const server = await spawnPocketAtlas({
      dataDir: directory,
      ephemeral: dataDir === undefined,
      port,
      ...(searchLagMs !== undefined && { searchLagMs }),
    });
    let stopping: Promise<void> | undefined;
    return {
      uri: server.uri,
      stop: () => {
        stopping ??= server.stop().then(remove);
        return stopping;
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}
