import { compiledUrl } from '../../compiled-url.js';
import { AppError } from '../../errors.js';
import type { Embedder } from '../embedder.js';
import { providerFailure } from '../provider-failure.js';
import { createWorkerPool } from '../worker-pool.js';
import { leaseModel } from './shared-model.js';
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
    document: createWorkerPool<EmbedRequest, EmbedReply>(url, { size: documentWorkers, lease: leaseModel }),
    query: createWorkerPool<EmbedRequest, EmbedReply>(url, { size: QUERY_WORKERS, lease: leaseModel }),
  };
  return {
    space: BUNDLED_SPACE,
    countTokens: countBundledTokens,
    async embed(texts, { kind, signal, onVector }) {
      const vectors = new Array<Float32Array>(texts.length);
      let next = 0;
      let hasFailed = false;
      // so many in the queue at once keep the threads busy, and let calls take turns
      const lane = async (): Promise<void> => {
        while (next < texts.length && !hasFailed) {
          const index = next++;
          const reply = await pools[kind].run({ id: index, text: texts[index]! }, signal);
          if ('error' in reply) throw new Error(reply.error);
          vectors[index] = reply.vector;
          onVector?.(index, reply.vector);
        }
      };
      try {
        await Promise.all(Array.from({ length: 2 * documentWorkers }, lane));
      } catch (error) {
        hasFailed = true;
        throw signal?.aborted || error instanceof AppError ? error : failed(error);
      }
      return vectors;
    },
    async close() {
      await Promise.all([pools.document.close(), pools.query.close()]);
    },
  };
}

function failed(cause: unknown): AppError {
  return providerFailure('bundled', 'FAILED', `The embedding thread of ${BUNDLED_SPACE.model} failed`, { cause });
}
