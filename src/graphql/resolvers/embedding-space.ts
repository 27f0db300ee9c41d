import type { SpaceRecord } from '../../store/records.js';
import { requireOperator } from '../context.js';
import { namingOtherSpace, operatorViewer } from '../embedding-space-input.js';
import { encodeNodeId, idOf } from '../node-id.js';
import type { EmbeddingSpaceResolvers, MutationResolvers, Similarity } from '../schema.generated.js';
import { withUserErrors } from '../user-errors.js';

const SIMILARITIES: Readonly<Record<SpaceRecord['similarity'], Similarity>> = {
  cosine: 'COSINE',
  dotProduct: 'DOT_PRODUCT',
  euclidean: 'EUCLIDEAN',
};

type Mutations = Pick<MutationResolvers, 'reembed' | 'activateEmbeddingSpace' | 'dropEmbeddingSpace'>;
const Mutation: Mutations = {
  reembed: (_, { input }, context) => {
    const viewer = operatorViewer(context);
    const request = { ...input, dimensions: input.dimensions ?? null };
    const apiKeyId = context.credentials.apiKeyId ?? null;
    return withUserErrors({ job: null, embeddingSpace: null }, async () => {
      const { job, space } = await namingOtherSpace(
        context.reembedding.start(viewer, apiKeyId, request, context.signal),
      );
      return { job, embeddingSpace: space };
    });
  },
  activateEmbeddingSpace: (_, { input }, context) => {
    const operator = requireOperator(context);
    return withUserErrors({ embeddingSpace: null }, async () => ({
      embeddingSpace: await context.reembedding.activate(
        operator,
        idOf('EmbeddingSpace', input.embeddingSpaceId) ?? '',
      ),
    }));
  },
  dropEmbeddingSpace: (_, { input }, context) => {
    const viewer = operatorViewer(context);
    return withUserErrors({ droppedEmbeddingSpaceId: null }, async () => {
      const id = await context.reembedding.drop(viewer, idOf('EmbeddingSpace', input.embeddingSpaceId) ?? '');
      return { droppedEmbeddingSpaceId: encodeNodeId('EmbeddingSpace', id) };
    });
  },
};

const EmbeddingSpace: EmbeddingSpaceResolvers = {
  id: ({ id }) => encodeNodeId('EmbeddingSpace', id),
  similarity: ({ similarity }) => SIMILARITIES[similarity],
};

export const embeddingSpace = { Mutation, EmbeddingSpace };
