import type { Document } from 'mongodb';
import type { Database } from '../database.js';
import type { FilterKeys } from '../filter-mql.js';
import { parseObjectIds } from '../object-id.js';
import type { Scope } from '../scope.js';
import { embeddingPath, TEXT_INDEX, vectorIndexName } from '../search-index-definitions.js';
import type { SearchIndexManager } from '../search-indexes.js';
import { countChunks, freshChunkIds, storedVectors } from './fresh-chunks.js';
import { indexName } from './index-name.js';
import { legPipeline, type PipelineContext, rankFusionPipeline, textAnalyzer } from './leg-pipelines.js';
import { checkFilter, prepareFilter } from './prepare-filter.js';
import { readHighlights } from './read-highlights.js';
import { readinessOf } from './readiness.js';
import { revalidate } from './revalidate.js';
import { runLeg } from './run-leg.js';
import type { IndexKind, SearchStore } from './search-store.js';
import { shellJson } from './shell-json.js';
import { toTextFilter } from './text-filter.js';
import { unseenDocuments } from './unseen-documents.js';
import { toVectorFilter } from './vector-filter.js';

/** What the search functions share with the rest of the store. */
export interface SearchContext {
  readonly database: Database;
  /** Read at every search: which keys are still being copied changes while the server runs. */
  readonly filterKeys: () => FilterKeys;
  /** The `multi` analyzers of the text index. */
  readonly analyzers: readonly string[];
  readonly searchIndexState: SearchIndexManager['searchIndexState'];
}

export function openSearchStore(context: SearchContext): SearchStore {
  const { database } = context;
  const pipelines = (): PipelineContext => ({ keys: context.filterKeys(), analyzers: context.analyzers });
  return {
    checkFilter: (filter) => checkFilter(context.filterKeys(), filter),
    prepareFilter: (scope, filter, budget) => prepareFilter(database, context.filterKeys(), scope, filter, budget),
    readiness: async (index, filter, options) => readinessOf(await context.searchIndexState(index, options), filter),
    legPipeline: (scope, leg, fresh) => shellJson(legPipeline(pipelines(), scope, leg, fresh)),
    runLeg: (scope, leg, budget, fresh) =>
      runLeg(database, indexName(leg), legPipeline(pipelines(), scope, leg, fresh), budget, fresh),
    rankFusionPipeline: (scope, legs, weights, limit) =>
      shellJson(rankFusionPipeline(pipelines(), scope, legs, weights, limit)),
    revalidate: (scope, chunkIds, filter, withText, budget) =>
      revalidate(database, context.filterKeys(), scope, chunkIds, filter, withText, budget),
    textAnalyzer: (query) => textAnalyzer(context, query),
    highlights: (scope, query, chunkIds, budget) =>
      readHighlights(database, pipelines(), scope, query, chunkIds, budget),
    freshChunkIds: (scope, fresh, budget) => freshChunkIds(database, scope, fresh, budget),
    indexedAmong: async (scope, index, chunkIds, budget) => {
      if (chunkIds.length === 0) return new Set();
      const { hits } = await runLeg(database, indexName(index), membershipPipeline(scope, index, chunkIds), budget);
      return new Set(hits.map(({ id }) => id));
    },
    unseenDocuments: (scope, budget) => unseenDocuments(database, scope, budget),
    vectors: (scope, space, chunkIds, budget) => storedVectors(database, scope, space, chunkIds, budget),
    countChunks: (scope, filter, atMost, budget) => countChunks(database, scope, filter, atMost, budget),
  };
}

/** All of the given chunks that the index holds, in whatever order. */
function membershipPipeline(scope: Scope, index: IndexKind, chunkIds: readonly string[]): Document[] {
  const ids = parseObjectIds(chunkIds);
  if (index.kind === 'TEXT') {
    const filter = [...toTextFilter(scope, { kind: 'all' }), { in: { path: '_id', value: ids } }];
    return [
      { $search: { index: TEXT_INDEX, compound: { filter } } },
      { $limit: ids.length },
      { $project: { _id: 1, score: { $meta: 'searchScore' } } },
    ];
  }
  return [
    {
      $vectorSearch: {
        index: vectorIndexName(index.space.id),
        path: embeddingPath(index.space.id),
        // Any direction will do: all that pass the filter are asked for.
        queryVector: Array.from({ length: index.space.dimensions }, (_, axis) => (axis === 0 ? 1 : 0)),
        exact: true,
        limit: ids.length,
        filter: { $and: [toVectorFilter(scope, { kind: 'all' }), { _id: { $in: ids } }] },
      },
    },
    { $project: { _id: 1, score: { $meta: 'vectorSearchScore' } } },
  ];
}
