import { Double } from 'bson';
import { describe, expect, it } from 'vitest';
import { type Doc, setMeta } from '../../../src/pocket-atlas/bson/values.js';
import { compileProjection } from '../../../src/pocket-atlas/query/projection.js';
import { failure, variables } from './check.js';

function project(doc: Doc, projection: Doc, filter: Doc = {}): Doc {
  return compileProjection(projection, filter, variables)(doc);
}

const doc: Doc = { _id: 1, a: 1, b: { c: 2, d: 3 }, e: [{ f: 4, g: 5 }, 6, { f: 7 }, [{ f: 8, g: 9 }]] };

describe('compileProjection', () => {
  it.each<[string, Doc, Doc]>([
    ['keeps what is included, with _id', { a: 1 }, { _id: 1, a: 1 }],
    ['leaves _id out when told', { a: 1, _id: 0 }, { a: 1 }],
    ['keeps _id only', { _id: 1 }, { _id: 1 }],
    ['keeps the document’s order', { e: 1, a: new Double(2) }, { _id: 1, a: 1, e: doc.e }],
    ['drops what is excluded', { b: 0, e: false }, { _id: 1, a: 1 }],
    ['drops _id only', { _id: 0 }, { a: 1, b: doc.b, e: doc.e }],
    ['goes into documents', { 'b.c': 1 }, { _id: 1, b: { c: 2 } }],
    ['and by nesting', { b: { c: 1 } }, { _id: 1, b: { c: 2 } }],
    ['goes into arrays, where scalars fall out', { 'e.f': 1 }, { _id: 1, e: [{ f: 4 }, { f: 7 }, [{ f: 8 }]] }],
    [
      'excludes inside arrays, where scalars stay',
      { 'e.f': 0 },
      { _id: 1, a: 1, b: doc.b, e: [{ g: 5 }, 6, {}, [{ g: 9 }]] },
    ],
    ['drops a scalar where a document was asked for', { 'a.x': 1 }, { _id: 1 }],
    ['computes', { s: { $add: ['$a', '$b.c'] } }, { _id: 1, s: 3 }],
    ['computes beside included fields, behind them', { s: '$a', b: 1 }, { _id: 1, b: doc.b, s: 1 }],
    ['computes inside documents', { 'b.s': '$a' }, { _id: 1, b: { s: 1 } }],
    ['takes a literal', { x: 'y' }, { _id: 1, x: 'y' }],
    ['slices and keeps all other fields', { e: { $slice: 1 } }, { ...doc, e: [{ f: 4, g: 5 }] }],
    ['slices from the end', { e: { $slice: -1 }, b: 0 }, { _id: 1, a: 1, e: [[{ f: 8, g: 9 }]] }],
    ['slices with an offset, in an inclusion', { e: { $slice: [1, 1] }, a: 1 }, { _id: 1, a: 1, e: [6] }],
    ['finds the first element', { e: { $elemMatch: { f: 7 } } }, { _id: 1, e: [{ f: 7 }] }],
    ['finds none', { e: { $elemMatch: { f: 99 } } }, { _id: 1 }],
    [
      'puts a found element behind other fields',
      { e: { $elemMatch: { f: 7 } }, a: 1 },
      { _id: 1, a: 1, e: [{ f: 7 }] },
    ],
    ['is nothing when empty', {}, doc],
  ])('%s', (_claim, projection, expected) => {
    const result = project(doc, projection);
    expect(result).toStrictEqual(expected);
    expect(JSON.stringify(result)).toBe(JSON.stringify(expected));
  });

  it('leaves a document as it is when an excluded nested field is absent (A28)', () => {
    expect(project({ _id: 1 }, { 'x.y': 0 })).toStrictEqual({ _id: 1 });
    expect(project({ _id: 1, x: 5 }, { 'x.y': 0 })).toStrictEqual({ _id: 1, x: 5 });
  });

  it('keeps the matched element for a.$', () => {
    expect(project({ _id: 1, a: [1, 5, 9] }, { 'a.$': 1 }, { a: { $gt: 3 } })).toStrictEqual({ _id: 1, a: [5] });
    const nested = { _id: 1, x: 2, a: [{ b: 1 }, { b: 2, c: 3 }] };
    expect(project(nested, { 'a.$': 1 }, { 'a.b': 2 })).toStrictEqual({ _id: 1, a: [{ b: 2, c: 3 }] });
  });

  it('reads metadata, which alone keeps all fields', () => {
    const scored = setMeta({ _id: 1, a: 1 }, { searchScore: 2.5 });
    expect(project(scored, { score: { $meta: 'searchScore' } })).toMatchObject({ _id: 1, a: 1, score: 2.5 });
    expect(project(scored, { a: 0, score: { $meta: 'searchScore' } })).toMatchObject({ _id: 1, score: 2.5 });
    expect(Object.keys(project(scored, { _id: 1, score: { $meta: 'searchScore' } }))).toContain('a');
  });

  it.each<[Doc, number, string]>([
    [{ a: 1, b: 0 }, 31254, 'Cannot do exclusion on field b in inclusion projection'],
    [{ a: 0, b: 1 }, 31253, 'Cannot do inclusion on field b in exclusion projection'],
    [{ a: 1, 'a.b': 1 }, 31249, 'Path collision at a.b remaining portion b'],
    [{ 'a.b': 1, a: 1 }, 31250, 'Path collision at a'],
    [{ a: {} }, 51270, 'An empty sub-projection is not a valid value. Found empty object at path a'],
    [{ a: { $nope: 1 } }, 168, "Unrecognized expression '$nope'"],
    [{ 'a.b': { $elemMatch: {} } }, 31275, 'Cannot use $elemMatch projection on a nested field.'],
    [{ 'a.$': 1, 'b.$': 1 }, 31276, 'Cannot specify more than one positional projection per query.'],
    [{ a: 0, s: '$x' }, 31252, 'Cannot use expression other than $meta in exclusion projection'],
    [{ 'a..b': 1 }, 15998, 'FieldPath field names may not be empty strings.'],
  ])('refuses %j', (projection, code, message) => {
    expect(failure(() => project(doc, projection))).toEqual({ code, message });
  });

  it('refuses a.$ without an array that matched', () => {
    expect(failure(() => project({ a: [1] }, { 'a.$': 1 })).code).toBe(51246);
  });
});
