import type { Similarity } from '../embed/embedder.js';

/**
 * Atlas's normalised similarity score, 0 to 1, of two vectors, computed as the index does.
 * https://www.mongodb.com/docs/atlas/atlas-vector-search/vector-search-stage/#atlas-vector-search-score
 */
export function similarityOf(measure: Similarity, a: Float32Array, b: Float32Array): number {
  if (measure === 'euclidean') return Math.fround(1 / (1 + squaredDistance(a, b)));
  const product = dot(a, b);
  const cosine = measure === 'cosine' ? product / Math.sqrt(dot(a, a) * dot(b, b)) : product;
  return Math.fround(Math.max((1 + cosine) / 2, 0));
}

/** Back from the normalised score: 1 − cosine (0 to 2), or the Euclidean distance. Lower is closer. */
export function distanceOf(measure: Similarity, similarity: number): number {
  return measure === 'euclidean' ? Math.sqrt(Math.max(1 / similarity - 1, 0)) : 2 - 2 * similarity;
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let axis = 0; axis < a.length; axis++) sum += a[axis]! * b[axis]!;
  return sum;
}

function squaredDistance(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let axis = 0; axis < a.length; axis++) sum += (a[axis]! - b[axis]!) ** 2;
  return sum;
}
