import type { Embedder } from './embedder.js';

/** Of 1 536 dimensions: some 12 MB. */
const QUERY_CACHE_SIZE = 2_000;

/**
 * Remembers the vectors of queries, the least recently used forgotten first. One embedder is one space, so the text is the
 * whole key. Documents pass through: their vectors are kept where they are stored.
 */
export function cachedQueries(inner: Embedder, size = QUERY_CACHE_SIZE): Embedder {
  const vectors = new Map<string, Float32Array>();

  const recall = (text: string): Float32Array | undefined => {
    const vector = vectors.get(text);
    if (vector) {
      vectors.delete(text);
      vectors.set(text, vector);
    }
    return vector;
  };

  const remember = (text: string, vector: Float32Array): void => {
    vectors.set(text, vector);
    if (vectors.size > size) vectors.delete(vectors.keys().next().value!);
  };

  return {
    ...inner,
    countTokens: (text) => inner.countTokens(text),
    async embed(texts, options) {
      if (options.kind !== 'query') return inner.embed(texts, options);
      options.signal?.throwIfAborted();
      const found = new Map(texts.map((text) => [text, recall(text)]));
      const missing = [...found].flatMap(([text, vector]) => (vector ? [] : [text]));
      if (missing.length > 0) {
        const fresh = await inner.embed(missing, { ...options, onVector: undefined });
        for (const [at, text] of missing.entries()) {
          remember(text, fresh[at]!);
          found.set(text, fresh[at]);
        }
      }
      return texts.map((text, index) => {
        // the caller may change what it gets
        const vector = found.get(text)!.slice();
        options.onVector?.(index, vector);
        return vector;
      });
    },
  };
}
