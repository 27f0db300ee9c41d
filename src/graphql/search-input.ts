import { AppError } from '../errors.js';
import type { SearchRequest } from '../retrieve/retrieve.js';
import { searchFilter } from './filter-input.js';
import { LIMITS, limitExceeded } from './limits.js';
import type { SearchInput } from './schema.generated.js';

/** A question as it arrives → as `retrieve` takes it. null is the same as left out, except inside the filter. */
export function searchRequest(input: SearchInput, first: number, after?: string | null): SearchRequest {
  const { query, filter, ...rest } = input;
  checkQuestion(input);
  return {
    ...withoutNulls(rest),
    ...(query == null ? {} : { query }),
    ...(filter == null ? {} : { filter: searchFilter(filter, 'input.filter') }),
    exact: input.exact,
    rerank: input.rerank,
    first,
    ...(after == null ? {} : { after }),
  };
}

function checkQuestion({ query, vector, mode }: SearchInput): void {
  if ((query == null) === (vector == null))
    throw invalid('input.query', `exactly one of query and vector, got ${query == null ? 'neither' : 'both'}`);
  if (vector != null && mode != null && mode !== 'VECTOR')
    throw invalid('input.mode', `VECTOR with a ready-made vector, got ${mode}`);
  if (query == null) return;
  if (query.length > LIMITS.queryCharacters.maximum) throw limitExceeded('queryCharacters', query.length);
  if (isBlank(query)) throw invalid('input.query', 'a question, got nothing but white space');
}

/** Nothing that shows: an embedding provider refuses it, and there is nothing to look for. */
function isBlank(text: string): boolean {
  return !/[^\s\p{C}\p{Z}\u2800\u3164\u115f\u1160]/u.test(text);
}

function invalid(at: string, expected: string): AppError {
  return new AppError('BAD_USER_INPUT', `Expected ${expected} at ${at}`, { details: { path: at } });
}

function withoutNulls<T extends object>(values: T): { [K in keyof T]: Exclude<T[K], null> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value != null)) as {
    [K in keyof T]: Exclude<T[K], null>;
  };
}
