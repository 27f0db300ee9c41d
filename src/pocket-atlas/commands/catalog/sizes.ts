import type { Doc } from '../../bson/values.js';
import type { CollectionInfo, ReadView } from '../../storage/engine.js';

/** Records that are measured; the rest is estimated from their mean. */
const SAMPLE = 200;

/** Sizes as `collStats` gives them. Bytes are estimated from a sample: nothing here reads a whole collection. */
export function collectionSizes(view: ReadView, collection: CollectionInfo, scale = 1): Doc {
  const count = view.count(collection);
  let [sampled, bytes] = [0, 0];
  for (const record of view.scan(collection)) {
    bytes += record.bytes.length;
    sampled += 1;
    if (sampled >= SAMPLE) break;
  }
  const avgObjSize = sampled === 0 ? 0 : Math.round(bytes / sampled);
  const size = Math.floor((count * avgObjSize) / scale);
  return {
    size,
    count,
    avgObjSize,
    storageSize: size,
    freeStorageSize: 0,
    capped: false,
    nindexes: collection.indexes.length,
    indexDetails: {},
    indexBuilds: [],
    totalIndexSize: 0,
    totalSize: size,
    indexSizes: Object.fromEntries(collection.indexes.map(({ name }) => [name, 0])),
    scaleFactor: scale,
  };
}
