import { contractEmbedder } from '../../src/embed/contract.js';
import type { Embedder } from '../../src/embed/embedder.js';
import { HASH_SPACE, hashVector } from '../../src/embed/hash.js';
import { windowedEmbedder } from '../../src/embed/windowed.js';
import { type CountingEmbedder, countingEmbedder } from './test-store.js';

/** Another model than `hash`, with fewer dimensions: what a database is moved to. Counts what it is asked for. */
export function secondEmbedder(
  options: {
    readonly maxInputTokens?: number;
    /** Sees up to so many tokens of a document together; then its vectors are of all of them. */
    readonly lateTokens?: number;
    /** Runs before each call; throws to fail it. */
    readonly before?: (texts: readonly string[]) => void | Promise<void>;
    /** Runs when the vectors have arrived and the call has not ended. */
    readonly after?: () => Promise<void>;
  } = {},
): CountingEmbedder {
  const space = {
    ...HASH_SPACE,
    model: 'second',
    dimensions: 64,
    maxInputTokens: options.maxInputTokens ?? HASH_SPACE.maxInputTokens,
  };
  const inner: Embedder = {
    space,
    ...(options.lateTokens !== undefined && { lateChunking: { maxTokens: options.lateTokens } }),
    countTokens: (text) => text.split(/\s+/).length,
    async embed(texts, { onVector, together }) {
      await options.before?.(texts);
      const vectors = texts.map((text, index) => {
        const vector = secondVector(together ? `${texts.join(' ')} ${text}` : text);
        onVector?.(index, vector);
        return vector;
      });
      await options.after?.();
      return vectors;
    },
  };
  return countingEmbedder(windowedEmbedder(contractEmbedder(inner)));
}

/** The first quarter of the hash vector turned around, so that vectors of the two models have nothing in common. */
export function secondVector(text: string): Float32Array {
  const vector = hashVector(text).slice(0, 64).reverse();
  vector[0]! += 1e-3;
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}
