import { availableParallelism } from 'node:os';
import { compiledUrl } from '../compiled-url.js';
import type { OnProgress } from '../embed/worker-pool.js';
import { Refusal, type RefusalCode } from '../errors.js';
import { createBoundedThreads, ThreadEnded, type ThreadLimits } from './extract/bounded-threads.js';
import type { ExtractJob, ExtractReply } from './extract/extract-worker.js';
import { type ExtractedFile, NotExtractable, type NotExtractableKind } from './extract/extracted-file.js';
import { sniff } from './extract/sniff.js';

/**
 * What a caller brought: a text, or a file's bytes. `mediaType` null: not named. Bytes that are given away may be used up:
 * nobody reads them again.
 */
export type Source =
  | { readonly kind: 'text'; readonly text: string; readonly mediaType: string }
  | {
      readonly kind: 'file';
      readonly name: string;
      readonly bytes: Uint8Array;
      readonly mediaType: string | null;
      readonly isGivenAway?: boolean;
    };

export type Extracted = ExtractedFile;

/**
 * Turns a source into a text. Throws `Refusal` UNREADABLE, EMPTY_TEXT or UNSUPPORTED_MEDIA_TYPE with the path of the file
 * and the reason.
 */
export type Extract = (source: Source, signal?: AbortSignal, onProgress?: OnProgress) => Promise<Extracted>;

/** Small texts are decoded before a thread would have its copy. */
const INLINE_BYTES = 64 * 1024;

/** After a larger file its thread is ended, with the memory it took. */
const LARGE_BYTES = 1024 * 1024;

const LIMITS: ThreadLimits = {
  threads: Math.max(1, Math.min(2, availableParallelism() - 1)),
  patienceMs: 5_000,
  spare: 1,
  timeMs: 120_000,
  heapMb: 512,
  waiting: 64,
};

/** Reads files in threads with bounds of time and memory, because what they hold is a stranger's. */
export function createExtractor(limits: Partial<ThreadLimits> = {}): { extract: Extract; close(): Promise<void> } {
  const bounds = { ...LIMITS, ...limits };
  const threads = createBoundedThreads<ExtractJob, ExtractReply>(
    compiledUrl('./extract/extract-worker.js', import.meta.url),
    bounds,
  );
  return {
    async extract(source, signal, onProgress) {
      if (source.kind === 'text')
        return { text: source.text, mediaType: source.mediaType, pageStarts: null, warnings: [] };
      const { bytes, name, mediaType: declared, isGivenAway = false } = source;
      try {
        if (isSmallText(bytes, name, declared)) {
          // The readers of all kinds of files are 250 modules, which no start waits for.
          const { readFile } = await import('./extract/read-file.js');
          return await readFile(bytes, name, declared);
        }
        // Smaller ones may be views of a buffer that others have views of too.
        const isLarge = bytes.byteLength > LARGE_BYTES;
        const reply = await threads.run(
          { bytes, name, declared },
          {
            signal,
            onProgress,
            transfer: isGivenAway && isLarge && bytes.buffer instanceof ArrayBuffer ? [bytes.buffer] : [],
            isLast: isLarge,
          },
        );
        return fileOf(reply);
      } catch (error) {
        throw refusalOf(error, bounds);
      }
    },
    close: () => threads.close(),
  };
}

function isSmallText(bytes: Uint8Array, name: string, declared: string | null): boolean {
  if (bytes.byteLength > INLINE_BYTES) return false;
  const sniffed = sniff(bytes, name, declared);
  return 'unsupported' in sniffed || sniffed.kind === 'text';
}

function fileOf(reply: ExtractReply): ExtractedFile {
  if ('file' in reply) return reply.file;
  if ('notExtractable' in reply) throw new NotExtractable(reply.notExtractable.kind, reply.notExtractable.message);
  throw new Error(`Reading a file failed: ${reply.failure}`);
}

const REFUSALS: Readonly<Record<NotExtractableKind, RefusalCode>> = {
  encrypted: 'UNREADABLE',
  corrupt: 'UNREADABLE',
  encoding: 'UNREADABLE',
  nesting: 'UNREADABLE',
  unsafe: 'UNREADABLE',
  unsupported: 'UNSUPPORTED_MEDIA_TYPE',
  empty: 'EMPTY_TEXT',
};

function refusalOf(error: unknown, { timeMs, heapMb }: ThreadLimits): unknown {
  const refusal = (code: RefusalCode, message: string) =>
    new Refusal(code, message, ['input', 'file'], { cause: error });
  if (error instanceof NotExtractable) return refusal(REFUSALS[error.kind], error.message);
  if (!(error instanceof ThreadEnded)) return error;
  switch (error.reason) {
    case 'time':
      return refusal('UNREADABLE', `The file could not be read within ${timeMs / 1000} seconds`);
    case 'memory':
      return refusal('UNREADABLE', `The file needs more than ${heapMb} MB of memory to be read`);
    case 'died':
      return error;
  }
}
