import type { Clock } from '../clock.js';
import type { Database } from '../database.js';
import { parseObjectId } from '../object-id.js';
import type { SearchIndexManager } from '../search-indexes.js';
import type { SpaceFence } from '../space-fence.js';
import type { Store } from '../store.js';
import { type ChunkSlices, chunkSlices } from './chunk-slices.js';
import { indexLag } from './index-lag.js';
import { vectorWriter } from './write-chunk-vectors.js';

/** What filling an embedding space beside the active one asks of the store. */
export function reembedding(
  database: Database,
  { fence, indexes, clock }: { fence: SpaceFence; indexes: SearchIndexManager; clock: Clock },
): ChunkSlices & Pick<Store, 'writeChunkVectors' | 'indexLag' | 'unfinishedItems'> {
  return {
    ...chunkSlices(database),
    ...vectorWriter(database, fence),
    async unfinishedItems(_operator, jobId, beforePosition) {
      const job = parseObjectId(jobId);
      if (job === null) return 0;
      const unfinished = {
        job_id: job,
        position: { $lt: beforePosition },
        state: { $in: ['QUEUED', 'RUNNING'] as const },
      };
      return await database.jobItems.countDocuments(unfinished);
    },
    indexLag: (_operator, id) => indexLag(database, indexes, clock, id),
  };
}
