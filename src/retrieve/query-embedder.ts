import type { Embedder } from '../embed/embedder.js';
import type { SpaceRecord } from '../store/records.js';
import { averageVector, queryWindows } from './query-windows.js';

/** Embeds questions, remembering the latest. One call is one provider request for all that are not remembered. */
export interface QueryEmbedder {
  /** One vector per query, in order, in the given space. Throws what the embedder throws. */
  embed(queries: readonly string[], space: SpaceRecord, signal?: AbortSignal): Promise<Float32Array[]>;
}

/** Questions kept. At 1 536 dimensions 1 000 vectors are 6 MB. */
const MAX_CACHED = 1_000;

export function createQueryEmbedder(
  embedderOf: (space: SpaceRecord) => Embedder,
  maxCached = MAX_CACHED,
): QueryEmbedder {
  // A Map keeps insertion order: the first key is the one that was used longest ago.
  const cache = new Map<string, Float32Array>();
  const remember = (key: string, vector: Float32Array) => {
    cache.delete(key);
    cache.set(key, vector);
    if (cache.size > maxCached) cache.delete(cache.keys().next().value!);
  };

  return {
    async embed(queries, space, signal) {
      const keyOf = (query: string) => `${space.id} ${query}`;
      const missing = [...new Set(queries.filter((query) => !cache.has(keyOf(query))))];
      const found = new Map<string, Float32Array>();
      for (const query of queries) {
        const vector = cache.get(keyOf(query));
        if (vector !== undefined) found.set(query, vector);
      }
      if (missing.length > 0) {
        const vectors = await embedAll(embedderOf(space), missing, signal);
        missing.forEach((query, index) => {
          found.set(query, vectors[index]!);
        });
      }
      return queries.map((query) => {
        const vector = found.get(query)!;
        remember(keyOf(query), vector);
        return vector;
      });
    },
  };
}

/** One request, however many windows a long query is cut into. */
async function embedAll(embedder: Embedder, queries: readonly string[], signal?: AbortSignal): Promise<Float32Array[]> {
  const windows = queries.map((query) => queryWindows(query, embedder));
  const texts = windows.flat().map(({ text }) => text);
  const vectors = await embedder.embed(texts, { kind: 'query', ...(signal && { signal }) });
  let at = 0;
  return windows.map((own) => {
    const ownVectors = vectors.slice(at, at + own.length);
    at += own.length;
    return averageVector(own, ownVectors, embedder.space.similarity);
  });
}
