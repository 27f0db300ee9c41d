import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

const MAIN = fileURLToPath(new URL('../../dist/src/main.js', import.meta.url));

export interface KillableServer {
  /** Starts it in a directory, with nothing in its environment but this; resolves with its URL. */
  start(directory: string, env: Readonly<Record<string, string>>): Promise<string>;
  /** `kill -9`, where it runs. */
  kill(): Promise<void>;
}

/** A whole server as a process, to be killed and started again. */
export function killableServer(): KillableServer {
  let running: ChildProcess | null = null;
  return {
    async start(directory, env) {
      const child = spawn(process.execPath, [MAIN], {
        cwd: directory,
        env: { PATH: process.env.PATH, PORT: '0', GAZETTEER_LOG_LEVEL: 'silent', ...env },
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      running = child;
      let out = '';
      child.stdout.on('data', (part) => {
        out += part;
      });
      await expect.poll(() => out, { timeout: 50_000 }).toMatch(/ready at/);
      return /http:\S+/.exec(out)![0];
    },
    async kill() {
      if (running === null || running.exitCode !== null || running.signalCode !== null) return;
      const exited = once(running, 'exit');
      running.kill('SIGKILL');
      await exited;
    },
  };
}
