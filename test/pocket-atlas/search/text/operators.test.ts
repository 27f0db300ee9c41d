import { Binary, Long, ObjectId } from 'bson';
import { describe, expect, test } from 'vitest';
import type { Doc } from '../../../../src/pocket-atlas/bson/values.js';
import { find, hits, indexOf, meta } from './text-index-support.js';

const text = (query: string | string[], more: Doc = {}): Doc => ({ text: { query, path: 'text', ...more } });
const DYNAMIC: Doc = { dynamic: true };

describe('text', () => {
  const docs = ['red apple pie', 'green apple', 'red wine', 'constructor and __proto__', 'blue'].map((t) => ({
    text: t,
  }));
  test('finds documents with any of the words, the better match first', async () => {
    const index = await indexOf(DYNAMIC, docs);
    expect(await find(index, text('red apple'))).toEqual([1, 2, 3]);
  });
  test('with matchCriteria all every word must be there', async () => {
    expect(await find(await indexOf(DYNAMIC, docs), text('red apple', { matchCriteria: 'all' }))).toEqual([1]);
  });
  test('names of built-in properties are words like others', async () => {
    const index = await indexOf(DYNAMIC, docs);
    expect(await find(index, text('constructor'))).toEqual([4]);
    expect(await find(index, text('__proto__'))).toEqual([4]);
    expect(await find(index, text('hasOwnProperty'))).toEqual([]);
  });
  test('fuzzy forgives up to maxEdits, from prefixLength on, and scores the exact word higher', async () => {
    const index = await indexOf(DYNAMIC, docs);
    expect(await find(index, text('aple', { fuzzy: { maxEdits: 1 } }))).toEqual([2, 1]);
    expect(await find(index, text('aplpe', { fuzzy: { maxEdits: 1 } }))).toEqual([2, 1]);
    expect(await find(index, text('bpple', { fuzzy: { prefixLength: 1 } }))).toEqual([]);
    const exact = await indexOf(DYNAMIC, [{ text: 'apples' }, { text: 'apple' }]);
    expect(await find(exact, text('apple', { fuzzy: {} }))).toEqual([2, 1]);
  });
  test('several paths add up, a wildcard path means all that hold words, an unknown one none', async () => {
    const index = await indexOf(DYNAMIC, [{ a: { t: 'x' }, b: 'x' }, { b: 'x' }, { c: 'y' }]);
    const at = (path: Doc[string]): Promise<number[]> => find(index, { text: { query: 'x', path } });
    expect(await at(['a.t', 'b'])).toEqual([1, 2]);
    expect(await at({ wildcard: 'a.*' })).toEqual([1]);
    expect(await at({ wildcard: '*' })).toEqual([1, 2]);
    expect(await at('nowhere')).toEqual([]);
  });
  test('multi analyzers are paths of their own', async () => {
    const index = await indexOf(
      { fields: { text: { type: 'string', multi: { en: { type: 'string', analyzer: 'lucene.english' } } } } },
      [{ text: 'running tests' }],
    );
    expect(await find(index, { text: { query: 'run', path: 'text' } })).toEqual([]);
    expect(await find(index, { text: { query: 'run', path: { value: 'text', multi: 'en' } } })).toEqual([1]);
  });
  test('boost multiplies, constant replaces', async () => {
    const index = await indexOf(DYNAMIC, docs);
    const score = async (spec: Doc): Promise<number> => (await hits(index, spec))[0]!.score;
    expect(await score(text('wine', { score: { boost: { value: 3 } } }))).toBeCloseTo(
      3 * (await score(text('wine'))),
      5,
    );
    expect(await score(text('wine', { score: { constant: { value: 7 } } }))).toBe(7);
  });
});

describe('phrase', () => {
  const docs = ['state of the art', 'art of the state', 'the state art', 'a long way to go'].map((t) => ({ text: t }));
  const phrase = (query: string, slop = 0): Doc => ({ phrase: { query, path: 'text', slop } });
  test('wants the words in order and side by side', async () => {
    const index = await indexOf(DYNAMIC, docs);
    expect(await find(index, phrase('state of the art'))).toEqual([1]);
    expect(await find(index, phrase('of the'))).toEqual([1, 2]);
  });
  test('slop lets other words in between, at a price', async () => {
    const index = await indexOf(DYNAMIC, docs);
    expect(await find(index, phrase('state art'))).toEqual([3]);
    expect((await find(index, phrase('state art', 2))).sort()).toEqual([1, 3]);
    expect(await find(index, phrase('long go', 1))).toEqual([]);
    expect(await find(index, phrase('long go', 2))).toEqual([4]);
  });
  test('never spans two values of an array', async () => {
    const index = await indexOf(DYNAMIC, [{ text: ['new york', 'times'] }]);
    expect(await find(index, phrase('york times'))).toEqual([]);
  });
});

describe('compound', () => {
  const docs = [
    { text: 'apple pie', kind: 'a' },
    { text: 'apple', kind: 'b' },
    { text: 'pie', kind: 'a' },
  ];
  const mappings: Doc = { fields: { text: { type: 'string' }, kind: { type: 'token' } } };
  const kind = (value: string): Doc => ({ equals: { path: 'kind', value } });
  test.each<[string, Doc, number[]]>([
    ['must ANDs', { must: [text('apple'), text('pie')] }, [1]],
    ['should ORs', { should: [text('apple'), text('pie')] }, [1, 2, 3]],
    ['should beside must only scores', { must: [text('apple')], should: [text('pie')] }, [1, 2]],
    ['minimumShouldMatch counts', { should: [text('apple'), text('pie')], minimumShouldMatch: 2 }, [1]],
    ['filter restricts', { must: [text('apple')], filter: [kind('b')] }, [2]],
    ['mustNot excludes', { must: [text('apple')], mustNot: [text('pie')] }, [2]],
    ['mustNot beside filter', { filter: [kind('a')], mustNot: [text('apple')] }, [3]],
    ['a single clause needs no list', { must: text('pie'), filter: kind('a') }, [3, 1]],
  ])('%s', async (_, compound, expected) => {
    expect(await find(await indexOf(mappings, docs), { compound })).toEqual(expected);
  });
  test('filter and mustNot do not score', async () => {
    const index = await indexOf(mappings, docs);
    expect((await hits(index, { compound: { filter: [kind('a')] } })).map(({ score }) => score)).toEqual([0, 0]);
  });
});

describe('exact values', () => {
  const id = new ObjectId();
  const uuid = new Binary(Buffer.alloc(16, 7), Binary.SUBTYPE_UUID);
  const day = (n: number): Date => new Date(Date.UTC(2026, 0, n));
  const docs: Doc[] = [
    { s: 'Alpha', n: 1, d: day(1), b: true, o: id, u: uuid },
    { s: ['Beta', 'gamma'], n: Long.fromNumber(5), d: day(2), b: false, z: null },
    { n: 2.5 },
  ];
  const mappings: Doc = {
    dynamic: true,
    fields: { s: { type: 'token' }, low: { type: 'token', normalizer: 'lowercase' } },
  };
  test.each<[string, Doc, number[]]>([
    ['a string whole', { equals: { path: 's', value: 'Alpha' } }, [1]],
    ['a string in its case', { equals: { path: 's', value: 'alpha' } }, []],
    ['an element of an array', { equals: { path: 's', value: 'gamma' } }, [2]],
    ['a number of another type', { equals: { path: 'n', value: 5 } }, [2]],
    ['a date', { equals: { path: 'd', value: day(2) } }, [2]],
    ['a Boolean', { equals: { path: 'b', value: false } }, [2]],
    ['an ObjectId', { equals: { path: 'o', value: id } }, [1]],
    ['a UUID', { equals: { path: 'u', value: uuid } }, [1]],
    ['null only where it stands', { equals: { path: 'z', value: null } }, [2]],
    ['in takes any', { in: { path: 's', value: ['Alpha', 'gamma'] } }, [1, 2]],
    ['in of numbers', { in: { path: 'n', value: [1, 2.5] } }, [1, 3]],
    ['a range of numbers', { range: { path: 'n', gt: 1, lte: 5 } }, [2, 3]],
    ['a range of dates', { range: { path: 'd', lt: day(2) } }, [1]],
    ['a range of strings', { range: { path: 's', gte: 'Beta', lt: 'h' } }, [2]],
    ['exists', { exists: { path: 's' } }, [1, 2]],
  ])('%s', async (_, spec, expected) => {
    expect((await find(await indexOf(mappings, docs), spec)).sort()).toEqual(expected);
  });
  test('a string without a token field equals nothing', async () => {
    expect(await find(await indexOf(DYNAMIC, docs), { equals: { path: 's', value: 'Alpha' } })).toEqual([]);
  });
  test('a lower-case token field folds what is stored and what is asked', async () => {
    const index = await indexOf(mappings, [{ low: 'MiXed' }]);
    expect(await find(index, { equals: { path: 'low', value: 'mIxEd' } })).toEqual([1]);
  });
  test('near scores by distance', async () => {
    const index = await indexOf(DYNAMIC, docs);
    expect(
      (await hits(index, { near: { path: 'n', origin: 1, pivot: 2 } })).map(({ recordId, score }) => [
        recordId,
        Number(score.toFixed(3)),
      ]),
    ).toEqual([
      [1, 1],
      [3, 0.571],
      [2, 0.333],
    ]);
  });
});

describe('autocomplete, wildcard, queryString', () => {
  test('autocomplete finds by the beginnings of words, accents folded', async () => {
    const mappings: Doc = { fields: { title: { type: 'autocomplete' } } };
    const index = await indexOf(mappings, [
      { title: 'Résumé writing' },
      { title: 'constructor' },
      { title: 'Writing code' },
    ]);
    const at = async (query: string, more: Doc = {}): Promise<number[]> =>
      (await find(index, { autocomplete: { query, path: 'title', ...more } })).sort();
    expect(await at('resu')).toEqual([1]);
    expect(await at('wri')).toEqual([1, 3]);
    expect(await at('const')).toEqual([2]);
    expect(await at('writing co', { tokenOrder: 'sequential' })).toEqual([3]);
  });
  test('wildcard matches whole terms of a keyword field', async () => {
    const mappings: Doc = { fields: { code: { type: 'string', analyzer: 'lucene.keyword' } } };
    const index = await indexOf(mappings, [{ code: 'PX-120' }, { code: 'PX-1' }, { code: 'QX-120' }, { code: 'P*1' }]);
    const at = async (query: string): Promise<number[]> =>
      (await find(index, { wildcard: { query, path: 'code' } })).sort();
    expect(await at('PX-*')).toEqual([1, 2]);
    expect(await at('?X-120')).toEqual([1, 3]);
    expect(await at('P\\*1')).toEqual([4]);
    expect(await at('***')).toEqual([1, 2, 3, 4]);
  });
  test.each<[string, number[]]>([
    ['apple AND pie', [1]],
    ['apple OR wine', [1, 2, 3]],
    ['apple wine', [1, 2, 3]],
    ['apple NOT pie', [2]],
    ['+apple -pie', [2]],
    ['"apple pie"', [1]],
    ['"pie apple"~2', [1]],
    ['(wine OR pie) AND red', [3]],
    ['app*', [1, 2]],
    ['aple~1', [1, 2]],
    ['title:hello', [2]],
    ['title:(hello AND there)', [2]],
    ['wine^2 OR pie', [1, 3]],
    ['nothing\\:here', []],
  ])('queryString %s', async (query, expected) => {
    const index = await indexOf(DYNAMIC, [
      { text: 'apple pie' },
      { text: 'apple', title: 'Hello there' },
      { text: 'red wine' },
    ]);
    expect((await find(index, { queryString: { defaultPath: 'text', query } })).sort()).toEqual(expected);
  });
});

describe('what a hit says', () => {
  const body = 'The brakes squeal. Replace the brake pads of the PX-120! Nothing else helps.';
  test('highlights are the passages with the matched words, exactly as written', async () => {
    const index = await indexOf(DYNAMIC, [{ text: body }]);
    const spec = { ...text('brake squeal'), highlight: { path: 'text' } };
    const { searchHighlights } = await meta(index, spec, { text: body });
    expect(searchHighlights).toMatchObject(
      [
        { path: 'text', texts: [{ value: 'The brakes ' }, { value: 'squeal', type: 'hit' }, { value: '. ' }] },
        {
          path: 'text',
          texts: [{ value: 'Replace the ' }, { value: 'brake', type: 'hit' }, { value: ' pads of the PX-120! ' }],
        },
      ].map((passage) =>
        expect.objectContaining({
          path: passage.path,
          texts: passage.texts.map((piece) => expect.objectContaining(piece)),
        }),
      ),
    );
  });
  test('count, facets and sort', async () => {
    const mappings: Doc = { dynamic: true, fields: { kind: { type: 'token' } } };
    const docs = [{ kind: 'a', n: 3 }, { kind: 'b', n: 1 }, { kind: 'a', n: 12 }, { kind: 'c' }];
    const index = await indexOf(mappings, docs);
    const { meta: counted } = await index.search({
      facet: {
        facets: {
          kinds: { type: 'string', path: 'kind' },
          sizes: { type: 'number', path: 'n', boundaries: [0, 5, 10], default: 'other' },
        },
      },
    });
    expect(JSON.parse(JSON.stringify(counted))).toEqual({
      count: { lowerBound: JSON.parse(JSON.stringify(Long.fromNumber(4))) },
      facet: {
        kinds: {
          buckets: [
            ['a', 2],
            ['b', 1],
            ['c', 1],
          ].map(bucket),
        },
        sizes: {
          buckets: [
            [0, 2],
            [5, 0],
            ['other', 2],
          ].map(bucket),
        },
      },
    });
    const all: Doc = { exists: { path: 'kind' } };
    expect(await find(index, { ...all, sort: { n: 1 } })).toEqual([4, 2, 1, 3]);
    expect(await find(index, { ...all, sort: { n: { order: 1, noData: 'highest' } } })).toEqual([2, 1, 3, 4]);
    expect(await find(index, { ...all, sort: { kind: -1, n: -1 } })).toEqual([4, 2, 3, 1]);
  });
  test('searchAfter and searchBefore go on from a hit, in both directions', async () => {
    const index = await indexOf(
      DYNAMIC,
      ['x', 'x x', 'x y', 'x y z', 'x x x'].map((t) => ({ text: t })),
    );
    const all = await hits(index, text('x'));
    const token = all[2]!.sequenceToken!;
    expect(await find(index, { ...text('x'), searchAfter: token })).toEqual(all.slice(3).map((h) => h.recordId));
    expect(await find(index, { ...text('x'), searchBefore: token })).toEqual(
      all
        .slice(0, 2)
        .reverse()
        .map((h) => h.recordId),
    );
    await expect(find(index, { ...text('x'), searchAfter: 'rubbish' })).rejects.toThrow('pagination token');
  });
});

function bucket([_id, count]: (string | number)[]): unknown {
  return { _id, count: JSON.parse(JSON.stringify(Long.fromNumber(count as number))) };
}
