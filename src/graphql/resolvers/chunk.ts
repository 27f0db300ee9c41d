import type { ChunkRecord } from '../../store/records.js';
import { connectionResolvers } from '../connections.js';
import { disappeared } from '../disappeared.js';
import { encodeNodeId } from '../node-id.js';
import type { ChunkConnectionResolvers, ChunkResolvers, TextSpanResolvers } from '../schema.generated.js';

const Chunk: ChunkResolvers = {
  id: ({ id }) => encodeNodeId('Chunk', id),
  document: async ({ documentId }, _, { loaders }) =>
    (await loaders.document.load(documentId)) ?? disappeared('document'),
  text: ({ id, start, end }, _, { loaders, text }) =>
    text.read(end - start, async () => (await loaders.chunkText.load(id)) ?? disappeared('chunk')),
  previous: ({ documentId, ordinal }, _, { loaders }) =>
    ordinal === 0 ? null : loaders.chunkAt.load({ documentId, ordinal: ordinal - 1 }),
  next: ({ documentId, ordinal }, _, { loaders }) => loaders.chunkAt.load({ documentId, ordinal: ordinal + 1 }),
  parent: ({ documentId, parentStart, parentEnd }) =>
    parentStart === null || parentEnd === null ? null : { documentId, start: parentStart, end: parentEnd },
};

const TextSpan: TextSpanResolvers = {
  text: ({ documentId, start, end }, _, { loaders, text }) =>
    text.read(end - start, async () => {
      const whole = (await loaders.documentText.load(documentId)) ?? disappeared('document');
      return whole.slice(start, end);
    }),
};

const ChunkConnection: ChunkConnectionResolvers = connectionResolvers<ChunkRecord>();

export const chunk = { Chunk, TextSpan, ChunkConnection };
