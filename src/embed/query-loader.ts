import DataLoader from 'dataloader';
import { AppError } from '../errors.js';
import type { Embedder } from './embedder.js';
import { isBlank } from './text-class.js';

/** More searches than a request may hold. */
const BATCH_LIMIT = 100;

/**
 * A function that embeds one query, and makes one embedding request of all that are asked for in the same turn of the
 * event loop: so all searches of a GraphQL request cost one. Make one loader for each request; a failure fails them all.
 */
export function batchQueries(
  embedder: Embedder,
  { signal }: { signal?: AbortSignal } = {},
): (query: string) => Promise<Float32Array> {
  const loader = new DataLoader<string, Float32Array>(
    (queries) => embedder.embed(queries, { kind: 'query', ...(signal && { signal }) }),
    { maxBatchSize: BATCH_LIMIT, batchScheduleFn: (dispatch) => setImmediate(dispatch) },
  );
  return async (query) => {
    // its own mistake must not fail the others
    if (isBlank(query))
      throw new AppError('BAD_USER_INPUT', 'Expected a query with visible characters, got a blank one');
    return loader.load(query);
  };
}
