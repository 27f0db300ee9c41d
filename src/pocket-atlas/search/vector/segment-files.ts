import { closeSync, openSync, readSync } from 'node:fs';
import { type FileHandle, open, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { DamagedIndex } from './damaged-index.js';

/**
 * Files of a sealed segment. Each is written once, under a temporary name, synced, renamed, and never changed: a name without
 * `.tmp` means a complete file. What the manifest knows of it (length, CRC-32) is checked before it is used.
 */
export interface FileMark {
  readonly length: number;
  readonly crc: number;
}

export const SEGMENT_FILES = ['columns', 'codes', 'vectors', 'graph'] as const;
export type SegmentFile = (typeof SEGMENT_FILES)[number];
export const TEMPORARY = '.tmp';

export function segmentPath(directory: string, segmentId: string, file: SegmentFile): string {
  return join(directory, `${segmentId}.${file}`);
}

/** Bytes per read or write of a long file: little enough to let other work in between. */
const CHUNK_BYTES = 1 << 20;

/** Writes chunk after chunk, then makes the file durable under its name. */
export async function writeFileDurably(
  path: string,
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<FileMark> {
  const handle = await open(path + TEMPORARY, 'w');
  let length = 0;
  let crc = 0;
  try {
    for await (const chunk of chunks) {
      for (let from = 0; from < chunk.length; ) {
        const { bytesWritten } = await handle.write(chunk, from, Math.min(CHUNK_BYTES, chunk.length - from));
        crc = crc32(chunk.subarray(from, from + bytesWritten), crc);
        from += bytesWritten;
      }
      length += chunk.length;
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(path + TEMPORARY, path);
  return { length, crc };
}

/** Makes renames in a directory durable. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Syncs a file that another library wrote, marks it, and gives it its name. */
export async function adoptFile(path: string): Promise<FileMark> {
  const handle = await open(path + TEMPORARY, 'r+');
  let mark: FileMark;
  try {
    await handle.sync();
    mark = await markOf(handle);
  } finally {
    await handle.close();
  }
  await rename(path + TEMPORARY, path);
  await syncDirectory(dirname(path));
  return mark;
}

/** The whole file, in memory of its own. @throws DamagedIndex */
export async function readVerified(path: string, mark: FileMark): Promise<ArrayBuffer> {
  const bytes = new Uint8Array(mark.length);
  await verified(path, mark, (chunk, at) => bytes.set(chunk, at));
  return bytes.buffer;
}

/** Reads the file once, chunk by chunk, and compares length and checksum. @throws DamagedIndex */
export async function verified(
  path: string,
  mark: FileMark,
  visit: (chunk: Uint8Array, at: number) => void = () => {},
): Promise<void> {
  const handle = await openExisting(path);
  try {
    if ((await handle.stat()).size !== mark.length) throw new DamagedIndex(`${path} has another length than it had`);
    const found = await markOf(handle, visit);
    if (found.crc !== mark.crc) throw new DamagedIndex(`${path} does not match its checksum`);
  } finally {
    await handle.close();
  }
}

async function markOf(
  handle: FileHandle,
  visit: (chunk: Uint8Array, at: number) => void = () => {},
): Promise<FileMark> {
  const buffer = new Uint8Array(CHUNK_BYTES);
  let crc = 0;
  for (let length = 0; ; ) {
    const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, length);
    if (bytesRead === 0) return { length, crc };
    const chunk = buffer.subarray(0, bytesRead);
    crc = crc32(chunk, crc);
    visit(chunk, length);
    length += bytesRead;
  }
}

async function openExisting(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') throw new DamagedIndex(`${path} is missing`);
    throw cause;
  }
}

/**
 * Float32 vectors in a file, read one at a time where they are needed: they stay in the page cache and out of the process.
 * Each has its own checksum, so opening need not read them all.
 */
export class VectorFile {
  readonly #file: number;
  readonly #path: string;
  readonly #checksums: Uint32Array;
  readonly #vector: Float32Array<ArrayBuffer>;
  readonly #bytes: Buffer;

  private constructor(path: string, file: number, dimensions: number, checksums: Uint32Array) {
    this.#path = path;
    this.#file = file;
    this.#checksums = checksums;
    this.#vector = new Float32Array(dimensions);
    this.#bytes = Buffer.from(this.#vector.buffer);
  }

  static async open(path: string, dimensions: number, checksums: Uint32Array): Promise<VectorFile> {
    const { size } = await stat(path).catch(() => ({ size: -1 }));
    const expected = checksums.length * dimensions * Float32Array.BYTES_PER_ELEMENT;
    if (size !== expected) throw new DamagedIndex(`${path} has ${size} bytes instead of ${expected}`);
    return new VectorFile(path, openSync(path, 'r'), dimensions, checksums);
  }

  /** The vector of a row, valid until the next read. @throws DamagedIndex */
  read(row: number): Float32Array {
    const bytes = this.#bytes;
    const got = readSync(this.#file, bytes, 0, bytes.length, row * bytes.length);
    if (got !== bytes.length || crc32(bytes) !== this.#checksums[row]) {
      throw new DamagedIndex(`vector ${row} of ${this.#path} does not match its checksum`);
    }
    return this.#vector;
  }

  close(): void {
    closeSync(this.#file);
  }
}
