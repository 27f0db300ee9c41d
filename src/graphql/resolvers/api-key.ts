import { newApiKey, noSuchApiKey } from '../api-key-input.js';
import { requireOperator } from '../context.js';
import { encodeNodeId, idOf } from '../node-id.js';
import type { ApiKeyResolvers, MutationResolvers } from '../schema.generated.js';
import { withUserErrors } from '../user-errors.js';

const Mutation: Pick<MutationResolvers, 'createApiKey' | 'revokeApiKey'> = {
  createApiKey: (_, { input }, context) => {
    const operator = requireOperator(context);
    return withUserErrors({ apiKey: null, secret: null }, async () => {
      const created = await context.store.createApiKey(operator, newApiKey(input, context.credentials));
      context.keyCreated();
      return created;
    });
  },
  revokeApiKey: (_, { input }, context) => {
    const operator = requireOperator(context);
    return withUserErrors({ revokedApiKeyId: null }, async () => {
      const id = idOf('ApiKey', input.apiKeyId);
      const revoked = id && (await context.store.revokeApiKey(operator, id));
      if (!revoked) throw noSuchApiKey();
      return { revokedApiKeyId: encodeNodeId('ApiKey', revoked) };
    });
  },
};

const ApiKey: ApiKeyResolvers = {
  id: ({ id }) => encodeNodeId('ApiKey', id),
  ownerId: ({ owner }) => owner,
};

export const apiKey = { Mutation, ApiKey };
