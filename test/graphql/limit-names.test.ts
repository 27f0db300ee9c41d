import { expect, test } from 'vitest';
import { LIMITS } from '../../src/graphql/limits.js';
import { checkRequest } from '../../src/retrieve/check-request.js';
import { checkSearchFilter } from '../../src/store/check-filter.js';
import type { SpaceRecord } from '../../src/store/records.js';

const many = (count: number) => Array.from({ length: count }, (_, index) => `t${index}`);
const nested = (depth: number): object => (depth === 0 ? { titles: ['t'] } : { not: nested(depth - 1) });

const ABOVE = {
  filterTitles: () => checkSearchFilter({ titles: many(LIMITS.filterTitles.maximum + 1) }),
  filterNesting: () => checkSearchFilter(nested(LIMITS.filterNesting.maximum)),
  filterValues: () => checkSearchFilter({ ids: many(LIMITS.filterValues.maximum + 1) }),
  queryCharacters: () =>
    checkRequest(
      { first: 1, exact: false, rerank: false, query: 'q'.repeat(LIMITS.queryCharacters.maximum + 1) },
      {} as SpaceRecord,
    ),
};

test.each(Object.entries(ABOVE))('what is above %s is refused in the name of that limit', (limit, ask) => {
  const { maximum, code } = LIMITS[limit as keyof typeof ABOVE];
  expect(ask).toThrow(expect.objectContaining({ code, details: expect.objectContaining({ limit, maximum }) }));
});
