/**
 * Global ids: base64url of "<Type>:<id>". The only place that knows their form. Ids of the store are 24 hex digits,
 * those of spaces "s" and a number. What does not decode is an id of nothing, never an error.
 */
const ID_FORMS = {
  Document: /^[0-9a-f]{24}$/,
  Chunk: /^[0-9a-f]{24}$/,
  Job: /^[0-9a-f]{24}$/,
  ApiKey: /^[0-9a-f]{24}$/,
  EmbeddingSpace: /^s[0-9]{1,9}$/,
} as const;

export type NodeType = keyof typeof ID_FORMS;

export interface NodeId {
  readonly type: NodeType;
  readonly id: string;
}

/** Longer strings are no ids of ours: nothing is decoded for them. */
const MAX_NODE_ID_CHARACTERS = 64;

export function encodeNodeId(type: NodeType, id: string): string {
  return Buffer.from(`${type}:${id}`, 'utf8').toString('base64url');
}

export function decodeNodeId(nodeId: string): NodeId | null {
  if (nodeId.length > MAX_NODE_ID_CHARACTERS) return null;
  const [type, id, ...rest] = Buffer.from(nodeId, 'base64url').toString('utf8').split(':');
  if (type === undefined || id === undefined || rest.length > 0 || !isNodeType(type)) return null;
  // base64 decoders skip what they do not know: only the one spelling that we hand out is an id.
  if (!ID_FORMS[type].test(id) || encodeNodeId(type, id) !== nodeId) return null;
  return { type, id };
}

/** The store's id behind a global id of this type; null for any other. */
export function idOf(type: NodeType, nodeId: string): string | null {
  const decoded = decodeNodeId(nodeId);
  return decoded?.type === type ? decoded.id : null;
}

function isNodeType(type: string): type is NodeType {
  return Object.hasOwn(ID_FORMS, type);
}
