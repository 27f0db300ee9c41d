import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { CliFailure } from './failure.js';

/** How each gzip stream begins (RFC 1952, 2.3.1). */
const GZIP_MAGIC = [0x1f, 0x8b] as const;

export interface ImportSource {
  readonly isGzip: boolean;
  /** Null where nobody knows before the end: a pipe. */
  readonly sizeBytes: number | null;
  readonly chunks: AsyncIterable<Buffer>;
}

/** A file, a pipe, or standard input for `-`: read once, its first bytes ahead of the others. Throws `CliFailure`. */
export async function openImportSource(
  named: string,
  { cwd, stdin }: { readonly cwd: string; readonly stdin: Readable },
): Promise<ImportSource> {
  const path = resolve(cwd, named);
  try {
    const found = named === '-' ? null : await stat(path);
    const bytes = (found === null ? stdin : createReadStream(path))[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    let first = Buffer.alloc(0);
    while (first.length < GZIP_MAGIC.length) {
      const next = await bytes.next();
      if (next.done) break;
      first = Buffer.concat([first, next.value]);
    }
    return {
      isGzip: GZIP_MAGIC.every((byte, at) => first[at] === byte),
      sizeBytes: found?.isFile() ? found.size : null,
      chunks: startingWith(first, bytes),
    };
  } catch (error) {
    throw new CliFailure(`${named}: cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

async function* startingWith(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  if (first.length > 0) yield first;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}
