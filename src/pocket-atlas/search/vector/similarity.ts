/**
 * Scores in [0, 1], all in float32 as Lucene computes them (ATLAS.md §1.5). Euclidean scores are of the squared distance: the
 * documentation writes the plain one, the source that runs does not.
 * Source: Lucene 10, VectorSimilarityFunction.
 */
const { fround } = Math;

export function cosineScore(cosine: number): number {
  return Math.max(fround(fround(1 + fround(cosine)) / 2), 0);
}

export function dotProductScore(dot: number): number {
  return Math.max(fround(fround(1 + fround(dot)) / 2), 0);
}

export function euclideanScore(squaredDistance: number): number {
  return fround(1 / fround(1 + fround(squaredDistance)));
}

/** int8 vectors are not of unit length: Lucene scales their dot product by the largest it can be. */
export function int8DotProductScore(dot: number, dimensions: number): number {
  return fround(0.5 + fround(dot / fround(dimensions * 32_768)));
}

export function hammingScore(differingBits: number, dimensions: number): number {
  return fround((dimensions - differingBits) / dimensions);
}

/** Of `query` and each vector that is passed. Those that are the same have exactly 1: all sums are made in one order. */
export function cosineTo(query: ArrayLike<number>): (vector: ArrayLike<number>) => number {
  const querySquares = dotProduct(query, query);
  return (vector) => dotProduct(query, vector) / Math.sqrt(querySquares * dotProduct(vector, vector));
}

/** In four sums: one alone would wait for itself at every step. */
export function dotProduct(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let [sum0, sum1, sum2, sum3] = [0, 0, 0, 0];
  const whole = a.length & ~3;
  for (let i = 0; i < whole; i += 4) {
    sum0 += (a[i] as number) * (b[i] as number);
    sum1 += (a[i + 1] as number) * (b[i + 1] as number);
    sum2 += (a[i + 2] as number) * (b[i + 2] as number);
    sum3 += (a[i + 3] as number) * (b[i + 3] as number);
  }
  for (let i = whole; i < a.length; i++) sum0 += (a[i] as number) * (b[i] as number);
  return sum0 + sum1 + (sum2 + sum3);
}

export function squaredDistance(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) {
    const difference = (a[i] as number) - (b[i] as number);
    sum += difference * difference;
  }
  return sum;
}
