#!/usr/bin/env node
import module from 'node:module';
import pino from 'pino';
import { type App, startApp } from './app.js';
import { ConfigError, loadConfig, preferProductionMode } from './config.js';
import { AppError } from './errors.js';

/** The server's process: settings, start, signals. One line on stdout says that it is ready; all else goes to stderr. */
async function main(): Promise<void> {
  preferProductionMode();
  keepCompiledCode();
  const config = loadConfig();
  const logger = pino({ level: config.logLevel, base: null }, pino.destination({ fd: 2, sync: false }));
  const app = await startApp(config, logger);
  stopOnSignals(app);
  process.stdout.write(`Gazetteer ready at ${app.url}\n`);
}

/** From Node 22.1: the next start finds its thousand modules compiled, under the system's temporary folder. */
function keepCompiledCode(): void {
  (module as { enableCompileCache?: () => unknown }).enableCompileCache?.();
}

/** The first signal drains, a second one does not wait. */
function stopOnSignals(app: App): void {
  let stopping = false;
  const stop = async () => {
    if (stopping) process.exit(1);
    stopping = true;
    await app.stop();
    process.exit(0);
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
}

/** What listening, or a look-up of hosts, fails with. `setting` is who chose the port, where that was not PORT. */
type StartError = NodeJS.ErrnoException & { address?: string; port?: number; setting?: string };

/** What an operator can mend, in a line each; null for a bug. */
function mendable(error: unknown): readonly string[] | null {
  if (error instanceof ConfigError) return error.problems;
  if (error instanceof AppError) return error.message.split('\n');
  const { code, name, message, syscall, address, port, setting } = error as StartError;
  if (syscall?.startsWith('query')) return [`MONGODB_URI: its host is not found in the DNS (${message})`];
  switch (code) {
    case 'EADDRINUSE':
      return [
        `Port ${port} on ${address} is in use: stop what listens there, or set ${setting ?? 'PORT (0 picks a free one)'}`,
      ];
    case 'EACCES':
      return [`Port ${port} on ${address} is not open to this user: set ${setting ?? 'PORT'} to one above 1023`];
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return ['HOST: this machine has no such address'];
  }
  if (name === 'DirectoryUnusableError') return [`GAZETTEER_DATA_DIR: ${message}`];
  // Pocket Atlas says what to do; the classes of its start errors stay inside of it.
  if (name === 'PocketAtlasStartError' || name === 'DataDirectoryDamagedError') return message.split('\n');
  return null;
}

try {
  await main();
} catch (error) {
  const lines = mendable(error);
  if (lines === null) throw error;
  process.stderr.write(`Cannot start\n${lines.map((line) => `  ${line}\n`).join('')}`);
  process.exit(1);
}
