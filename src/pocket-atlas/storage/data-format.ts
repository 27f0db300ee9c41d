import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { STORE_FILE } from './environment.js';

const FORMAT_FILE = 'FORMAT';
/** Raised when the layout of the file changes in a way that older code would misread. */
export const FORMAT_VERSION = 1;

export class UnknownFormat extends Error {
  override readonly name = 'UnknownFormat';
}

/** Makes the directory, readable by its owner only. */
export function makeDataDirectory(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
}

/**
 * Writes the format version into a new directory and checks it in an old one.
 *
 * @throws UnknownFormat for another version, or for a store without one.
 */
export function checkFormat(dataDir: string): void {
  const path = join(dataDir, FORMAT_FILE);
  const text = readOptional(path);
  if (text === undefined) {
    if (readdirSync(dataDir).includes(STORE_FILE)) {
      throw new UnknownFormat(
        `${dataDir} holds a store but no ${FORMAT_FILE} file: restore that file, or salvage the directory.`,
      );
    }
    writeDurably(dataDir, FORMAT_FILE, `pocket-atlas ${FORMAT_VERSION}\n`);
    return;
  }
  if (text.trim() !== `pocket-atlas ${FORMAT_VERSION}`) {
    throw new UnknownFormat(
      `${path} says "${text.trim().slice(0, 40)}", this version reads "pocket-atlas ${FORMAT_VERSION}": use the version that wrote it.`,
    );
  }
}

function readOptional(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Whole or not at all, also after a power loss: a temporary file, flushed, renamed, and the directory flushed. */
function writeDurably(directory: string, name: string, text: string): void {
  const temporary = join(directory, `${name}.tmp`);
  const file = openSync(temporary, 'w', 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, join(directory, name));
  const handle = openSync(directory, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
