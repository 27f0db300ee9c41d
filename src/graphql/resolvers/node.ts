import type { RequestContext } from '../context.js';
import { jobViewer } from '../job-input.js';
import { LIMITS, limitExceeded } from '../limits.js';
import { decodeNodeId, type NodeType } from '../node-id.js';
import type { NodeResolvers, QueryResolvers, ResolversTypes } from '../schema.generated.js';

type Node = Awaited<ResolversTypes['Node']>;
/** How each kind of object is refetched. Kinds without a loader are not reachable by id. */
const LOADERS: Partial<Record<NodeType, (context: RequestContext, id: string) => Promise<Node | null>>> = {
  Document: ({ loaders }, id) => loaders.document.load(id),
  Chunk: ({ loaders }, id) => loaders.chunk.load(id),
  EmbeddingSpace: ({ loaders }, id) => loaders.space.load(id),
  Job: (context, id) => context.store.job(jobViewer(context), id),
};
/** A record does not say what it is: its type is remembered from the id that asked for it. */
const typeOf = new WeakMap<object, NodeType>();

async function nodeById(nodeId: string, context: RequestContext): Promise<Node | null> {
  const decoded = decodeNodeId(nodeId);
  const node = (decoded && (await LOADERS[decoded.type]?.(context, decoded.id))) ?? null;
  if (decoded && node) typeOf.set(node, decoded.type);
  return node;
}

const Query: Pick<QueryResolvers, 'node' | 'nodes'> = {
  node: (_, { id }, context) => nodeById(id, context),
  nodes: (_, { ids }, context) => {
    if (ids.length > LIMITS.ids.maximum) throw limitExceeded('ids', ids.length);
    return Promise.all(ids.map((id) => nodeById(id, context)));
  },
};

const Node: NodeResolvers = {
  __resolveType: (node) => typeOf.get(node) as 'Document' | 'Chunk' | 'EmbeddingSpace' | 'Job',
};

export const node = { Query, Node };
