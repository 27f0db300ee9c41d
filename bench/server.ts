import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A server of its own process, started as `npm start` does, and how long it took until its line was printed. */
export interface BenchServer {
  readonly url: string;
  readonly pid: number;
  readonly readyMs: number;
  graphql<T>(query: string, variables?: Record<string, unknown>): Promise<T>;
  stop(): Promise<void>;
}

const MAIN = fileURLToPath(new URL('../src/main.js', import.meta.url));
const START_TIMEOUT_MS = 120_000;

export async function startServer(dataDir: string, env: Record<string, string>): Promise<BenchServer> {
  const start = performance.now();
  const child = spawn(process.execPath, [MAIN], {
    env: { PATH: process.env.PATH, PORT: '0', GAZETTEER_DATA_DIR: dataDir, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    errors = (errors + chunk).slice(-4_000);
  });
  const url = await readyUrl(child, () => errors);
  const readyMs = performance.now() - start;
  return {
    url,
    pid: child.pid!,
    readyMs,
    async graphql<T>(query: string, variables?: Record<string, unknown>) {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables }),
      });
      const { data, errors: failures } = (await response.json()) as { data: T; errors?: { message: string }[] };
      if (failures) throw new Error(failures[0]?.message);
      return data;
    },
    async stop() {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** Resolves with the URL of the ready line; what is printed later is read and dropped, so that the pipe never fills. */
function readyUrl(child: ChildProcess, errors: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    const timer = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT_MS);
    child.stdout!.setEncoding('utf8').on('data', (chunk: string) => {
      if (output.length > 10_000) return;
      output += chunk;
      const url = /Gazetteer ready at (\S+)/.exec(output)?.[1];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve(url);
    });
    child.once('exit', () => {
      clearTimeout(timer);
      reject(new Error(`The server did not start: ${errors()}`));
    });
  });
}
