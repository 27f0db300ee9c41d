import type { SpaceRecord } from '../store/records.js';
import type { Scope } from '../store/scope.js';
import { type Budget, NO_FILTER, type SearchStore } from '../store/search/search-store.js';
import type { Store } from '../store/store.js';
import { checkRequest, type Question } from './check-request.js';
import { startDeadline } from './deadline.js';
import { createFreshness } from './freshness.js';
import { queryLanguage } from './language/query-language.js';
import type { QueryEmbedder } from './query-embedder.js';
import type { SearchOptions, SearchRequest } from './retrieve.js';
import { type Run, wantedLegs } from './run.js';
import { UnseenMemory } from './unseen.js';
import { fusionFor, weightsFor } from './weights.js';

export interface RunParts {
  readonly store: Pick<Store, 'activeSpace' | 'document' | 'listChunks'>;
  readonly search: SearchStore;
  readonly queryEmbedder: QueryEmbedder;
  readonly now?: () => Date;
  /** Milliseconds for a whole search, reranking included. */
  readonly deadlineMs?: number;
}

/**
 * Starts a search, lets `work` finish it within the deadline, and frees what it holds. `isEmpty`: the filter or the scope
 * leaves nothing to find, so that no index has to be asked.
 */
export type StartRun = <T>(
  scope: Scope,
  request: SearchRequest,
  /** `space`: the one that a ready-made vector is of; left out: the active one. */
  options: Pick<SearchOptions, 'signal' | 'embedQuery'> & { readonly space?: SpaceRecord },
  work: (run: Run, isEmpty: boolean) => Promise<T>,
) => Promise<T>;

const DEFAULT_DEADLINE_MS = 15_000;

export function runStarter(parts: RunParts): StartRun {
  const { store, search, queryEmbedder, deadlineMs = DEFAULT_DEADLINE_MS } = parts;
  const freshness = createFreshness(search, parts.now ?? (() => new Date()));
  const unseen = new UnseenMemory();
  const hasChunks = rememberScopes(
    async (scope, budget) => (await search.countChunks(scope, NO_FILTER, 1, budget)) > 0,
  );

  return async (scope, request, options, work) => {
    const finished = new AbortController();
    const deadline = startDeadline(deadlineMs, options.signal);
    try {
      const space = options.space ?? (await store.activeSpace());
      const question = checkRequest(request, space);
      search.checkFilter(request.filter);
      const language =
        question.query === null || question.mode === 'VECTOR' ? null : await queryLanguage(question.query);
      const weights = weightsFor(space, language, request.weights);
      const embed = () => embedded(question, space, AbortSignal.any([deadline.signal, finished.signal]));
      const fixed = {
        search,
        freshness: freshness.forSearch(),
        unseen,
        scope,
        request,
        question,
        mode: question.mode,
        space,
        language,
        weights,
        fusion: fusionFor(request.weights),
      };
      const vector = once(embed);
      // A page of a ranking that was kept needs no vector; anything else asks for it before the database is asked.
      if (request.after === undefined && wantedLegs(fixed).includes('vector')) ignoreFailure(vector());
      const [filter, isPopulated] = await Promise.all([
        search.prepareFilter(scope, request.filter, deadline),
        hasChunks(scope, deadline),
      ]);
      const run: Run = { ...fixed, filter, vector, deadline, deadlineMs, degraded: new Set(), failed: new Map() };
      return await work(run, !isPopulated || filter.documentIds?.length === 0);
    } finally {
      deadline.end();
      finished.abort();
    }

    async function embedded(question: Question, space: SpaceRecord, signal: AbortSignal): Promise<Float32Array> {
      if (question.vector !== null) return question.vector;
      if (options.embedQuery !== undefined) return await options.embedQuery(question.query, space);
      return (await queryEmbedder.embed([question.query], space, signal))[0]!;
    }
  };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** The leg that waits for it sees the failure; a search that ends without needing it does not. */
function ignoreFailure(promise: Promise<unknown>): void {
  promise.catch(() => {});
}

/** Scopes remembered to have chunks. One that loses them all is found to be empty by its legs. */
const MAX_REMEMBERED = 10_000;

function rememberScopes(
  hasChunks: (scope: Scope, budget: Budget) => Promise<boolean>,
): (scope: Scope, budget: Budget) => Promise<boolean> {
  const populated = new Set<string>();
  return async (scope, budget) => {
    const key = JSON.stringify([scope.owner, scope.agents]);
    if (populated.has(key)) return true;
    if (!(await hasChunks(scope, budget))) return false;
    if (populated.size >= MAX_REMEMBERED) populated.clear();
    populated.add(key);
    return true;
  };
}
