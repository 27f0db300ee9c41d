import { chmod, rm } from 'node:fs/promises';
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
  /** The directory is removed with the server, and nothing waits for the disk. */
  readonly ephemeral?: boolean | undefined;
  /** Chosen by the caller who starts it again and again at the same place; else by `chooseSocketPath`. */
  readonly socketPath?: string | undefined;
  /** TCP on 127.0.0.1 beside the socket; 0 picks a free port. */
  readonly port?: number | undefined;
  readonly searchLagMs?: number | undefined;
  /** Told of errors of background work that no client waits for. */
  readonly onError?: ((error: unknown) => void) | undefined;
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
 * @throws DirectoryLocked when another server holds the directory for 10 s; what LMDB says of damaged files.
 */
export async function servePocketAtlas(options: ServeOptions): Promise<Serving> {
  const { dataDir, onError } = options;
  const clock = options.now === undefined ? {} : { now: options.now };
  /** What has been opened, to be closed in reverse. */
  const opened: (() => Promise<void>)[] = [];
  if (options.ephemeral === true) opened.push(() => rm(dataDir, { recursive: true, force: true }));
  const stop = async (): Promise<void> => {
    for (const close of opened.splice(0).reverse()) await close();
  };
  try {
    let path = options.socketPath;
    if (path === undefined) {
      const chosen = await chooseSocketPath(dataDir);
      opened.push(chosen.remove);
      path = chosen.path;
    }
    const engine = await openEngine({
      dataDir,
      ephemeral: options.ephemeral === true,
      ...clock,
      ...(onError === undefined ? {} : { onError }),
    });
    opened.push(() => engine.close());
    const search = await createSearchManager({
      engine,
      kinds: [createVectorIndexKind(), createTextIndexKind()],
      lagMs: options.searchLagMs ?? DEFAULT_SEARCH_LAG_MS,
      ...clock,
    });
    opened.push(() => search.close());
    const server = createPocketAtlasServer({ engine, search, ...clock });
    opened.push(() => server.close());

    await clearSocketPath(path);
    await server.listen({ path });
    await chmod(path, 0o600);
    const port = options.port === undefined ? undefined : await server.listen({ port: options.port });
    return { uri: port === undefined ? socketUri(path) : tcpUri(port), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
