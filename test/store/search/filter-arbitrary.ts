import fc from 'fast-check';
import type { MetadataCondition, SearchFilter } from '../../../src/store/filter.js';
import type { FilterKeys } from '../../../src/store/filter-mql.js';
import type { Filterable, Metadata } from '../../../src/store/records.js';
import type { FilteredDocument } from '../../../src/store/search/matches.js';

/** Few values of each kind, so that random documents and random conditions meet often. */
export const FILTERABLE: Filterable = { topic: 'string', year: 'number', open: 'boolean', due: 'date' };
export const KEYS: FilterKeys = { declared: FILTERABLE, pending: new Set() };
export const DOCUMENT_IDS = [1, 2, 3, 4].map((n) => String(n).padStart(24, '0'));
const AGENTS = ['ann', 'bob', 'cid'];
const VALUES = {
  topic: ['a', 'b', 'B', 'é', ''],
  year: [-1, 0, 1, 2.5, 2024],
  open: [true, false],
  due: ['2024-01-01T00:00:00Z', '2024-01-01T01:00:00+01:00', '2024-01-01T00:00:00.001Z', '2025-06-30T12:00:00Z'],
} as const;
type Key = keyof typeof VALUES;
const NAMES = Object.keys(VALUES) as Key[];

const scalarOf = (key: Key) => fc.constantFrom<string | number | boolean>(...VALUES[key]);

/** Values of the declared types, missing keys, nulls and arrays. */
export const metadataArbitrary: fc.Arbitrary<Metadata> = fc
  .record(
    Object.fromEntries(
      NAMES.map((key) => {
        const value = scalarOf(key);
        return [
          key,
          fc.oneof(
            { weight: 3, arbitrary: value },
            { weight: 2, arbitrary: fc.array(value, { minLength: 1, maxLength: 3 }) },
            { weight: 1, arbitrary: fc.constant(null) },
          ),
        ];
      }),
    ),
    { requiredKeys: [] },
  )
  .map((metadata) => metadata as Metadata);

export const documentArbitrary: fc.Arbitrary<FilteredDocument> = fc.record({
  id: fc.constantFrom(...DOCUMENT_IDS),
  agentIds: fc.subarray(AGENTS),
  metadata: metadataArbitrary,
});

const conditionArbitrary: fc.Arbitrary<MetadataCondition> = fc.constantFrom(...NAMES).chain((key) => {
  const value = scalarOf(key);
  const values = fc.array(value, { maxLength: 3 });
  return fc
    .record(
      {
        eq: value,
        ne: value,
        in: values,
        nin: values,
        gt: value,
        gte: value,
        lt: value,
        lte: value,
        exists: fc.boolean(),
      },
      { requiredKeys: [] },
    )
    .filter((condition) => Object.keys(condition).length > 0)
    .map((condition) => ({ key, ...condition }));
});

const notEmpty = (filter: SearchFilter) => Object.keys(filter).length > 0;
const simpleArbitrary: fc.Arbitrary<SearchFilter> = fc
  .record(
    {
      ids: fc.subarray(DOCUMENT_IDS),
      agentIds: fc.subarray(AGENTS),
      metadata: fc.array(conditionArbitrary, { maxLength: 2 }),
    },
    { requiredKeys: [] },
  )
  .filter(notEmpty);

/** Built level by level: a recursive arbitrary with three branches grows without end. */
const deeper = (inner: fc.Arbitrary<SearchFilter>): fc.Arbitrary<SearchFilter> =>
  fc.oneof(
    simpleArbitrary,
    inner.map((not) => ({ not })),
    fc
      .record(
        { and: fc.array(inner, { maxLength: 2 }), or: fc.array(inner, { maxLength: 3 }), not: inner },
        { requiredKeys: [] },
      )
      .filter(notEmpty),
    fc.tuple(simpleArbitrary, inner).map(([simple, not]) => ({ ...simple, not })),
  );

export const filterArbitrary: fc.Arbitrary<SearchFilter> = deeper(deeper(deeper(simpleArbitrary)));
