import type { SpaceRecord } from '../../store/records.js';
import { requireOperator } from '../context.js';
import { encodeNodeId, idOf } from '../node-id.js';
import { notImplemented } from '../not-implemented.js';
import type { EmbeddingSpaceResolvers, MutationResolvers, Similarity } from '../schema.generated.js';
import { withUserErrors } from '../user-errors.js';

const SIMILARITIES: Readonly<Record<SpaceRecord['similarity'], Similarity>> = {
  cosine: 'COSINE',
  dotProduct: 'DOT_PRODUCT',
  euclidean: 'EUCLIDEAN',
};

type Mutations = Pick<MutationResolvers, 'reembed' | 'activateEmbeddingSpace' | 'dropEmbeddingSpace'>;
const Mutation: Mutations = {
  reembed: (_, __, context) => notImplemented('reembed', requireOperator(context)),
  activateEmbeddingSpace: (_, __, context) => notImplemented('activateEmbeddingSpace', requireOperator(context)),
  dropEmbeddingSpace: (_, { input }, context) => {
    const operator = requireOperator(context);
    return withUserErrors({ droppedEmbeddingSpaceId: null }, async () => {
      const id = await context.store.dropSpace(operator, idOf('EmbeddingSpace', input.embeddingSpaceId) ?? '');
      return { droppedEmbeddingSpaceId: encodeNodeId('EmbeddingSpace', id) };
    });
  },
};

const EmbeddingSpace: EmbeddingSpaceResolvers = {
  id: ({ id }) => encodeNodeId('EmbeddingSpace', id),
  similarity: ({ similarity }) => SIMILARITIES[similarity],
};

export const embeddingSpace = { Mutation, EmbeddingSpace };
