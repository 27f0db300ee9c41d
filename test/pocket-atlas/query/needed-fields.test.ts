import { describe, expect, test } from 'vitest';
import {
  fieldsOfFilter,
  fieldsOfFind,
  fieldsOfInclusion,
  fieldsOfStages,
} from '../../../src/pocket-atlas/query/needed-fields.js';

const sorted = (fields: ReadonlySet<string> | undefined) => fields && [...fields].sort();

describe('Fields that a query looks at', () => {
  test('a filter names them, whatever it is nested in', () => {
    const filter = {
      owner: 'a',
      'meta.k': { $in: [1] },
      $or: [{ to: null }, { $and: [{ 'to.x': { $gt: 1 } }, { at: 1 }] }],
    };
    expect(sorted(fieldsOfFilter(filter))).toEqual(['at', 'meta', 'owner', 'to']);
  });

  test.each([{ $expr: { $eq: ['$a', 1] } }, { $or: [{ a: 1 }, { $expr: true }] }, { $jsonSchema: {} }, { $or: 1 }])(
    'of %j any may be meant',
    (filter) => expect(fieldsOfFilter(filter as never)).toBeUndefined(),
  );

  test('a projection that keeps names them, and _id is read where it is dropped, too', () => {
    expect(sorted(fieldsOfInclusion({ _id: 0, 'a.b': 1, c: true }))).toEqual(['_id', 'a', 'c']);
    expect(sorted(fieldsOfInclusion({ _id: 1 }))).toEqual(['_id']);
  });

  test.each([{}, { a: 0 }, { _id: 0 }, { a: 1, b: 0 }, { a: { $slice: 1 } }, { 'a.$': 1 }, { a: 1, b: '$c' }])(
    'a projection like %j is left alone',
    (projection) => expect(fieldsOfInclusion(projection)).toBeUndefined(),
  );

  test('find keeps everything beside a lone $meta, $project nothing but _id', () => {
    const projection = { _id: 1, score: { $meta: 'searchScore' } };
    expect(fieldsOfFind({ filter: {}, projection })).toBeUndefined();
    expect(sorted(fieldsOfStages([{ name: '$project', spec: projection }]))).toEqual(['_id']);
  });

  test('a find without a projection sends stored bytes, so only its filter and its order count', () => {
    expect(sorted(fieldsOfFind({ filter: { a: 1 }, sort: { 'b.c': -1 } }))).toEqual(['a', 'b']);
  });

  test('a pipeline is known up to a projection that keeps, and not at all without one', () => {
    const match = { name: '$match', spec: { owner: 'a' } };
    const project = { name: '$project', spec: { text: 1 } };
    expect(
      sorted(fieldsOfStages([match, { name: '$limit', spec: 5 }, project, { name: '$lookup', spec: {} }])),
    ).toEqual(['_id', 'owner', 'text']);
    expect(fieldsOfStages([match])).toBeUndefined();
    expect(fieldsOfStages([match, { name: '$addFields', spec: { x: '$y' } }, project])).toBeUndefined();
  });
});
