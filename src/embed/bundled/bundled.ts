import { compiledUrl } from '../../compiled-url.js';
import { AppError } from '../../errors.js';
import type { Embedder } from '../embedder.js';
import { providerFailure } from '../provider-failure.js';
import { createWorkerPool } from '../worker-pool.js';
import { BUNDLED_SPACE } from './space.js';
import { countBundledTokens } from './tokenizer.js';
import type { EmbedReply, EmbedRequest } from './worker.js';

/** Worker threads for documents. More than the cores would only take turns. */
const DOCUMENT_WORKERS = 2;
/** Queries have a thread of their own, so that none waits behind a text of some hundred milliseconds. */
const QUERY_WORKERS = 1;

/**
 * The model that ships in npm: English sentences, 512 dimensions. Threads start with the first text of their kind and
 * keep nothing from exiting. Close it when done.
 */
export function createBundledEmbedder({
  documentWorkers = DOCUMENT_WORKERS,
}: {
  documentWorkers?: number;
} = {}): Embedder {
  const url = compiledUrl('./worker.js', import.meta.url);
  const pools = {
    document: createWorkerPool<EmbedRequest, EmbedReply>(url, { size: documentWorkers }),
    query: createWorkerPool<EmbedRequest, EmbedReply>(url, { size: QUERY_WORKERS }),
  };
  return {
    space: BUNDLED_SPACE,
    countTokens: countBundledTokens,
    async embed(texts, { kind, signal, onVector }) {
      const stop = new AbortController();
      const stopped = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
      try {
        return await Promise.all(
          texts.map(async (text, index) => {
            const reply = await pools[kind].run({ id: index, text }, stopped).catch((error: unknown) => {
              throw stopped.aborted || error instanceof AppError ? error : failed(error);
            });
            if ('error' in reply) throw failed(new Error(reply.error));
            onVector?.(index, reply.vector);
            return reply.vector;
          }),
        );
      } catch (error) {
        // what has not begun need not
        stop.abort(error);
        throw error;
      }
    },
    async close() {
      await Promise.all([pools.document.close(), pools.query.close()]);
    },
  };
}

function failed(cause: unknown): AppError {
  return providerFailure('bundled', 'FAILED', `The embedding thread of ${BUNDLED_SPACE.model} failed`, { cause });
}
