import type { Embedder } from '../embed/embedder.js';
import type { SpaceRecord } from '../store/records.js';

/** Embeds questions in a given space. One call is one provider request for all that the embedder does not remember. */
export interface QueryEmbedder {
  /** One vector per query, in order. Throws what the embedder throws. */
  embed(queries: readonly string[], space: SpaceRecord, signal?: AbortSignal): Promise<Float32Array[]>;
}

/** `embedderOf` returns the same embedder for the same space, with a memory of queries (embed/query-cache.ts). */
export function createQueryEmbedder(embedderOf: (space: SpaceRecord) => Embedder): QueryEmbedder {
  return {
    embed: (queries, space, signal) => embedderOf(space).embed(queries, { kind: 'query', ...(signal && { signal }) }),
  };
}
