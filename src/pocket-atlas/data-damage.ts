import { CommandError } from './errors.js';

/** Exit code of the process when its data directory is damaged. */
export const DAMAGED_EXIT_CODE = 4;

/** The engine dies, or refuses, as soon as it opens the files. `what` says which. */
export class DataDirectoryDamagedError extends Error {
  override readonly name = 'DataDirectoryDamagedError';

  constructor(dataDir: string, what: string) {
    super(
      `Data directory damaged: ${what}, opening ${dataDir}. ` +
        `Copy what can be read with: pocket-atlas salvage --data-dir ${dataDir} --to NEW_DIRECTORY`,
    );
  }
}

/** What LMDB finds wrong with its file, and a checksum that does not match; other errors say nothing about the files. */
export function isDamage(error: unknown): error is Error {
  if (error instanceof CommandError) return error.code === 1;
  return error instanceof Error && /MDB_(CORRUPTED|INVALID|PAGE_NOTFOUND|PANIC)/.test(error.message);
}
