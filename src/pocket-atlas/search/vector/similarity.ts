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

export function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let [dot, squaresA, squaresB] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i] as number, b[i] as number];
    dot += x * y;
    squaresA += x * x;
    squaresB += y * y;
  }
  return dot / Math.sqrt(squaresA * squaresB);
}

export function dotProduct(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number);
  return sum;
}

export function squaredDistance(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) {
    const difference = (a[i] as number) - (b[i] as number);
    sum += difference * difference;
  }
  return sum;
}
