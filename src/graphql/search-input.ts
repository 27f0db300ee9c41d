import type { SearchRequest } from '../retrieve/retrieve.js';
import { searchFilter } from './filter-input.js';
import type { SearchInput } from './schema.generated.js';

/** A question as it arrives → as `retrieve` takes it and checks it. null is the same as left out, except in the filter. */
export function searchRequest(input: SearchInput, first: number, after?: string | null): SearchRequest {
  const { filter, ...rest } = input;
  return {
    ...withoutNulls(rest),
    ...(filter == null ? {} : { filter: searchFilter(filter, 'input.filter') }),
    exact: input.exact,
    rerank: input.rerank,
    first,
    ...(after == null ? {} : { after }),
  };
}

type WithoutNulls<T> = { [K in keyof T]: Exclude<T[K], null> };

function withoutNulls<T extends object>(values: T): WithoutNulls<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value != null)) as WithoutNulls<T>;
}
