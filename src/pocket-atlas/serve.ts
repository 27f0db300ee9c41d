import { chmod } from 'node:fs/promises';
import { chooseSocketPath, clearSocketPath, socketUri, tcpUri } from './address.js';
import { createSearchManager } from './search/manager.js';
import { createTextIndexKind } from './search/text/text-index-kind.js';
import { createVectorIndexKind } from './search/vector/vector-index.js';
import { createPocketAtlasServer } from './server.js';
import { openEngine } from './storage/open-engine.js';

/** Age in ms at which a commit reaches the search indexes. */
export const DEFAULT_SEARCH_LAG_MS = 0;

export interface ServeOptions {
  readonly dataDir: string;
  /** Chosen by the caller who starts it again and again at the same place; else by `chooseSocketPath`. */
  readonly socketPath?: string | undefined;
  /** TCP on 127.0.0.1 beside the socket; 0 picks a free port. */
  readonly port?: number | undefined;
  readonly searchLagMs?: number | undefined;
  /** ms since 1970. */
  readonly now?: () => number;
}

export interface Serving {
  /** TCP when a port was asked for, else the Unix socket. */
  readonly uri: string;
  /** Ends connections, then flushes and closes. */
  readonly stop: () => Promise<void>;
}

/**
 * Joins storage, search and the wire protocol in this process.
 *
 * @throws DirectoryLocked when another server holds the directory for 10 s.
 */
export async function servePocketAtlas(options: ServeOptions): Promise<Serving> {
  const socket =
    options.socketPath === undefined
      ? await chooseSocketPath(options.dataDir)
      : { path: options.socketPath, remove: async () => {} };
  const engine = await openEngine({ dataDir: options.dataDir });
  const search = await createSearchManager({
    engine,
    kinds: [createVectorIndexKind(), createTextIndexKind()],
    lagMs: options.searchLagMs ?? DEFAULT_SEARCH_LAG_MS,
    ...(options.now === undefined ? {} : { now: options.now }),
  });
  const server = createPocketAtlasServer({
    engine,
    search,
    ...(options.now === undefined ? {} : { now: options.now }),
  });
  const stop = async (): Promise<void> => {
    await server.close();
    await search.close();
    await engine.close();
    await socket.remove();
  };
  try {
    await clearSocketPath(socket.path);
    await server.listen({ path: socket.path });
    await chmod(socket.path, 0o600);
    const port = options.port === undefined ? undefined : await server.listen({ port: options.port });
    return { uri: port === undefined ? socketUri(socket.path) : tcpUri(port), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
