import { Refusal } from '../errors.js';
import type { OperatorViewer } from '../ingest/reembed/reembedding.js';
import { OtherSpaceExists } from '../store/space-changes.js';
import { type RequestContext, requireOperator } from './context.js';
import { encodeNodeId } from './node-id.js';

/** Throws FORBIDDEN for anyone but an administrator. */
export function operatorViewer(context: RequestContext): OperatorViewer {
  return { scope: context.scope, operator: requireOperator(context) };
}

/** Adds the id by which the space in the way is dropped or activated: the store does not know global ids. */
export async function namingOtherSpace<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof OtherSpaceExists)) throw error;
    const id = encodeNodeId('EmbeddingSpace', error.space.id);
    throw new Refusal(error.code, `${error.message} (embeddingSpaceId: "${id}")`, error.path, { cause: error });
  }
}
