import { describe, expect, test } from 'vitest';
import type { Doc } from '../../../../src/pocket-atlas/bson/values.js';
import { normaliseTextDefinition } from '../../../../src/pocket-atlas/search/text/definition.js';
import { find, indexOf } from './text-index-support.js';

describe('queries that are refused', () => {
  test.each<[Doc, string]>([
    [{}, 'Query should contain either an operator'],
    [{ text: { path: 'a' } }, '"text.query" is required'],
    [{ text: { query: 'x' } }, '"text.path" is required'],
    [{ text: { query: 5, path: 'a' } }, '"text.query" must be a string'],
    [{ text: { query: '', path: 'a' } }, '"text.query" cannot be empty'],
    [{ text: { query: 'x', path: 'a', fuzy: {} } }, '"text" unrecognized field "fuzy"'],
    [{ text: { query: 'x', path: 'a', fuzzy: { maxEdits: 3 } } }, '"text.fuzzy.maxEdits" must be within bounds [1..2]'],
    [{ text: { query: 'x', path: 'a', matchCriteria: 'some' } }, '"text.matchCriteria" must be one of [any, all]'],
    [{ text: { query: 'x', path: 'a', score: { boost: { value: -1 } } } }, '"text.score.boost.value" must be positive'],
    [{ text: 'x' }, '"text" must be a document'],
    [{ compound: {} }, '"compound" must have at least one clause'],
    [
      { compound: { should: [{ exists: { path: 'a' } }], minimumShouldMatch: 2 } },
      'cannot be greater than number of should clauses',
    ],
    [{ compound: { must: [{}] } }, '"compound.must[0]" one of ['],
    [{ range: { path: 'a' } }, 'must specify at least one of [lt, lte, gt, gte]'],
    [{ range: { path: 'a', gt: 1, lt: 'z' } }, 'bounds must be of the same type'],
    [{ in: { path: 'a', value: [1, 'a'] } }, 'must have elements of the same type'],
    [{ equals: { path: 'a', value: {} } }, 'must be a boolean, objectId, number, string, date, uuid, or null'],
    [{ autocomplete: { query: 'x', path: 'a' } }, 'autocomplete index field definition not present at path a'],
    [{ wildcard: { query: 'x*', path: 'a' } }, 'allowAnalyzedField'],
    [{ regex: { query: 'x', path: 'a' } }, 'the "regex" operator is not supported by this server'],
    [
      { facet: { facets: {} }, text: { query: 'x', path: 'a' } },
      'Top-level operator is not allowed to be used with collector',
    ],
    [{ facet: { facets: { f: { type: 'number', path: 'a', boundaries: [2, 1] } } } }, 'must be in ascending order'],
    [{ exists: { path: 'a' }, returnStoredSource: true }, 'storedSource is not configured for this index.'],
    [{ queryString: { defaultPath: 'a', query: '"unbalanced' } }, 'lacks its closing quotation mark'],
    [{ queryString: { defaultPath: 'a', query: '('.repeat(40) } }, 'nest deeper'],
    [{ queryString: { defaultPath: 'a', query: 'a AND )' } }, 'unexpected ")"'],
    [
      { text: { query: Array.from({ length: 1100 }, (_, i) => `w${i}`).join(' '), path: 'a' } },
      'maxClauseCount is set to 1024',
    ],
  ])('%j', async (spec, message) => {
    const index = await indexOf({ dynamic: true }, [{ a: 'x' }]);
    await expect(find(index, spec)).rejects.toThrow(message);
  });
});

describe('definitions that are refused', () => {
  test.each<[Doc, string]>([
    [{}, '"definition.mappings" is required'],
    [{ mappings: { dynamic: 'yes' } }, '"definition.mappings.dynamic" must be a boolean'],
    [{ mappings: { fields: { a: { type: 'text' } } } }, '"definition.mappings.fields.a.type" must be one of'],
    [{ mappings: { fields: { a: { type: 'geo' } } } }, '"geo" is not supported by this server'],
    [
      { mappings: { fields: { a: { type: 'string', analyzer: 'klingon' } } } },
      '"klingon" is not an analyzer of this server',
    ],
    [
      { mappings: { fields: { a: { type: 'autocomplete', minGrams: 9, maxGrams: 3 } } } },
      'cannot be greater than maxGrams',
    ],
    [{ mappings: {}, analyzers: [{ name: 'mine' }] }, '"definition.analyzers" is not supported'],
    [{ mappings: {}, nonsense: 1 }, '"definition" unrecognized field "nonsense"'],
  ])('%j', (definition, message) => {
    expect(() => normaliseTextDefinition(definition)).toThrow(message);
  });
});
