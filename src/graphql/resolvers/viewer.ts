import type { QueryResolvers, ViewerResolvers } from '../schema.generated.js';

const Query: Pick<QueryResolvers, 'viewer'> = {
  viewer: (_, __, { credentials }) => credentials,
};

const Viewer: ViewerResolvers = {
  ownerId: ({ owner }) => owner,
  agentIds: ({ agents }) => agents,
};

export const viewer = { Query, Viewer };
