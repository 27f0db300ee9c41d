import { type ParseArgsConfig, parseArgs } from 'node:util';
import { endWithReader } from './cli/output.js';

/**
 * What this process was started with; null: it asked for `--help`, or for what there is not, and has been told (then the
 * exit code is 2).
 */
export function optionsOrUsage<T extends ParseArgsConfig>(
  config: T,
  usage: string,
): ReturnType<typeof parseArgs<T>> | null {
  endWithReader();
  try {
    const parsed = parseArgs(config);
    if ((parsed.values as { help?: boolean }).help !== true) return parsed;
    console.log(usage);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    process.exitCode = 2;
  }
  return null;
}
