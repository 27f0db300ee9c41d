import type { RecordId } from '../../storage/engine.js';
import { Bitmap } from '../bitmap.js';
import { matchingRows } from '../filter/field-postings.js';
import type { FieldValues } from '../filter/field-values.js';
import { LivePostings } from '../filter/live-postings.js';
import { createPacer } from '../pace.js';
import type { Similarity } from './definition.js';
import type { Lane, LaneQuery } from './lane.js';
import { score } from './similarity.js';
import { TopHits } from './top-hits.js';
import type { VectorValue } from './vector-value.js';

/** Rows in memory, compared one by one. Rows are only appended; a replaced or removed one is a bit in `dead`. */
export function createFlatLane(similarity: Similarity, filterPaths: readonly string[]): Lane {
  const vectors: VectorValue['data'][] = [];
  const recordIds: RecordId[] = [];
  const dead = new Set<number>();
  const rowOf = new Map<RecordId, number>();
  const postings = new Map(filterPaths.map((path) => [path, new LivePostings()]));

  function remove(recordId: RecordId): void {
    const row = rowOf.get(recordId);
    if (row === undefined) return;
    rowOf.delete(recordId);
    dead.add(row);
  }

  return {
    get rowCount() {
      return rowOf.size;
    },
    put(recordId: RecordId, vector: VectorValue, values: readonly FieldValues[]) {
      remove(recordId);
      const row = vectors.push(vector.data) - 1;
      recordIds.push(recordId);
      rowOf.set(recordId, row);
      filterPaths.forEach((path, field) => {
        postings.get(path)?.add(row, values[field] as FieldValues);
      });
    },
    remove,
    async search({ vector, limit, filter, checkInterrupted }: LaneQuery) {
      const size = vectors.length;
      const matching = matchingRows(filter, postings, () => new Bitmap(size));
      for (const row of dead) if (row < size) matching.remove(row);
      const pacer = createPacer();
      const best = new TopHits(limit);
      for (const row of matching.rows()) {
        best.offer(recordIds[row] as number, score(vector.kind, similarity, vector.data, vectors[row] as Float32Array));
        if (pacer.isDue()) {
          await pacer.pause();
          checkInterrupted();
        }
      }
      return best.sorted();
    },
  };
}
