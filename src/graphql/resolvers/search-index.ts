import { requireOperator } from '../context.js';
import type { MutationResolvers } from '../schema.generated.js';
import { withUserErrors } from '../user-errors.js';

const Mutation: Pick<MutationResolvers, 'ensureSearchIndexes'> = {
  ensureSearchIndexes: (_, __, context) => {
    const operator = requireOperator(context);
    return withUserErrors({ searchIndexes: [] }, async () => ({
      searchIndexes: await context.store.ensureSearchIndexes(operator),
    }));
  },
};

export const searchIndex = { Mutation };
