import { AppError } from '../errors.js';
import type { SearchFilter } from '../store/filter.js';
import type { SpaceRecord } from '../store/records.js';
import type { Scope } from '../store/scope.js';
import { NO_FILTER } from '../store/search/search-store.js';
import type { RetrieveContext } from './create-retrieve.js';
import { startDeadline } from './deadline.js';
import { diagnosticsOf } from './diagnostics.js';
import { completePage } from './page.js';
import { rank } from './rank.js';
import type { SearchOptions, SearchRequest, SearchResult } from './retrieve.js';

/** Reading the chunk and its vector, by id. */
const READ_MS = 5_000;

/**
 * The chunks nearest to a chunk, itself left out, by the vector that is stored for it: nothing is embedded. null: there is
 * no such chunk in scope.
 */
export async function similarChunks(
  context: RetrieveContext,
  scope: Scope,
  chunkId: string,
  { filter, first }: { filter?: SearchFilter; first: number },
  options: SearchOptions,
): Promise<SearchResult | null> {
  const started = performance.now();
  const id = chunkId.toLowerCase();
  // Read once: a switch in between would compare vectors of two models.
  const space = await context.store.activeSpace();
  const vector = await storedVector(context, scope, id, space, options.signal);
  if (vector === null) return null;
  const request: SearchRequest = {
    vector: Array.from(vector),
    mode: 'VECTOR',
    exact: false,
    rerank: false,
    first,
    ...(filter !== undefined && { filter }),
  };
  return await context.startRun(scope, request, { ...options, space }, async (run, isEmpty) => {
    if (isEmpty) return { hits: [], hasNextPage: false, diagnostics: diagnosticsOf(run, null, 0, started) };
    // One more for the chunk itself, one for the next page.
    const ranking = await rank(run, { depth: first + 2, need: first + 2, withText: options.needsText ? first + 1 : 0 });
    const others = ranking.live.filter((hit) => hit.id !== id);
    const page = others.slice(0, first).map((hit, index) => ({ ...hit, place: index, rank: index + 1 }));
    return {
      hits: await completePage(run, context.rankings, page, options, null),
      hasNextPage: others.length > first,
      diagnostics: diagnosticsOf(run, ranking.legs.vector?.leg.numCandidates ?? null, ranking.staleDropped, started),
    };
  });
}

async function storedVector(
  { search }: RetrieveContext,
  scope: Scope,
  id: string,
  space: SpaceRecord,
  signal?: AbortSignal,
): Promise<Float32Array | null> {
  const deadline = startDeadline(READ_MS, signal);
  try {
    const states = await search.revalidate(scope, [id], NO_FILTER, new Set(), deadline);
    if (states.get(id)?.state !== 'LIVE') return null;
    const vector = (await search.vectors(scope, space, [id], deadline)).get(id);
    if (vector === undefined)
      throw new AppError(
        'INDEX_NOT_READY',
        `The chunk has no vector in the active space ${space.id} yet; try again soon`,
      );
    return vector;
  } finally {
    deadline.end();
  }
}
