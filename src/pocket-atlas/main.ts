#!/usr/bin/env node
import module from 'node:module';
import { parseArgs } from 'node:util';
import { READY_PREFIX } from './address.js';
import { DAMAGED_EXIT_CODE, DataDirectoryDamagedError, isDamage } from './data-damage.js';
import type { ServeOptions } from './serve.js';

/**
 * The server as a process: `pocket-atlas --data-dir DIR [--port N]`, or `pocket-atlas salvage --data-dir DIR --to NEW_DIR`,
 * or `pocket-atlas commands` for the documented list.
 * Alone it flushes and stops on SIGINT and SIGTERM. Under a parent (`--child`) it ignores those, since its parent gets
 * them too and still has to finish its work with it: it ends when the pipe on its standard input closes.
 */
const USAGE = `Usage:
  pocket-atlas --data-dir DIR [--port N] [--search-lag-ms N] [--ephemeral]
  pocket-atlas salvage --data-dir DIR --to NEW_DIR
  pocket-atlas commands`;

let underParent = false;
let dataDir = '';

interface Arguments extends ServeOptions {
  readonly child: boolean;
}

async function main(): Promise<void> {
  // From Node 22.1: what is loaded from here on is compiled once and for all.
  (module as { enableCompileCache?: () => unknown }).enableCompileCache?.();
  const [first, ...rest] = process.argv.slice(2);
  if (process.argv.slice(2).some((one) => one === '--help' || one === '-h')) {
    process.stdout.write(`${USAGE}\n`);
    return;
  }
  if (first === 'salvage') return runSalvage(rest);
  if (first === 'commands') {
    const { commandList } = await import('./commands/command-list.js');
    process.stdout.write(commandList());
    return;
  }
  const { child, ...options } = readArguments(process.argv.slice(2));
  underParent = child;
  dataDir = options.dataDir;
  const stopAsked = child ? parentGone() : signalled();
  const { servePocketAtlas } = await import('./serve.js');
  const serving = await servePocketAtlas({ ...options, onError: reportBackgroundError });
  process.stdout.write(`${READY_PREFIX}${serving.uri}\n`);
  await stopAsked;
  await serving.stop();
}

function readArguments(args: string[]): Arguments {
  const { values } = parseArgs({
    args,
    options: {
      child: { type: 'boolean', default: false },
      'data-dir': { type: 'string' },
      ephemeral: { type: 'boolean', default: false },
      port: { type: 'string' },
      'search-lag-ms': { type: 'string' },
      socket: { type: 'string' },
    },
  });
  if (values['data-dir'] === undefined) throw new Error(`--data-dir is missing.\n${USAGE}`);
  return {
    child: values.child,
    dataDir: values['data-dir'],
    ephemeral: values.ephemeral,
    port: wholeNumber('--port', values.port, 65_535),
    searchLagMs: wholeNumber('--search-lag-ms', values['search-lag-ms'], 3_600_000),
    socketPath: values.socket,
  };
}

function wholeNumber(name: string, value: string | undefined, max: number): number | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (value.trim() === '' || !Number.isInteger(number) || number < 0 || number > max) {
    throw new Error(`Expected ${name} to be a whole number from 0 to ${max}, got ${value}`);
  }
  return number;
}

async function runSalvage(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { 'data-dir': { type: 'string' }, to: { type: 'string' } } });
  if (values['data-dir'] === undefined || values.to === undefined)
    throw new Error(`--data-dir or --to is missing.\n${USAGE}`);
  const { salvage } = await import('./storage/salvage.js');
  const report = await salvage({ from: values['data-dir'], to: values.to });
  process.stdout.write(`${JSON.stringify(report)}\n`);
}

function reportBackgroundError(error: unknown): void {
  process.stderr.write(`Pocket Atlas, in the background: ${error instanceof Error ? error.message : String(error)}\n`);
}

function signalled(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
}

function parentGone(): Promise<void> {
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => {});
  return new Promise((resolve) => {
    process.stdin.on('end', () => resolve());
    process.stdin.on('close', () => resolve());
    process.stdin.on('error', () => resolve());
    process.stdin.resume();
  });
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${explain(error)}\n`);
    process.exit(isDamage(error) ? DAMAGED_EXIT_CODE : 1);
  },
);

function explain(error: unknown): string {
  // A parent says it in its own words.
  if (isDamage(error))
    return underParent ? error.message : new DataDirectoryDamagedError(dataDir, error.message).message;
  return `Pocket Atlas could not go on: ${error instanceof Error ? error.message : String(error)}`;
}
