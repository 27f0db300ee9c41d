import type { RequestKey } from '../store/rankings.js';
import type { SearchRequest } from './retrieve.js';

/** What of a request decides its ranking: the pages of one search may differ in `first` only. */
export function requestKey({ first: _first, after: _after, ...request }: SearchRequest): RequestKey {
  return sorted(request) as RequestKey;
}

/** Keys in one order, so that the same input written in another order is the same search. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, member]) => [key, sorted(member)]));
}
