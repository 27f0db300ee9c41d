import type { Embedder, Similarity } from '../embed/embedder.js';
import { isBlank } from '../embed/text-class.js';

export interface QueryWindow {
  readonly text: string;
  readonly tokens: number;
}

/** A query as windows that the model takes whole: itself, mostly; a longer one is halved at white space until it fits. */
export function queryWindows(query: string, embedder: Pick<Embedder, 'space' | 'countTokens'>): QueryWindow[] {
  const limit = embedder.space.maxInputTokens;
  // No token is shorter than a byte, so most queries need not be counted.
  if (Buffer.byteLength(query) <= limit) return [{ text: query, tokens: 1 }];
  const tokens = embedder.countTokens(query);
  if (tokens <= limit || query.length < 2) return [{ text: query, tokens }];
  const middle = cutNear(query, Math.floor(query.length / 2));
  return [query.slice(0, middle), query.slice(middle)]
    .filter((half) => !isBlank(half))
    .flatMap((half) => queryWindows(half, embedder));
}

/** White space near the middle, else the middle itself, though never inside a surrogate pair. */
function cutNear(text: string, middle: number): number {
  const before = text.slice(0, middle).search(/\s\S*$/u);
  if (before > middle / 2) return before;
  const unit = text.charCodeAt(middle);
  return unit >= 0xdc00 && unit <= 0xdfff ? middle - 1 || 2 : middle;
}

/** The windows' vectors as one, weighted by their tokens; of length 1 unless the measure looks at lengths. Pure. */
export function averageVector(
  windows: readonly QueryWindow[],
  vectors: readonly Float32Array[],
  similarity: Similarity,
): Float32Array {
  if (vectors.length === 1) return vectors[0]!;
  const total = windows.reduce((sum, { tokens }) => sum + tokens, 0);
  const average = new Float32Array(vectors[0]!.length);
  vectors.forEach((vector, index) => {
    const share = windows[index]!.tokens / total;
    for (let axis = 0; axis < average.length; axis++) average[axis]! += share * vector[axis]!;
  });
  const length = Math.hypot(...average);
  return similarity === 'euclidean' || length === 0 ? average : average.map((number) => number / length);
}
