import type { Rankings } from '../store/rankings.js';
import type { Scope } from '../store/scope.js';
import { diagnosticsOf } from './diagnostics.js';
import { explainSearch } from './explain.js';
import type { RerankParts } from './rerank/rerank-best.js';
import { DEFAULT_RERANK_COUNT } from './rerank/reranker.js';
import type { Retrieve, SearchOptions, SearchRequest, SearchResult } from './retrieve.js';
import { nextPage, openCursor, rankedPage, type SearchParts } from './search.js';
import { similarChunks } from './similar-chunks.js';
import { type RunParts, runStarter, type StartRun } from './start-run.js';
import { whyNot } from './why-not.js';

export interface RetrieveOptions extends RunParts, Partial<RerankParts> {
  readonly rankings: Rankings;
}

/** What the four operations share. */
export interface RetrieveContext extends SearchParts {
  readonly store: RunParts['store'];
  readonly search: RunParts['search'];
  readonly startRun: StartRun;
}

const DEFAULT_RERANK_DEADLINE_MS = 5_000;

/** Builds the retriever. All it keeps between searches is bounded caches. */
export function createRetrieve(options: RetrieveOptions): Retrieve {
  const context: RetrieveContext = {
    store: options.store,
    search: options.search,
    rankings: options.rankings,
    reranker: options.reranker ?? null,
    rerankDeadlineMs: options.rerankDeadlineMs ?? DEFAULT_RERANK_DEADLINE_MS,
    rerankCount: options.rerankCount ?? DEFAULT_RERANK_COUNT,
    startRun: runStarter(options),
  };
  return {
    search: (scope, request, searchOptions) => search(context, scope, request, searchOptions),
    similarChunks: (scope, chunkId, request, searchOptions) =>
      similarChunks(context, scope, chunkId, request, searchOptions),
    explainSearch: (scope, request, searchOptions) => explainSearch(context, scope, request, searchOptions),
    whyNot: (scope, request, documentId, searchOptions) => whyNot(context, scope, request, documentId, searchOptions),
  };
}

async function search(
  context: RetrieveContext,
  scope: Scope,
  request: SearchRequest,
  options: SearchOptions,
): Promise<SearchResult> {
  const started = performance.now();
  return await context.startRun(scope, request, options, async (run, isEmpty) => {
    const cursor = await openCursor(run, context.rankings);
    if (isEmpty) return { hits: [], hasNextPage: false, diagnostics: diagnosticsOf(run, null, 0, started) };
    if (cursor?.kept) {
      const page = await nextPage(run, context, options, { ...cursor, kept: cursor.kept });
      return { ...page, diagnostics: diagnosticsOf(run, null, page.staleDropped, started) };
    }
    const { hits, hasNextPage, ranking } = await rankedPage(run, context, options, cursor);
    const numCandidates = ranking.legs.vector?.leg.numCandidates ?? null;
    return { hits, hasNextPage, diagnostics: diagnosticsOf(run, numCandidates, ranking.staleDropped, started) };
  });
}
