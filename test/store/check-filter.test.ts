import { describe, expect, test } from 'vitest';
import {
  checkDocumentFilter,
  checkSearchFilter,
  MAX_FILTER_NESTING,
  MAX_FILTER_TITLES,
  MAX_FILTER_VALUES,
} from '../../src/store/check-filter.js';

const nested = (levels: number): object => (levels === 1 ? { ids: ['a'] } : { not: nested(levels - 1) });
const many = (count: number): string[] => Array.from({ length: count }, (_, index) => `v${index}`);

describe('filters that could fail open are refused, naming the place', () => {
  const refused: [string, unknown, RegExp][] = [
    ['null for the filter', null, /at filter: expected an object, got null/],
    ['null for a list', { ids: null }, /at filter\.ids: expected a list, got null/],
    ['null inside a list', { ids: ['a', null] }, /at filter\.ids\[1\]/],
    ['undefined for a list', { ids: undefined }, /at filter\.ids/],
    ['null for not', { not: null }, /at filter\.not/],
    ['null for a Boolean', { hasLastError: null }, /at filter\.hasLastError/],
    ['an empty object in not', { not: {} }, /at filter\.not: it is empty/],
    ['an empty object in and', { and: [{}] }, /at filter\.and\[0\]: it is empty/],
    ['an empty object in or', { or: [{ ids: ['a'] }, {}] }, /at filter\.or\[1\]: it is empty/],
    ['a condition without operator', { metadata: [{ key: 'k' }] }, /at filter\.metadata\[0\]: it has no operator/],
    ['a null operator', { metadata: [{ key: 'k', eq: null }] }, /at filter\.metadata\[0\]\.eq.*got null/],
    ['a condition without key', { metadata: [{ eq: 1 }] }, /it has no key/],
    ['an operator object as a value', { metadata: [{ key: 'k', eq: { $ne: '' } }] }, /got object/],
    ['a list as a value', { metadata: [{ key: 'k', eq: ['a'] }] }, /got a list/],
    ['NaN', { metadata: [{ key: 'k', gt: Number.NaN }] }, /finite/],
    ['an operator as a key', { metadata: [{ key: '$where', eq: 'x' }] }, /metadata key/],
    ['a dotted key', { metadata: [{ key: 'a.b', eq: 'x' }] }, /metadata key/],
    ['a NUL in a key', { metadata: [{ key: 'a\0', eq: 'x' }] }, /metadata key/],
    ['an unknown field', { owner: 'victim' }, /no field "owner"/],
    ['a field of Object', { constructor: ['x'] }, /no field "constructor"/],
    ['an unknown status', { statuses: ['GONE'] }, /one of READY/],
    ['a string instead of a list', { titles: 'abc' }, /expected a list/],
  ];
  test.each(refused)('%s', (_name, filter, message) => {
    expect(() => checkDocumentFilter(filter)).toThrow(expect.objectContaining({ code: 'BAD_USER_INPUT' }));
    expect(() => checkDocumentFilter(filter)).toThrow(message);
  });
});

test('empty lists are allowed where the contract gives them a meaning', () => {
  const filter = {
    ids: [],
    titles: [],
    agentIds: [],
    statuses: [],
    metadata: [{ key: 'k', in: [], nin: [] }],
    and: [],
    or: [],
  };
  expect(checkDocumentFilter(filter)).toEqual(filter);
});

test('a search filter knows neither statuses nor errors', () => {
  expect(() => checkSearchFilter({ statuses: ['READY'] })).toThrow(/no field "statuses"/);
  expect(() => checkSearchFilter({ not: { hasLastError: true } })).toThrow(/at filter\.not: it has no field/);
});

describe('limits hold on both sides', () => {
  test(`nesting of ${MAX_FILTER_NESTING}`, () => {
    expect(checkDocumentFilter(nested(MAX_FILTER_NESTING))).toBeTruthy();
    expect(() => checkDocumentFilter(nested(MAX_FILTER_NESTING + 1))).toThrow(/nest at most 8/);
  });

  test('nesting that would exhaust the stack is a refusal too', () => {
    expect(() => checkDocumentFilter(nested(5_000))).toThrow(/nest at most 8/);
  });

  test(`${MAX_FILTER_VALUES} values over the whole filter`, () => {
    expect(checkDocumentFilter({ or: [{ ids: many(MAX_FILTER_VALUES - 1) }, { titles: ['t'] }] })).toBeTruthy();
    expect(() => checkDocumentFilter({ or: [{ ids: many(MAX_FILTER_VALUES) }, { titles: ['t'] }] })).toThrow(
      /500 values/,
    );
  });

  test('a long list of empty lists is bounded as well', () => {
    expect(() => checkDocumentFilter({ and: Array.from({ length: 2_000 }, () => ({ or: [] })) })).toThrow(/1000 parts/);
  });

  test(`${MAX_FILTER_TITLES} titles in a search filter`, () => {
    expect(checkSearchFilter({ titles: many(MAX_FILTER_TITLES) })).toBeTruthy();
    expect(() => checkSearchFilter({ titles: many(MAX_FILTER_TITLES + 1) })).toThrow(/at most 100/);
  });
});
