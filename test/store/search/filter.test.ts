import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.js';
import type { SearchFilter } from '../../../src/store/filter.js';
import { makeScope } from '../../../src/store/scope.js';
import { parseInstant } from '../../../src/store/search/instant.js';
import { type FilteredDocument, matches } from '../../../src/store/search/matches.js';
import { toPredicate } from '../../../src/store/search/predicate.js';
import { toTextFilter } from '../../../src/store/search/text-filter.js';
import { toVectorFilter } from '../../../src/store/search/vector-filter.js';
import { documentArbitrary, FILTERABLE, filterArbitrary, KEYS } from './filter-arbitrary.js';
import { passesTextClause, passesVectorFilter, type Row } from './index-languages.js';

const scope = makeScope('owner', null);

/** A chunk row as an index sees it: nulls gone, date strings as dates. */
function rowOf(document: FilteredDocument): Row {
  const row = new Map<string, unknown[]>([
    ['owner', ['owner']],
    ['document_id', [new ObjectId(document.id)]],
    ['agent_ids', [...document.agentIds]],
  ]);
  for (const [key, stored] of Object.entries(document.metadata)) {
    const values = [stored].flat().filter((value) => value !== null);
    row.set(
      `metadata.${key}`,
      values.map((value) => (FILTERABLE[key] === 'date' ? parseInstant(value as string) : value)),
    );
  }
  return row;
}

const vectorLeg = (filter: SearchFilter, row: Row) =>
  passesVectorFilter(toVectorFilter(scope, toPredicate(filter, KEYS)), row);
const textLeg = (filter: SearchFilter, row: Row) =>
  toTextFilter(scope, toPredicate(filter, KEYS)).every((clause) => passesTextClause(clause, row));

const isScalar = (document: FilteredDocument) => !Object.values(document.metadata).some(Array.isArray);

describe('index filters', () => {
  it('never lose a document that the naive matcher passes, and are exact on scalar metadata', () => {
    fc.assert(
      fc.property(filterArbitrary, fc.array(documentArbitrary, { minLength: 1, maxLength: 5 }), (filter, documents) => {
        for (const document of documents) {
          const expected = matches(filter, document, KEYS);
          const row = rowOf(document);
          const actual = { vector: vectorLeg(filter, row), text: textLeg(filter, row) };
          if (expected) expect(actual).toEqual({ vector: true, text: true });
          else if (isScalar(document)) expect(actual).toEqual({ vector: false, text: false });
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('are exact on arrays in the text leg, where one range holds for one element', () => {
    const document = { id: '1'.repeat(24), agentIds: [], metadata: { year: [1, 10] } };
    const between = { metadata: [{ key: 'year', gt: 3, lt: 5 }] };
    expect(matches(between, document, KEYS)).toBe(false);
    expect(textLeg(between, rowOf(document))).toBe(false);
    expect(textLeg({ not: between }, rowOf(document))).toBe(true);
    expect(vectorLeg({ not: between }, rowOf(document))).toBe(true);
  });

  it('hold every search to the scope, whatever the filter says', () => {
    const bound = makeScope('me', ['ann']);
    fc.assert(
      fc.property(filterArbitrary, documentArbitrary, (filter, document) => {
        const predicate = toPredicate({ or: [filter, { not: filter }] }, KEYS);
        for (const [owner, agents] of [
          ['me', ['bob']],
          ['other', ['ann']],
          ['me', []],
        ] as const) {
          // biome-ignore format: table
          const row = new Map([...rowOf(document), ['owner', [owner]], ['agent_ids', agents]]) as Row;
          expect(passesVectorFilter(toVectorFilter(bound, predicate), row)).toBe(false);
          expect(toTextFilter(bound, predicate).every((clause) => passesTextClause(clause, row))).toBe(false);
        }
      }),
    );
  });

  it('leave equality with a value of another type to re-validation instead of losing rows', () => {
    const odd = { id: '1'.repeat(24), agentIds: [], metadata: { year: 'unknown' } };
    const filter = { metadata: [{ key: 'year', eq: 'unknown' }] };
    expect(matches(filter, odd, KEYS)).toBe(true);
    expect(vectorLeg(filter, rowOf(odd))).toBe(true);
    expect(textLeg(filter, new Map([['owner', ['owner']]]))).toBe(true);
  });
});

describe('the naive matcher', () => {
  const passes = (filter: SearchFilter, metadata: FilteredDocument['metadata']) =>
    matches(filter, { id: '1'.repeat(24), agentIds: ['ann'], metadata }, KEYS);
  const table: [string, SearchFilter, FilteredDocument['metadata'], boolean][] = [
    ['ne matches a missing key', { metadata: [{ key: 'topic', ne: 'a' }] }, {}, true],
    ['nin matches null', { metadata: [{ key: 'topic', nin: ['a'] }] }, { topic: null }, true],
    ['exists: false matches null', { metadata: [{ key: 'topic', exists: false }] }, { topic: null }, true],
    ['an empty nin restricts nothing', { metadata: [{ key: 'topic', nin: [] }] }, {}, true],
    ['an empty in matches nothing', { metadata: [{ key: 'topic', in: [] }] }, { topic: 'a' }, false],
    ['empty ids match nothing', { ids: [] }, {}, false],
    ['an empty or matches nothing', { or: [] }, {}, false],
    ['an empty and restricts nothing', { and: [] }, {}, true],
    ['eq matches an element', { metadata: [{ key: 'year', eq: 2 }] }, { year: [1, 2] }, true],
    ['ne is the complement of eq on arrays', { metadata: [{ key: 'year', ne: 2 }] }, { year: [1, 2] }, false],
    ['bounds hold for one element', { metadata: [{ key: 'year', gt: 3, lt: 5 }] }, { year: [1, 10] }, false],
    ['bounds skip other types', { metadata: [{ key: 'year', gt: 3 }] }, { year: '4' }, false],
    ['strings are case-sensitive', { metadata: [{ key: 'topic', eq: 'A' }] }, { topic: 'a' }, false],
    ['dates compare as instants', { metadata: [{ key: 'due', eq: '2024-01-01T00:00:00Z' }] }, { due: '2024-01-01T01:00:00+01:00' }, true], // biome-ignore format: table
    ['a key named like an Object method is only a key', { not: { ids: [] } }, { constructor: 1 }, true],
  ];
  it.each(table)('%s', (_claim, filter, metadata, expected) => {
    expect(passes(filter, metadata)).toBe(expected);
  });
});

describe('a filter is refused', () => {
  const refusal = (filter: SearchFilter) => {
    try {
      toPredicate(filter, KEYS);
    } catch (error) {
      return error as AppError;
    }
    throw new Error('was not refused');
  };
  it('by the name of a key that is not declared, also when Object has a method of that name', () => {
    for (const key of ['colour', 'constructor', '__proto__']) {
      const error = refusal({ not: { metadata: [{ key, exists: true }] } });
      expect(error).toBeInstanceOf(AppError);
      expect(error).toMatchObject({ code: 'BAD_USER_INPUT', message: expect.stringContaining(`"${key}"`) });
    }
  });
  it('for a date that is none and a bound of another type', () => {
    for (const condition of [
      { key: 'due', eq: '2024-02-30T00:00:00Z' },
      { key: 'due', gt: 'tomorrow' },
      { key: 'year', gt: '2024' },
      { key: 'topic', lte: 3 },
    ]) {
      expect(refusal({ metadata: [condition] }).code).toBe('BAD_USER_INPUT');
    }
  });
});
