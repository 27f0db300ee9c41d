import { unzipSync } from 'fflate';
import { NotExtractable, unreadable } from './extracted-file.js';

/** All parts together, unpacked; more is a bomb, or no text document. */
const MAX_UNPACKED_BYTES = 256 * 1024 * 1024;
/** As many parts as a book of many chapters and notes could have. */
const MAX_PARTS = 10_000;
const MAX_NAME_LENGTH = 1_000;

export type ZipParts = Readonly<Record<string, Uint8Array>>;

export function isZip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && (bytes[2] === 3 || bytes[2] === 5);
}

/**
 * The wanted parts of a ZIP archive. The sizes that the archive declares bound what is unpacked: a part never gets more
 * room than it asked for, and what all ask for is counted first. Throws NotExtractable.
 */
export function zipParts(bytes: Uint8Array, isWanted: (name: string) => boolean): ZipParts {
  let count = 0;
  let total = 0;
  try {
    return unzipSync(bytes, {
      filter({ name, originalSize }) {
        if (++count > MAX_PARTS || name.length > MAX_NAME_LENGTH) throw tooLarge(`more than ${MAX_PARTS} parts`);
        if (!isWanted(name)) return false;
        total += originalSize;
        if (total > MAX_UNPACKED_BYTES) throw tooLarge(`more than ${MAX_UNPACKED_BYTES} bytes`);
        return true;
      },
    });
  } catch (error) {
    throw error instanceof NotExtractable ? error : unreadable('corrupt', error);
  }
}

/** Names only: nothing is unpacked. */
export function zipNames(bytes: Uint8Array): readonly string[] {
  const names: string[] = [];
  zipParts(bytes, (name) => {
    names.push(name);
    return false;
  });
  return names;
}

function tooLarge(what: string): NotExtractable {
  return new NotExtractable('unsafe', `The file unpacks to ${what}, which is not read`);
}
