import type { SearchIndexState } from '../search-indexes.js';
import type { PreparedFilter, Readiness } from './search-store.js';

/** Whether a search may rely on an index in this state, with this filter. Pure. */
export function readinessOf(state: SearchIndexState, filter: PreparedFilter): Readiness {
  const base = { status: state.status, key: null };
  if (!state.usable) return { ...base, isReady: false, reason: whyUnusable(state) };
  const key = filter.keys.find((used) => state.pendingKeys.has(used));
  if (key === undefined) return { ...base, isReady: true, reason: '' };
  const reason = `the search index ${state.name} does not filter on metadata key "${key}" yet: it is being updated, try again soon`; // biome-ignore format: one sentence
  return { ...base, isReady: false, reason, key };
}

function whyUnusable({ name, status, queryable, problems }: SearchIndexState): string {
  if (status === 'DOES_NOT_EXIST') return `the search index ${name} does not exist: ${problems[0] ?? 'call ensureSearchIndexes'}`; // biome-ignore format: one sentence
  if (!queryable) return `the search index ${name} is ${status} and cannot be searched yet: try again soon`;
  return `the search index ${name} does not fit (${problems.join('; ')}): call ensureSearchIndexes`;
}
