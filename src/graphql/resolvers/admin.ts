import { requireOperator } from '../context.js';
import type { AdminResolvers, MutationResolvers, QueryResolvers } from '../schema.generated.js';
import { withUserErrors } from '../user-errors.js';

const Query: Pick<QueryResolvers, 'admin'> = {
  admin: (_, __, context) => (context.credentials.role === 'ADMIN' ? { operator: requireOperator(context) } : null),
};

const Mutation: Pick<MutationResolvers, 'eraseOwner'> = {
  eraseOwner: (_, { input }, context) => {
    const operator = requireOperator(context);
    return withUserErrors({ documents: 0, chunks: 0, jobs: 0, apiKeys: 0 }, () =>
      context.store.eraseOwner(operator, input.ownerId, { dryRun: input.dryRun }),
    );
  },
};

const Admin: AdminResolvers = {
  searchIndexes: ({ operator }, _, { store }) => store.listSearchIndexes(operator),
  embeddingSpaces: ({ operator }, _, { store }) => store.listSpaces(operator),
  apiKeys: ({ operator }, _, { store }) => store.listApiKeys(operator),
};

export const admin = { Query, Mutation, Admin };
