import type { Resolvers } from '../schema.generated.js';
import { admin } from './admin.js';
import { apiKey } from './api-key.js';
import { chunk } from './chunk.js';
import { document } from './document.js';
import { embeddingSpace } from './embedding-space.js';
import { job } from './job.js';
import { node } from './node.js';
import { scalars } from './scalars.js';
import { search } from './search.js';
import { searchIndex } from './search-index.js';
import { viewer } from './viewer.js';

/** One file per domain, named as in `schema/`; the root fields of all are put together here. */
export const resolvers: Resolvers = {
  ...scalars,
  Query: { ...admin.Query, ...document.Query, ...job.Query, ...node.Query, ...search.Query, ...viewer.Query },
  Mutation: {
    ...admin.Mutation,
    ...apiKey.Mutation,
    ...document.Mutation,
    ...embeddingSpace.Mutation,
    ...job.Mutation,
    ...searchIndex.Mutation,
  },
  Subscription: job.Subscription,
  Admin: admin.Admin,
  ApiKey: apiKey.ApiKey,
  Chunk: chunk.Chunk,
  ChunkConnection: chunk.ChunkConnection,
  Document: document.Document,
  DocumentConnection: document.DocumentConnection,
  EmbeddingSpace: embeddingSpace.EmbeddingSpace,
  Job: job.Job,
  JobConnection: job.JobConnection,
  JobItem: job.JobItem,
  JobProgress: job.JobProgress,
  JobItemConnection: job.JobItemConnection,
  LegExplanation: search.LegExplanation,
  Node: node.Node,
  SearchConnection: search.SearchConnection,
  SearchEdge: search.SearchEdge,
  TextSpan: chunk.TextSpan,
  Viewer: viewer.Viewer,
};
