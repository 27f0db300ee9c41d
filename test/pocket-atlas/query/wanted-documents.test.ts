import { describe, expect, it } from 'vitest';
import type { BsonValue, Doc } from '../../../src/pocket-atlas/bson/values.js';
import { wantedDocuments } from '../../../src/pocket-atlas/query/wanted-documents.js';

const stages = (...specs: Doc[]): { name: string; spec: BsonValue }[] =>
  specs.map((stage) => ({ name: Object.keys(stage)[0]!, spec: Object.values(stage)[0]! }));

describe('what the stages behind a source want of it', () => {
  it.each([
    ['a limit', stages({ $limit: 10 }), 10],
    ['a limit behind stages that make one document of each', stages({ $project: { a: 1 } }, { $limit: 3 }), 3],
    ['what is skipped, and the limit', stages({ $skip: 20 }, { $set: { a: 1 } }, { $skip: 5 }, { $limit: 10 }), 35],
    ['perhaps all without a limit', stages({ $skip: 20 }), undefined],
    ['perhaps all where documents are left out', stages({ $match: { a: 1 } }, { $limit: 10 }), undefined],
    ['perhaps all where documents are put in order', stages({ $sort: { a: 1 } }, { $limit: 10 }), undefined],
    ['perhaps all of a limit that is none, which its stage refuses', stages({ $limit: 'ten' }), undefined],
  ])('is %s', (_, behind, wanted) => {
    expect(wantedDocuments(behind)).toBe(wanted);
  });
});
