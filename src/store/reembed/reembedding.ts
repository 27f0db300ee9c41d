import type { Clock } from '../clock.js';
import type { Database } from '../database.js';
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
): ChunkSlices & Pick<Store, 'writeChunkVectors' | 'indexLag'> {
  return {
    ...chunkSlices(database),
    ...vectorWriter(database, fence),
    indexLag: (_operator, id) => indexLag(database, indexes, clock, id),
  };
}
