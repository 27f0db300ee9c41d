import { availableParallelism } from 'node:os';
import { compiledUrl } from '../compiled-url.js';
import type { Embedder } from '../embed/embedder.js';
import { createWorkerPool, type OnProgress } from '../embed/worker-pool.js';
import { AppError, Refusal } from '../errors.js';
import type { Chunk } from './chunk/chunker.js';
import { type CutPiece, type CutRequest, cutPieces } from './cut-text.js';
import type { CutJob, CutReply } from './cut-worker.js';

/** Longer texts are cut in a worker thread: tokenising blocks, and requests of others must go on. UTF-16 code units. */
export const WORKER_TEXT_LENGTH = 64 * 1024;
/** After a longer text its thread is ended, with the memory it took. */
const LARGE_TEXT_LENGTH = 1024 * 1024;
const MAX_WORKERS = 4;

/** Cuts a text for the spaces of `embedders`, the active one first. */
export interface Cutter {
  cut(
    text: string,
    request: CutRequest,
    embedders: readonly [Embedder, ...Embedder[]],
    signal?: AbortSignal,
    onProgress?: OnProgress,
  ): Promise<readonly CutPiece[]>;
  close(): Promise<void>;
}

export function createCutter(chunk: Chunk): Cutter {
  const pool = createWorkerPool<CutJob, CutReply>(compiledUrl('./cut-worker.js', import.meta.url), {
    size: Math.min(MAX_WORKERS, availableParallelism()),
    isLast: ({ text }) => text.length > LARGE_TEXT_LENGTH,
  });
  return {
    async cut(text, request, embedders, signal, onProgress) {
      // SEMANTIC asks the embedder as it goes, which lives in this thread.
      if (text.length <= WORKER_TEXT_LENGTH || request.chunking.strategy === 'SEMANTIC')
        return await cutHere(text, request, embedders, chunk, signal);
      const spaces = embedders.map(({ space: { provider, model } }) => ({ provider, model }));
      return piecesOf(await pool.run({ text, request, spaces }, signal, onProgress));
    },
    close: () => pool.close(),
  };
}

async function cutHere(
  text: string,
  request: CutRequest,
  embedders: readonly [Embedder, ...Embedder[]],
  chunk: Chunk,
  signal: AbortSignal | undefined,
): Promise<readonly CutPiece[]> {
  const [active, ...others] = embedders;
  const counterOf = (embedder: Embedder) => (piece: string) => embedder.countTokens(piece);
  return await cutPieces(text, request, {
    chunk,
    counters: [counterOf(active), ...others.map(counterOf)],
    embed: (texts) => active.embed(texts, { kind: 'document', ...(signal && { signal }) }),
  });
}

function piecesOf(reply: CutReply): readonly CutPiece[] {
  if ('pieces' in reply) return reply.pieces;
  if ('refusal' in reply) throw new Refusal(reply.refusal.code, reply.refusal.message, reply.refusal.path);
  const { code, message } = reply.failure;
  throw code === null ? new Error(message) : new AppError(code, message);
}
