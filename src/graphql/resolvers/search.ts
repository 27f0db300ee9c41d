import type { GraphQLResolveInfo } from 'graphql';
import type { SearchOptions, SearchResult } from '../../retrieve/retrieve.js';
import { pageInfo } from '../connections.js';
import type { RequestContext } from '../context.js';
import { searchFilter } from '../filter-input.js';
import { selects } from '../look-ahead.js';
import { idOf } from '../node-id.js';
import type {
  LegExplanationResolvers,
  QueryResolvers,
  SearchConnectionResolvers,
  SearchEdgeResolvers,
  SearchIndexStatus,
} from '../schema.generated.js';
import { searchRequest } from '../search-input.js';

type Queries = Pick<QueryResolvers, 'search' | 'explainSearch' | 'whyNot' | 'similarChunks'>;
const Query: Queries = {
  search: async (_, { input, first, after }, context, info) => {
    const request = searchRequest(input, first, after);
    const result = await context.queryEmbedding.during((embedQuery) =>
      context.retrieve.search(context.scope, request, { ...optionsFor(info, context), embedQuery }),
    );
    return { result: primed(result, context), after: after ?? null };
  },
  explainSearch: (_, { input, first }, context, info) => {
    const request = searchRequest(input, first);
    return context.queryEmbedding.during((embedQuery) =>
      context.retrieve.explainSearch(context.scope, request, { ...optionsFor(info, context), embedQuery }),
    );
  },
  whyNot: async (_, { input, documentId, first }, context, info) => {
    const request = searchRequest(input, first);
    const id = idOf('Document', documentId);
    if (id === null) return null;
    return context.queryEmbedding.during((embedQuery) =>
      context.retrieve.whyNot(context.scope, request, id, { ...optionsFor(info, context), embedQuery }),
    );
  },
  similarChunks: async (_, { chunkId, filter, first }, context, info) => {
    const id = idOf('Chunk', chunkId);
    if (id === null) return null;
    const request = { first, ...(filter ? { filter: searchFilter(filter, 'filter') } : {}) };
    const result = await context.retrieve.similarChunks(context.scope, id, request, optionsFor(info, context));
    return result && { result: primed(result, context), after: null };
  },
};

const SearchConnection: SearchConnectionResolvers = {
  edges: ({ result }) => result.hits,
  nodes: ({ result }) => result.hits.map((hit) => hit.chunk),
  pageInfo: ({ result, after }) => pageInfo(result.hits, result.hasNextPage, after),
  diagnostics: ({ result }) => result.diagnostics,
};

const SearchEdge: SearchEdgeResolvers = { node: ({ chunk }) => chunk };

const LegExplanation: LegExplanationResolvers = {
  indexStatus: ({ indexStatus }) => indexStatus as SearchIndexStatus,
};

export const search = { Query, SearchConnection, SearchEdge, LegExplanation };

/** What the selection needs, so that nothing else is read. */
function optionsFor(info: GraphQLResolveInfo, { signal }: RequestContext): Omit<SearchOptions, 'embedQuery'> {
  return {
    signal,
    needsText: selects(info, 'edges.node.text', 'nodes.text'),
    needsHighlights: selects(info, 'edges.highlights'),
    needsCursors: selects(info, 'edges.cursor', 'pageInfo.endCursor', 'pageInfo.startCursor'),
  };
}

/** What the search has read already is not read again by the fields below it. */
function primed(result: SearchResult, { loaders }: RequestContext): SearchResult {
  for (const { chunk, text } of result.hits) {
    loaders.chunk.prime(chunk.id, chunk);
    if (text !== undefined) loaders.chunkText.prime(chunk.id, text);
  }
  return result;
}
