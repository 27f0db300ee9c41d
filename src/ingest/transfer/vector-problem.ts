import type { ExportedSpace } from './line-shapes.js';

/** As the embedders are held to it: float32 leaves about 1e-6. */
const UNIT_TOLERANCE = 1e-2;

/** Why a vector cannot be one of the space; null when it can. An index takes what it is given, and its answers suffer. */
export function vectorProblem(vector: Float32Array, { similarity }: Pick<ExportedSpace, 'similarity'>): string | null {
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (!Number.isFinite(squares)) return 'the vector holds NaN or infinity';
  if (squares === 0) return 'the vector is all zeros';
  if (similarity === 'dotProduct' && Math.abs(Math.sqrt(squares) - 1) > UNIT_TOLERANCE)
    return `expected a vector of length 1, got length ${Math.sqrt(squares).toFixed(3)}`;
  return null;
}
