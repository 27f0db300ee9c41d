import { describe, expect, test } from 'vitest';
import { multiAnalyzers } from '../../src/analyzers.js';
import { indexProblems } from '../../src/store/index-problems.js';
import type { Filterable, FilterableType } from '../../src/store/records.js';
import {
  definitionBytes,
  filterableProblems,
  MAX_DEFINITION_BYTES,
  textIndex,
  vectorIndex,
} from '../../src/store/search-index-definitions.js';

const TYPES: FilterableType[] = ['string', 'number', 'boolean', 'date'];
const space = { id: 's1', dimensions: 1536, similarity: 'cosine' } as const;
const fortyKeys: Filterable = Object.fromEntries(
  Array.from({ length: 40 }, (_, index) => [`meta_key_${index}`, TYPES[index % 4] as FilterableType]),
);
const FIVE_LANGUAGES = ['en', 'de', 'fr', 'es', 'pt'];

test('40 keys and eight analyzers stay under the 3 KB of a free cluster', () => {
  expect(multiAnalyzers(FIVE_LANGUAGES)).toHaveLength(7);
  expect(definitionBytes(vectorIndex({ ...space, id: 's999' }, fortyKeys))).toBeLessThanOrEqual(MAX_DEFINITION_BYTES);
  expect(definitionBytes(textIndex(fortyKeys, FIVE_LANGUAGES))).toBeLessThanOrEqual(MAX_DEFINITION_BYTES);
  expect(filterableProblems(fortyKeys, FIVE_LANGUAGES)).toEqual([]);
});

test('keys that do not fit are told before anything is created', () => {
  expect(filterableProblems({ ...fortyKeys, one_more: 'string' }, ['en'])).toEqual([
    expect.stringMatching(/At most 40/),
  ]);
  expect(filterableProblems({ 'a.b': 'string' }, ['en'])).toEqual([expect.stringMatching(/"a\.b" is not allowed/)]);
  const long = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`${'k'.repeat(60)}${i}`, 'string' as const]));
  expect(filterableProblems(long, ['en'])).toEqual([
    expect.stringMatching(/vector index \d+ bytes/),
    expect.stringMatching(/text index \d+ bytes/),
  ]);
});

test('more than eight analyzers, and a language without one, are refused', () => {
  expect(() => multiAnalyzers([...FIVE_LANGUAGES, 'it'])).toThrow(/at most 5 languages/);
  expect(multiAnalyzers([...FIVE_LANGUAGES, 'zh', 'ja', 'th'])).toHaveLength(7);
  expect(() => multiAnalyzers(['tlh'])).toThrow(/No analyzer for tlh/);
});

describe('what an index lacks is named', () => {
  const vector = vectorIndex(space, { topic: 'string' });
  const text = textIndex({ topic: 'string', year: 'number' }, ['en']);
  const clone = <T>(value: T): T => structuredClone(value);

  test('an index as defined lacks nothing, nor does one with more', () => {
    expect(indexProblems(clone(vector.definition), vector)).toEqual([]);
    expect(indexProblems(clone(text.definition), text)).toEqual([]);
    const more = clone(vector.definition);
    more.fields.push({ type: 'filter', path: 'extra' });
    expect(indexProblems(more, vector)).toEqual([]);
  });

  test('a missing owner path is fatal, a missing metadata key is growth', () => {
    const without = (path: string) => ({
      fields: vector.definition.fields.filter((field: { path: string }) => field.path !== path),
    });
    expect(indexProblems(without('owner'), vector)).toEqual([
      { message: 'filter path "owner" is missing', isGrowth: false },
    ]);
    expect(indexProblems(without('metadata.topic'), vector)).toEqual([
      { message: 'filter path "metadata.topic" is missing', isGrowth: true, metadataKey: 'topic' },
    ]);
  });

  test('other dimensions or another similarity are fatal', () => {
    const other = clone(vector.definition);
    other.fields[0].numDimensions = 768;
    other.fields[0].similarity = 'euclidean';
    expect(indexProblems(other, vector).map(({ message }) => message)).toEqual([
      'path "embeddings.s1" has numDimensions 768, expected 1536',
      'path "embeddings.s1" has similarity euclidean, expected cosine',
    ]);
  });

  test('a text index that maps a key as another type, or lacks an analyzer, says so', () => {
    const other = clone(text.definition);
    other.mappings.fields.metadata.fields.year = { type: 'token' };
    delete other.mappings.fields.text.multi.english;
    expect(indexProblems(other, text)).toEqual([
      { message: 'path "text" lacks the multi analyzer "english" (lucene.english)', isGrowth: true },
      { message: 'path "metadata.year" is not mapped as number', isGrowth: true, metadataKey: 'year' },
    ]);
  });

  test('a path mapped in several ways fits when one of them does', () => {
    const several = clone(text.definition);
    several.mappings.fields.owner = [{ type: 'string' }, { type: 'token' }];
    expect(indexProblems(several, text)).toEqual([]);
  });

  test('anything at all is reported rather than thrown', () => {
    for (const rubbish of [{}, { fields: null }, { mappings: { fields: 3 } }]) {
      expect(indexProblems(rubbish, vector).length).toBeGreaterThan(0);
      expect(indexProblems(rubbish, text).length).toBeGreaterThan(0);
    }
  });
});
