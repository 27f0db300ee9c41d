import { CommandError } from '../errors.js';
import { checkFormat, makeDataDirectory } from './data-format.js';
import { lockDirectory } from './directory-lock.js';
import { Environment } from './environment.js';
import { removeExpired } from './expiry.js';
import { type CompileFilter, StorageEngine } from './storage-engine.js';

export interface OpenOptions {
  /** Made when absent, readable by its owner only. */
  readonly dataDir: string;
  /** Nothing waits for the disk: what was acknowledged may be lost when the machine stops. Default: false. */
  readonly ephemeral?: boolean;
  /** Clock, ms since 1970. Default: the system's. */
  readonly now?: () => number;
  /** How long to wait for another server to leave the directory, ms. Default 10 s. */
  readonly lockWaitMs?: number;
  /** Compiles the filters of partial indexes. Default: query/filter.js, loaded when needed. */
  readonly compileFilter?: CompileFilter;
  /** Time between two sweeps of TTL indexes, ms; 0 for none. Default 60 s, as the server. */
  readonly expiryIntervalMs?: number;
  /** Errors of background work that no caller waits for. Default: ignored. */
  readonly onError?: (error: unknown) => void;
}

const EXPIRY_INTERVAL_MS = 60_000;

/**
 * Opens the data directory for this process alone.
 *
 * @throws DirectoryLocked, UnknownFormat, CommandError 1 for a damaged catalogue.
 */
export async function openEngine(options: OpenOptions): Promise<StorageEngine> {
  const { dataDir, now = Date.now, lockWaitMs, compileFilter, onError = () => {} } = options;
  makeDataDirectory(dataDir);
  const lock = await lockDirectory(dataDir, { ...(lockWaitMs !== undefined && { waitMs: lockWaitMs }) });
  let sweeper: NodeJS.Timeout | undefined;
  let environment: Environment | undefined;
  try {
    checkFormat(dataDir);
    environment = Environment.open(dataDir, { ephemeral: options.ephemeral === true });
    const engine = await StorageEngine.open({
      dataDir,
      environment,
      now,
      loadFilterCompiler: compileFilter === undefined ? loadQueryFilter : async () => compileFilter,
      onError,
      onClose: () => {
        clearInterval(sweeper);
        lock.release();
      },
    });
    const { expiryIntervalMs = EXPIRY_INTERVAL_MS } = options;
    if (expiryIntervalMs > 0) {
      sweeper = setInterval(
        oneAtATime(() => removeExpired(engine, new Date(now())), onError),
        expiryIntervalMs,
      ).unref();
    }
    return engine;
  } catch (error) {
    await environment?.close();
    lock.release();
    throw error;
  }
}

/** Skips a turn while the one before is still running. What the engine's closing interrupts is no error. */
function oneAtATime(run: () => Promise<unknown>, onError: (error: unknown) => void): () => void {
  let running = false;
  return () => {
    if (running) return;
    running = true;
    run()
      .catch((error: unknown) => {
        if (!(error instanceof CommandError && error.code === 11600)) onError(error);
      })
      .finally(() => {
        running = false;
      });
  };
}

async function loadQueryFilter(): Promise<CompileFilter> {
  const { compileFilter } = await import('../query/filter.js');
  return (filter) => compileFilter(filter, { now: new Date(0), vars: {} });
}
