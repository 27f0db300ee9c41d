import DataLoader from 'dataloader';
import type { ChunkRecord, DocumentRecord, SpaceRecord } from '../store/records.js';
import type { Scope } from '../store/scope.js';
import type { Store } from '../store/store.js';

/** The only way from an object to its parent, siblings or text: one store call per kind and level of the query. */
export interface Loaders {
  readonly document: DataLoader<string, DocumentRecord | null>;
  readonly documentText: DataLoader<string, string | null>;
  readonly chunk: DataLoader<string, ChunkRecord | null>;
  readonly chunkText: DataLoader<string, string | null>;
  readonly chunkAt: DataLoader<Place, ChunkRecord | null, string>;
  readonly space: DataLoader<string, SpaceRecord | null>;
  readonly activeSpace: DataLoader<'ACTIVE', SpaceRecord>;
}

export interface Place {
  readonly documentId: string;
  readonly ordinal: number;
}

/** Bounds what one store call may return; texts are large, so fewer of them. */
const MAX_BATCH = 1_000;
const MAX_TEXT_BATCH = 20;

export function makeLoaders(store: Store, scope: Scope): Loaders {
  return {
    document: new DataLoader((ids) => store.documentsByIds(scope, ids), { maxBatchSize: MAX_BATCH }),
    documentText: new DataLoader((ids) => store.texts(scope, ids), { maxBatchSize: MAX_TEXT_BATCH }),
    chunk: new DataLoader((ids) => store.chunksByIds(scope, ids), { maxBatchSize: MAX_BATCH }),
    chunkText: new DataLoader((ids) => store.chunkTexts(scope, ids), { maxBatchSize: MAX_BATCH }),
    chunkAt: new DataLoader((places) => store.chunksAt(scope, places), {
      maxBatchSize: MAX_BATCH,
      cacheKeyFn: ({ documentId, ordinal }) => `${documentId}:${ordinal}`,
    }),
    space: new DataLoader((ids) => store.spacesByIds(ids), { maxBatchSize: MAX_BATCH }),
    activeSpace: new DataLoader(async () => [await store.activeSpace()], { maxBatchSize: 1 }),
  };
}
