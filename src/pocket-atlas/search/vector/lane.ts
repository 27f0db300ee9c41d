import type { RecordId } from '../../storage/engine.js';
import type { FieldValues } from '../filter/field-values.js';
import type { FilterNode } from '../filter/filter-node.js';
import type { VectorValue } from './vector-value.js';

/** The vectors of one kind under one path: they share dimensions and similarity, and are searched together. */
export interface Lane {
  readonly rowCount: number;
  /** Adds or replaces. `values` hold the filter fields, in the order of the definition's filter paths. */
  put(recordId: RecordId, vector: VectorValue, values: readonly FieldValues[]): void;
  remove(recordId: RecordId): void;
  search(query: LaneQuery): Promise<{ recordId: RecordId; score: number }[]>;
}

export interface LaneQuery {
  readonly vector: VectorValue;
  readonly limit: number;
  /** null: exact. */
  readonly numCandidates: number | null;
  readonly filter: FilterNode;
  checkInterrupted(): void;
}
