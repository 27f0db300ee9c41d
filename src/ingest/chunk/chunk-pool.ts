import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { compiledUrl } from '../../compiled-url.js';
import { createWorkerPool } from '../../embed/worker-pool.js';
import { Refusal } from '../../errors.js';
import { chunk } from './chunk.js';
import type { TextReply, TextRequest } from './chunk-worker.js';
import type { Chunk } from './chunker.js';

/** UTF-16 code units; a shorter text is done before a thread would have its copy. */
export const INLINE_LIMIT = 65_536;
/** One is kept for the main thread; more than two would hold too many copies of long texts. */
const WORKERS = Math.max(1, Math.min(2, availableParallelism() - 1));
/** Texts of up to 50 MB wait for a thread. */
const WAITING_LIMIT = 32;

/** Chunking and hashing that leave the event loop free: long texts go to worker threads. */
export interface TextWorkers {
  /** As `chunk`; a long text whose context is `portable` is cut by a thread. Rejects with the signal's reason. */
  readonly chunk: Chunk;
  /** SHA-256 of the UTF-8 text, hex. */
  hash(text: string, signal?: AbortSignal): Promise<string>;
  /** Ends the threads; what waits is rejected. */
  close(): Promise<void>;
}

/** Threads start with the first long text and keep nothing from exiting while idle. */
export function createTextWorkers({ size = WORKERS }: { size?: number } = {}): TextWorkers {
  const url = compiledUrl('./chunk-worker.js', import.meta.url);
  const pool = createWorkerPool<TextRequest, TextReply>(url, { size, waitingLimit: WAITING_LIMIT });
  return {
    async chunk(text, context) {
      const { portable, signal, chunking, mediaType, maxInputTokens } = context;
      signal?.throwIfAborted();
      // SEMANTIC awaits the embedder, which lives on this thread
      if (text.length <= INLINE_LIMIT || !portable || chunking.strategy === 'SEMANTIC') return chunk(text, context);
      const reply = await pool.run({ kind: 'chunk', text, mediaType, chunking, maxInputTokens, portable }, signal);
      if ('spans' in reply) return reply.spans;
      throw failureOf(reply);
    },
    async hash(text, signal) {
      if (text.length <= INLINE_LIMIT) return createHash('sha256').update(text).digest('hex');
      const reply = await pool.run({ kind: 'hash', text }, signal);
      if ('hash' in reply) return reply.hash;
      throw failureOf(reply);
    },
    close: () => pool.close(),
  };
}

function failureOf(reply: TextReply): Error {
  if ('refusal' in reply) return new Refusal(reply.refusal.code, reply.refusal.message, reply.refusal.path);
  return new Error('error' in reply ? `A worker thread failed: ${reply.error}` : 'A worker thread gave another answer');
}
