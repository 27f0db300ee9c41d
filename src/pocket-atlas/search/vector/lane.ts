import type { FilterNode } from '../filter/filter-node.js';
import type { Quantization, Similarity } from './definition.js';
import type { VectorKind, VectorValue } from './vector-value.js';

/** The vectors of one kind under one path: they share dimensions and similarity, and are searched together. */
export interface LaneSpec {
  readonly kind: VectorKind;
  readonly dimensions: number;
  readonly similarity: Similarity;
  readonly quantization: Quantization;
  readonly indexingMethod: 'hnsw' | 'flat';
  readonly maxEdges: number;
  readonly numEdgeCandidates: number;
  readonly filterPaths: readonly string[];
}

export interface LaneQuery {
  readonly vector: VectorValue;
  readonly limit: number;
  /** null: exact. */
  readonly numCandidates: number | null;
  readonly filter: FilterNode;
  checkInterrupted(): void;
}

/** Whether the vectors themselves are kept in a file beside their codes: only where a code says less than the vector. */
export function keepsVectors(spec: LaneSpec): boolean {
  return spec.kind === 'float32';
}
