import { access, constants, mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** No directory can be had at the place that was named, or none that can be written to. */
export class DirectoryUnusableError extends Error {
  override readonly name = 'DirectoryUnusableError';
}

/**
 * A directory for its owner only, and those above it. Level by level, because Node's recursive `mkdir` never ends where a
 * file system answers ENOENT below a directory that is there, as /proc does.
 *
 * @throws DirectoryUnusableError in a line.
 */
export async function makeDirectory(path: string): Promise<void> {
  const directory = resolve(path);
  try {
    await make(directory);
    await access(directory, constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code, path: at = directory } = error as NodeJS.ErrnoException;
    throw new DirectoryUnusableError(
      `${directory} cannot be a data directory: ${REASONS[code ?? ''] ?? code} (${at})`,
      {
        cause: error,
      },
    );
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EEXIST: 'a file is there',
  ENOTDIR: 'a file stands in its way',
  ENOENT: 'its file system takes no directories',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'its file system is read-only',
  ENOSPC: 'its file system is full',
  ENAMETOOLONG: 'its name is too long',
};

async function make(directory: string): Promise<void> {
  try {
    await mkdir(directory, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (await isDirectory(directory)) return;
    const parent = dirname(directory);
    if (code !== 'ENOENT' || parent === directory || (await isDirectory(parent))) throw error;
    await make(parent);
    // Another process may have made it meanwhile.
    await mkdir(directory, { mode: 0o700 }).catch(async (again: unknown) => {
      if (!(await isDirectory(directory))) throw again;
    });
  }
}

async function isDirectory(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
