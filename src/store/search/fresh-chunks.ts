import type { Document, Filter, ObjectId } from 'mongodb';
import type { Database } from '../database.js';
import { parseObjectIds } from '../object-id.js';
import type { SpaceRecord } from '../records.js';
import type { ChunkRow } from '../rows.js';
import type { Scope } from '../scope.js';
import { scopeFilter } from '../scope-filter.js';
import { embeddingPath } from '../search-index-definitions.js';
import { callOptions, withinBudget } from './budget.js';
import type { Budget, FreshQuery, PreparedFilter } from './search-store.js';

/** Reads around the legs by which a caller finds what it has just written. They only propose: re-validation decides. */

/** Ids of the scope's chunks written since; null when there are more than `limit`. */
export async function freshChunkIds(
  database: Database,
  scope: Scope,
  { since, limit }: FreshQuery,
  budget: Budget,
): Promise<readonly string[] | null> {
  const filter: Filter<ChunkRow> = { ...scopeFilter(scope), written_at: { $gte: since } };
  const { maxTimeMS, signal } = callOptions(budget);
  const rows = await withinBudget(budget, () =>
    database.chunks
      .find(filter, { maxTimeMS, signal, batchSize: limit + 1 })
      .project<{ _id: ObjectId }>({ _id: 1 })
      .limit(limit + 1)
      .toArray(),
  );
  return rows.length > limit ? null : rows.map(({ _id }) => _id.toHexString());
}

/** Superseded rows count too: it is an upper bound of what a search can find. */
export async function countChunks(
  database: Database,
  scope: Scope,
  filter: PreparedFilter,
  atMost: number,
  budget: Budget,
): Promise<number> {
  const among = filter.documentIds === null ? {} : { document_id: { $in: parseObjectIds(filter.documentIds) } };
  const { maxTimeMS, signal } = callOptions(budget);
  const rows = await withinBudget(budget, () =>
    database.chunks
      .find({ ...scopeFilter(scope), ...among } as Filter<ChunkRow>, { maxTimeMS, signal, batchSize: atMost + 1 })
      .project<{ _id: ObjectId }>({ _id: 1 })
      .limit(atMost)
      .toArray(),
  );
  return rows.length;
}

/** Vectors by chunk id; chunks that have none in the space are left out. */
export async function storedVectors(
  database: Database,
  scope: Scope,
  space: SpaceRecord,
  chunkIds: readonly string[],
  budget: Budget,
): Promise<ReadonlyMap<string, Float32Array>> {
  if (chunkIds.length === 0) return new Map();
  const { maxTimeMS, signal } = callOptions(budget);
  const rows = await withinBudget(budget, () =>
    database.chunks
      .find(
        { ...scopeFilter(scope), _id: { $in: parseObjectIds(chunkIds) } } as Filter<ChunkRow>,
        { maxTimeMS, signal, batchSize: chunkIds.length + 1 }, // biome-ignore format: with its reason
      )
      .project<Pick<ChunkRow, '_id' | 'embeddings'>>({ [embeddingPath(space.id)]: 1 } as Document)
      .toArray(),
  );
  return new Map(
    rows.flatMap((row) => {
      const vector = row.embeddings?.[space.id];
      return vector === undefined ? [] : [[row._id.toHexString(), vector.toFloat32Array()] as const];
    }),
  );
}
