import { checkDocumentFilter, checkSearchFilter } from '../store/check-filter.js';
import type { DocumentFilter, SearchFilter } from '../store/filter.js';
import { idOf } from './node-id.js';

/**
 * Filters as they arrive → filters as the store takes them: checked (`store/check-filter.ts` keeps them from failing
 * open), then with the store's ids for the opaque ones. An id that is none of ours matches nothing.
 */
export function documentFilter(input: object, at: string): DocumentFilter {
  return withStoreIds(checkDocumentFilter(input, at));
}

export function searchFilter(input: object, at: string): SearchFilter {
  return withStoreIds(checkSearchFilter(input, at));
}

/** The part of a filter that holds ids; `and`, `or` and `not` hold more of the same kind. */
interface WithIds<F> {
  readonly ids?: readonly string[];
  readonly and?: readonly F[];
  readonly or?: readonly F[];
  readonly not?: F;
}

function withStoreIds<F extends WithIds<F>>(filter: F): F {
  const { ids, and, or, not } = filter;
  return {
    ...filter,
    ...(ids && { ids: ids.flatMap((id) => idOf('Document', id) ?? []) }),
    ...(and && { and: and.map(withStoreIds) }),
    ...(or && { or: or.map(withStoreIds) }),
    ...(not && { not: withStoreIds(not) }),
  };
}
