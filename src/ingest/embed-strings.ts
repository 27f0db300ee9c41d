import { createHash } from 'node:crypto';
import type { Embedder } from '../embed/embedder.js';
import { WINDOW_LIMIT } from '../embed/windowed.js';
import { Refusal } from '../errors.js';

/** Strings per call: the provider batches them itself; this bounds what an abort or a failure repeats. */
const STRINGS_PER_CALL = 512;

/** Vectors by the SHA-256 of the string they belong to. Kept over attempts, so that nothing is embedded twice. */
export type VectorCache = Map<string, Float32Array>;

/** SHA-256 of the exact string given to the embedder, hex: equal hash, same vector. */
export function embedHash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** A string with its tokens in the embedder's space. */
export interface CountedString {
  readonly text: string;
  readonly tokens: number;
}

/**
 * How many of the strings are longer than the space's limit, so that the vectors of their windows will be averaged.
 * Throws `Refusal` TOO_LARGE for more than sixteen windows, before anything is spent.
 */
export function countAveraged(strings: Iterable<CountedString>, { space }: Embedder): number {
  let averaged = 0;
  for (const { tokens } of strings) {
    if (tokens > WINDOW_LIMIT * space.maxInputTokens)
      throw new Refusal(
        'TOO_LARGE',
        `A chunk may have at most ${WINDOW_LIMIT * space.maxInputTokens} tokens (${WINDOW_LIMIT} windows of ${space.model}), got ${tokens}: choose a chunking with smaller chunks`,
        ['input', 'chunking'],
      );
    if (tokens > space.maxInputTokens) averaged++;
  }
  return averaged;
}

/** Embeds strings by their hashes, those in `cache` excepted. What was embedded before a failure stays in `cache`. */
export async function embedStrings(
  strings: ReadonlyMap<string, CountedString>,
  embedder: Embedder,
  options: {
    readonly cache: VectorCache;
    readonly signal?: AbortSignal;
    readonly onProgress?: (done: number, total: number) => void;
  },
): Promise<ReadonlyMap<string, Float32Array>> {
  const { cache, signal, onProgress } = options;
  const wanted = [...strings].filter(([hash]) => !cache.has(hash));
  let done = 0;
  for (let start = 0; start < wanted.length; start += STRINGS_PER_CALL) {
    signal?.throwIfAborted();
    const call = wanted.slice(start, start + STRINGS_PER_CALL);
    const keep = (index: number, vector: Float32Array): void => {
      const hash = call[index]?.[0];
      if (hash === undefined || cache.has(hash)) return;
      cache.set(hash, vector);
      onProgress?.(++done, wanted.length);
    };
    const texts = call.map(([, { text }]) => text);
    const vectors = await embedder.embed(texts, { kind: 'document', onVector: keep, ...(signal && { signal }) });
    for (const [index, vector] of vectors.entries()) keep(index, vector);
  }
  return new Map([...strings.keys()].map((hash) => [hash, vectorOf(hash, cache)]));
}

function vectorOf(hash: string, cache: VectorCache): Float32Array {
  const vector = cache.get(hash);
  if (vector === undefined) throw new TypeError('The embedder returned fewer vectors than it was given strings');
  return vector;
}
