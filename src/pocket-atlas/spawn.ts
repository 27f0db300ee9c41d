import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { chooseSocketPath, READY_PREFIX } from './address.js';
import { DAMAGED_EXIT_CODE, DataDirectoryDamagedError } from './data-damage.js';

export { DataDirectoryDamagedError };

import { compiledUrl } from './compiled-url.js';

/** A first start builds search indexes from what is there; 10 s of it may be waiting for the directory's lock. */
const READY_MS_MAX = 120_000;
/** Flushing at the end; what takes longer is killed, which loses nothing that was acknowledged. */
const STOP_MS_MAX = 30_000;
const BACKOFF_MS = { first: 100, max: 10_000 };
/** Up for so long, a server counts as healthy again. */
const HEALTHY_MS = 60_000;
const RESTARTS_MAX = 20;
/** Deaths by a signal before it is ready, in a row, until the data directory counts as damaged. */
const DEATHS_AT_START_MAX = 3;
const KEPT_LOG_LINES = 20;

export interface SpawnOptions {
  readonly dataDir: string;
  /** The directory is removed when the process ends, whoever ends it, and nothing waits for the disk. */
  readonly ephemeral?: boolean;
  /** TCP on 127.0.0.1 as well; 0 picks a free port (and keeps it over restarts). */
  readonly port?: number;
  readonly searchLagMs?: number;
  /** Told of every unexpected end; `restarting` false means that it is given up. */
  readonly onExit?: (exit: UnexpectedExit) => void;
  /** Lines that the process writes to its standard error; by default they go to ours. */
  readonly onLog?: (line: string) => void;
}

export interface UnexpectedExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly restarting: boolean;
  /** Why it is given up. */
  readonly error?: Error;
}

export interface SpawnedPocketAtlas {
  readonly uri: string;
  /** Of the process that runs now; it changes with a restart. */
  readonly pid: number;
  /** Flushes and ends it. */
  stop(): Promise<void>;
}

/** The process ended before it was ready, and says why. */
export class PocketAtlasStartError extends Error {
  override readonly name = 'PocketAtlasStartError';
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/**
 * Starts Pocket Atlas as a process of its own, in the same process group, and starts it again after a crash, at the same
 * address. It ends (flushing) with the process that started it, however that ends.
 *
 * @throws PocketAtlasStartError, DataDirectoryDamagedError
 */
export async function spawnPocketAtlas(options: SpawnOptions): Promise<SpawnedPocketAtlas> {
  const socket = await chooseSocketPath(options.dataDir);
  const supervisor = new Supervisor(options, socket.path);
  try {
    await supervisor.start();
  } catch (error) {
    await socket.remove();
    throw error;
  }
  return {
    uri: supervisor.uri,
    get pid() {
      return supervisor.pid;
    },
    stop: async () => {
      await supervisor.stop();
      await socket.remove();
    },
  };
}

class Supervisor {
  uri = '';
  readonly #options: SpawnOptions;
  readonly #socketPath: string;
  #port: number | undefined;
  #child: Child | undefined;
  #stopping: Promise<void> | undefined;
  #restarts = 0;
  #backoff = new AbortController();
  #restarting: Promise<void> | undefined;

  constructor(options: SpawnOptions, socketPath: string) {
    this.#options = options;
    this.#socketPath = socketPath;
    this.#port = options.port;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Tries again while the process dies natively: a crash may have been chance, three in a row are not. */
  async start(): Promise<void> {
    for (let deaths = 1; ; deaths += 1) {
      const started = await this.#startOnce();
      if (started.kind === 'ready') return;
      if (started.kind === 'damaged') throw new DataDirectoryDamagedError(this.#options.dataDir, started.what);
      if (started.kind === 'failed') throw new PocketAtlasStartError(started.message);
      if (deaths >= DEATHS_AT_START_MAX) {
        throw new DataDirectoryDamagedError(
          this.#options.dataDir,
          `the storage engine died ${DEATHS_AT_START_MAX} times (${started.signal})`,
        );
      }
    }
  }

  async stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    await this.#stopping;
  }

  async #stop(): Promise<void> {
    this.#backoff.abort();
    await this.#restarting?.catch(() => {});
    const child = this.#child;
    if (child === undefined) return;
    child.stdin.end();
    await endOf(child, STOP_MS_MAX);
  }

  async #startOnce(): Promise<Started> {
    const child = spawn(
      process.execPath,
      [fileURLToPath(compiledUrl('./main.js', import.meta.url)), ...this.#arguments()],
      {
        stdio: ['pipe', 'pipe', 'pipe'],
      },
    );
    // A child that is gone must not end us when we close its pipe.
    child.stdin.on('error', () => {});
    const started = await readiness(child, this.#options.onLog);
    if (started.kind !== 'ready') return started;
    this.uri = started.uri;
    // The same port again after a crash, so that clients find it.
    if (this.#port !== undefined) this.#port = Number(new URL(started.uri).port);
    this.#child = child;
    const readyAt = Date.now();
    child.once('exit', (code, signal) => this.#ended({ code, signal, aliveMs: Date.now() - readyAt }));
    letGo(child);
    return started;
  }

  #arguments(): string[] {
    const { dataDir, ephemeral, searchLagMs } = this.#options;
    return [
      '--child',
      ...['--data-dir', dataDir, '--socket', this.#socketPath],
      ...(ephemeral === true ? ['--ephemeral'] : []),
      ...(this.#port === undefined ? [] : ['--port', String(this.#port)]),
      ...(searchLagMs === undefined ? [] : ['--search-lag-ms', String(searchLagMs)]),
    ];
  }

  #ended(exit: { code: number | null; signal: NodeJS.Signals | null; aliveMs: number }): void {
    this.#child = undefined;
    if (this.#stopping !== undefined) return;
    if (exit.aliveMs >= HEALTHY_MS) this.#restarts = 0;
    this.#restarting = this.#restart(exit);
  }

  async #restart({ code, signal }: { code: number | null; signal: NodeJS.Signals | null }): Promise<void> {
    const { onExit } = this.#options;
    if (this.#restarts >= RESTARTS_MAX) {
      onExit?.({
        code,
        signal,
        restarting: false,
        error: new PocketAtlasStartError(`Pocket Atlas ended ${RESTARTS_MAX} times in a row`),
      });
      return;
    }
    onExit?.({ code, signal, restarting: true });
    const wait = Math.min(BACKOFF_MS.first * 2 ** this.#restarts, BACKOFF_MS.max);
    this.#restarts += 1;
    try {
      await delay(wait, undefined, { signal: this.#backoff.signal });
      await this.start();
    } catch (error) {
      if (this.#stopping === undefined) onExit?.({ code, signal, restarting: false, error: error as Error });
    }
  }
}

type Started =
  | { readonly kind: 'ready'; readonly uri: string }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'damaged'; readonly what: string }
  | { readonly kind: 'died'; readonly signal: NodeJS.Signals };

function readiness(child: Child, onLog: SpawnOptions['onLog']): Promise<Started> {
  return new Promise((resolve) => {
    const log: string[] = [];
    createInterface({ input: child.stderr }).on('line', (line) => {
      log.push(line);
      if (log.length > KEPT_LOG_LINES) log.shift();
      if (onLog === undefined) process.stderr.write(`${line}\n`);
      else onLog(line);
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), READY_MS_MAX);
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (!line.startsWith(READY_PREFIX)) return;
      clearTimeout(timer);
      resolve({ kind: 'ready', uri: line.slice(READY_PREFIX.length) });
    });
    child.once('error', (error) => resolve({ kind: 'failed', message: error.message }));
    // 'close' comes after the last line of its log.
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      if (signal !== null) resolve({ kind: 'died', signal });
      else if (code === DAMAGED_EXIT_CODE) resolve({ kind: 'damaged', what: log.at(-1) ?? 'it cannot be opened' });
      else
        resolve({
          kind: 'failed',
          message: log.join('\n') || `Pocket Atlas ended with code ${code} before it was ready`,
        });
    });
  });
}

/** Our process may end while it runs: its pipe closes then, and it ends by itself. */
function letGo(child: Child): void {
  child.unref();
  for (const stream of [child.stdin, child.stdout, child.stderr]) (stream as { unref?: () => void }).unref?.();
}

async function endOf(child: Child, within: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const timer = setTimeout(() => child.kill('SIGKILL'), within);
  await new Promise<void>((resolve) => child.once('exit', () => resolve()));
  clearTimeout(timer);
}
