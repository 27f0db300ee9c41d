import type { FileHandle } from 'node:fs/promises';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Smaller files stay in memory; larger ones wait on disk for their turn, however many are on their way. */
export const MEMORY_BYTES = 256 * 1024;

/** A file that has arrived whole. */
export interface SpooledFile {
  readonly sizeBytes: number;
  read(): Promise<Buffer>;
  /** Gives back what it takes. */
  dispose(): Promise<void>;
}

/** More bytes came than are allowed. */
export class FileTooLarge extends Error {
  constructor() {
    super('The file is too large');
    this.name = 'FileTooLarge';
  }
}

/** Takes in a file of at most `maxBytes`. Throws `FileTooLarge`, and what the source throws; nothing is left then. */
export async function spool(
  source: AsyncIterable<Uint8Array>,
  maxBytes: number,
  memoryBytes = MEMORY_BYTES,
): Promise<SpooledFile> {
  const inMemory: Uint8Array[] = [];
  let sizeBytes = 0;
  let file: FileHandle | null = null;
  try {
    for await (const chunk of source) {
      sizeBytes += chunk.byteLength;
      if (sizeBytes > maxBytes) throw new FileTooLarge();
      if (file === null && sizeBytes <= memoryBytes) {
        inMemory.push(chunk);
        continue;
      }
      if (file === null) {
        file = await openNameless();
        for (const earlier of inMemory.splice(0)) await file.appendFile(earlier);
      }
      await file.appendFile(chunk);
    }
  } catch (error) {
    await file?.close();
    throw error;
  }
  const handle = file;
  return {
    sizeBytes,
    async read() {
      if (handle === null) return Buffer.concat(inMemory);
      const bytes = Buffer.allocUnsafe(sizeBytes);
      for (let at = 0; at < sizeBytes; ) {
        const { bytesRead } = await handle.read(bytes, at, sizeBytes - at, at);
        if (bytesRead === 0) throw new Error(`The temporary file has ${at} of ${sizeBytes} bytes`);
        at += bytesRead;
      }
      return bytes;
    },
    async dispose() {
      inMemory.length = 0;
      await handle?.close();
    },
  };
}

/** A file whose name is taken away at once: it is gone with its handle, also after a crash. */
async function openNameless(): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'gazetteer-upload-'));
  try {
    return await open(join(folder, 'file'), 'wx+', 0o600);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
