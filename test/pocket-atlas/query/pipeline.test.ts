import { Decimal128, Double, Long } from 'bson';
import { describe, expect, it } from 'vitest';
import { type BsonValue, type Doc, metaOf, setMeta } from '../../../src/pocket-atlas/bson/values.js';
import { checkPipelineFailure, runPipeline } from './run-pipeline.js';

const sales: Doc[] = [
  { _id: 1, item: 'a', price: 10, tags: ['x', 'y'], at: { city: 'B' } },
  { _id: 2, item: 'b', price: 20, tags: [], at: { city: 'A' } },
  { _id: 3, item: 'a', price: 30.5, tags: ['y'] },
  { _id: 4, item: 'c', price: Long.fromNumber(5), tags: null },
];

type Row = readonly [claim: string, pipeline: Doc[], expected: Doc[]];

async function check(rows: readonly Row[], collections: Record<string, Doc[]> = { c: sales }): Promise<void> {
  for (const [claim, pipeline, expected] of rows) {
    expect(await runPipeline(pipeline, collections), claim).toStrictEqual(expected);
  }
}

describe('stages on each document', () => {
  it('match, project, add, remove, replace', async () => {
    await check([
      ['$match', [{ $match: { item: 'a', price: { $gt: 10 } } }, { $project: { _id: 1 } }], [{ _id: 3 }]],
      [
        '$project computes',
        [{ $match: { _id: 1 } }, { $project: { _id: 0, d: { $multiply: ['$price', 2] }, 'at.city': 1 } }],
        [{ at: { city: 'B' }, d: 20 }],
      ],
      [
        '$project excludes',
        [{ $match: { _id: 2 } }, { $project: { at: 0, tags: 0 } }],
        [{ _id: 2, item: 'b', price: 20 }],
      ],
      [
        '$project drops with $$REMOVE',
        [{ $match: { _id: 2 } }, { $project: { x: '$$REMOVE', item: 1 } }],
        [{ _id: 2, item: 'b' }],
      ],
      [
        '$addFields',
        [{ $match: { _id: 4 } }, { $addFields: { 'at.zip': 9, tags: '$$REMOVE' } }],
        [{ _id: 4, item: 'c', price: Long.fromNumber(5), at: { zip: 9 } }],
      ],
      [
        '$set takes the old values for all',
        [{ $limit: 1 }, { $set: { price: 1, old: '$price' } }, { $unset: ['tags', 'at.city'] }],
        [{ _id: 1, item: 'a', price: 1, at: {}, old: 10 }],
      ],
      ['$replaceRoot', [{ $match: { _id: 1 } }, { $replaceRoot: { newRoot: '$at' } }], [{ city: 'B' }]],
      ['$replaceWith', [{ $match: { _id: 1 } }, { $replaceWith: { i: '$item' } }], [{ i: 'a' }]],
      [
        '$redact',
        [
          { $match: { _id: { $lte: 2 } } },
          { $redact: { $cond: [{ $eq: ['$city', 'B'] }, '$$PRUNE', '$$DESCEND'] } },
          { $project: { at: 1 } },
        ],
        [{ _id: 1 }, { _id: 2, at: { city: 'A' } }],
      ],
    ]);
  });

  it('$unwind', async () => {
    await check([
      [
        'drops what is empty',
        [{ $unwind: '$tags' }, { $project: { tags: 1 } }],
        [
          { _id: 1, tags: 'x' },
          { _id: 1, tags: 'y' },
          { _id: 3, tags: 'y' },
        ],
      ],
      [
        'keeps what is empty when told, with an index',
        [
          { $unwind: { path: '$tags', includeArrayIndex: 'n', preserveNullAndEmptyArrays: true } },
          { $project: { tags: 1, n: 1 } },
        ],
        [
          { _id: 1, tags: 'x', n: Long.fromNumber(0) },
          { _id: 1, tags: 'y', n: Long.fromNumber(1) },
          { _id: 2, n: null },
          { _id: 3, tags: 'y', n: Long.fromNumber(0) },
          { _id: 4, tags: null, n: null },
        ],
      ],
      [
        'takes a scalar as its only element',
        [{ $match: { _id: 1 } }, { $unwind: '$at.city' }, { $project: { at: 1 } }],
        [{ _id: 1, at: { city: 'B' } }],
      ],
    ]);
  });

  it('carries metadata through all of them', async () => {
    const scored = [setMeta({ _id: 1, a: [1] }, { searchScore: 7 })];
    const pipeline: Doc[] = [
      { $match: { a: 1 } },
      { $addFields: { b: 1 } },
      { $project: { a: 1, b: 1 } },
      { $unwind: '$a' },
      { $unset: 'b' },
      { $replaceWith: { a: '$a' } },
      { $sort: { a: 1 } },
      { $limit: 5 },
    ];
    const [doc] = await runPipeline(pipeline, { c: scored });
    expect(metaOf(doc!)).toEqual({ searchScore: 7 });
  });
});

describe('order and number', () => {
  it('sort, skip, limit, count', async () => {
    await check([
      [
        '$sort',
        [{ $sort: { item: 1, price: -1 } }, { $project: { _id: 1 } }],
        [{ _id: 3 }, { _id: 1 }, { _id: 2 }, { _id: 4 }],
      ],
      [
        '$sort with $limit',
        [{ $sort: { price: 1 } }, { $limit: 2 }, { $project: { _id: 1 } }],
        [{ _id: 4 }, { _id: 1 }],
      ],
      [
        '$sort with $skip and $limit',
        [{ $sort: { price: 1 } }, { $skip: 1 }, { $limit: 2 }, { $project: { _id: 1 } }],
        [{ _id: 1 }, { _id: 2 }],
      ],
      ['$count', [{ $match: { item: 'a' } }, { $count: 'n' }], [{ n: 2 }]],
      ['$count of nothing', [{ $match: { item: 'z' } }, { $count: 'n' }], []],
      ['$sortByCount', [{ $sortByCount: '$item' }, { $limit: 1 }], [{ _id: 'a', count: 2 }]],
    ]);
  });

  it('$sample takes so many, each once', async () => {
    const docs = Array.from({ length: 50 }, (_, _id) => ({ _id }));
    const sample = await runPipeline([{ $sample: { size: 10 } }], { c: docs });
    expect(new Set(sample.map(({ _id }) => _id)).size).toBe(10);
    expect(await runPipeline([{ $sample: { size: 99 } }], { c: docs })).toHaveLength(50);
  });

  it('a $limit stops what comes before it', async () => {
    let read = 0;
    const docs = {
      *[Symbol.iterator]() {
        for (let _id = 0; _id < 100_000; _id++) {
          read++;
          yield { _id };
        }
      },
    };
    expect(
      await runPipeline([{ $match: { _id: { $gte: 3 } } }, { $limit: 2 }], { c: docs as unknown as Doc[] }),
    ).toEqual([{ _id: 3 }, { _id: 4 }]);
    expect(read).toBeLessThan(1000);
    expect(await runPipeline([{ $limit: 150 }, { $count: 'n' }], { c: docs as unknown as Doc[] })).toEqual([
      { n: 150 },
    ]);
    expect(await runPipeline([{ $limit: 100 }, { $count: 'n' }], { c: docs as unknown as Doc[] })).toEqual([
      { n: 100 },
    ]);
  });
});

describe('$group', () => {
  it('accumulates', async () => {
    await check([
      [
        'by a field, in the order of first sight',
        [
          {
            $group: {
              _id: '$item',
              n: { $sum: 1 },
              sum: { $sum: '$price' },
              avg: { $avg: '$price' },
              min: { $min: '$price' },
              max: { $max: '$price' },
            },
          },
        ],
        [
          { _id: 'a', n: 2, sum: 40.5, avg: 20.25, min: 10, max: 30.5 },
          { _id: 'b', n: 1, sum: 20, avg: new Double(20), min: 20, max: 20 },
          {
            _id: 'c',
            n: 1,
            sum: Long.fromNumber(5),
            avg: new Double(5),
            min: Long.fromNumber(5),
            max: Long.fromNumber(5),
          },
        ],
      ],
      [
        'all together',
        [
          { $sort: { _id: 1 } },
          {
            $group: {
              _id: null,
              all: { $push: '$at.city' },
              set: { $addToSet: '$item' },
              first: { $first: '$tags' },
              last: { $last: '$tags' },
              n: { $count: {} },
              o: { $mergeObjects: '$at' },
            },
          },
        ],
        [{ _id: null, all: ['B', 'A'], set: ['a', 'b', 'c'], first: ['x', 'y'], last: null, n: 4, o: { city: 'A' } }],
      ],
      [
        'the first n of an order',
        [
          {
            $group: {
              _id: null,
              top: { $top: { sortBy: { price: -1 }, output: '$_id' } },
              topN: { $topN: { n: 2, sortBy: { price: -1 }, output: ['$_id', '$price'] } },
              bottom: { $bottom: { sortBy: { price: -1 }, output: '$_id' } },
              bottomN: { $bottomN: { n: 2, sortBy: { price: -1 }, output: '$_id' } },
              firstN: { $firstN: { input: '$_id', n: 2 } },
              lastN: { $lastN: { input: '$_id', n: 2 } },
              maxN: { $maxN: { input: '$price', n: 2 } },
              minN: { $minN: { input: '$price', n: 1 } },
            },
          },
        ],
        [
          {
            _id: null,
            top: 3,
            topN: [
              [3, 30.5],
              [2, 20],
            ],
            bottom: 4,
            bottomN: [1, 4],
            firstN: [1, 2],
            lastN: [3, 4],
            maxN: [30.5, 20],
            minN: [Long.fromNumber(5)],
          },
        ],
      ],
      [
        'by a document',
        [{ $group: { _id: { i: '$item', c: '$at.city' } } }, { $limit: 1 }],
        [{ _id: { i: 'a', c: 'B' } }],
      ],
      [
        'missing with null',
        [{ $group: { _id: '$at.city', n: { $sum: 1 } } }, { $match: { _id: null } }],
        [{ _id: null, n: 2 }],
      ],
      ['nothing of nothing', [{ $match: { _id: 99 } }, { $group: { _id: null, n: { $sum: 1 } } }], []],
    ]);
  });

  it('puts equal numbers of all types into one group', async () => {
    const docs = [1, new Double(1), Long.ONE, Decimal128.fromString('1.0'), 1.5].map((v, _id) => ({ _id, v }));
    const groups = await runPipeline([{ $group: { _id: '$v', n: { $sum: 1 } } }], { c: docs });
    expect(groups).toStrictEqual([
      { _id: 1, n: 4 },
      { _id: 1.5, n: 1 },
    ]);
  });

  it('sums without losing digits to order', async () => {
    const docs = [1e100, 1, -1e100].map((v, _id) => ({ _id, v }));
    expect(await runPipeline([{ $group: { _id: null, s: { $sum: '$v' } } }], { c: docs })).toStrictEqual([
      { _id: null, s: new Double(1) },
    ]);
  });

  it('buckets', async () => {
    await check([
      [
        '$bucket',
        [{ $bucket: { groupBy: '$price', boundaries: [0, 15, 25], default: 'other' } }],
        [
          { _id: 0, count: 2 },
          { _id: 15, count: 1 },
          { _id: 'other', count: 1 },
        ],
      ],
      [
        '$bucket with output',
        [{ $bucket: { groupBy: '$price', boundaries: [0, 100], output: { ids: { $push: '$_id' } } } }],
        [{ _id: 0, ids: [1, 2, 3, 4] }],
      ],
      [
        '$bucketAuto',
        [{ $bucketAuto: { groupBy: '$_id', buckets: 2 } }],
        [
          { _id: { min: 1, max: 3 }, count: 2 },
          { _id: { min: 3, max: 4 }, count: 2 },
        ],
      ],
    ]);
  });
});

describe('several collections', () => {
  const collections = {
    c: [{ _id: 1, ref: 10 }, { _id: 2, ref: [10, 11] }, { _id: 3 }, { _id: 4, ref: 99 }] as Doc[],
    other: [
      { _id: 10, v: 'x' },
      { _id: 11, v: 'y' },
      { _id: 12, v: null, back: null },
    ] as Doc[],
    tree: [{ _id: 'a' }, { _id: 'b', up: 'a' }, { _id: 'c', up: 'b' }, { _id: 'd', up: 'c' }] as Doc[],
  };

  it('$lookup by equality, of arrays and of null', async () => {
    await check(
      [
        [
          'by field',
          [
            { $lookup: { from: 'other', localField: 'ref', foreignField: '_id', as: 'o' } },
            { $project: { ids: '$o._id' } },
          ],
          [
            { _id: 1, ids: [10] },
            { _id: 2, ids: [10, 11] },
            { _id: 3, ids: [] },
            { _id: 4, ids: [] },
          ],
        ],
        [
          'a missing field joins null and missing',
          [
            { $match: { _id: 3 } },
            { $lookup: { from: 'other', localField: 'ref', foreignField: 'back', as: 'o' } },
            { $project: { ids: '$o._id' } },
          ],
          [{ _id: 3, ids: [10, 11, 12] }],
        ],
        [
          'a collection that is not there',
          [{ $limit: 1 }, { $lookup: { from: 'nope', localField: 'ref', foreignField: '_id', as: 'o.p' } }],
          [{ _id: 1, ref: 10, o: { p: [] } }],
        ],
      ],
      collections,
    );
  });

  it('$lookup by pipeline, with variables and with an equality before', async () => {
    await check(
      [
        [
          'let',
          [
            { $match: { _id: { $lte: 2 } } },
            {
              $lookup: {
                from: 'other',
                let: { me: '$_id' },
                pipeline: [{ $match: { $expr: { $eq: ['$_id', { $add: ['$$me', 9] }] } } }, { $set: { by: '$$me' } }],
                as: 'o',
              },
            },
            { $project: { o: 1 } },
          ],
          [
            { _id: 1, o: [{ _id: 10, v: 'x', by: 1 }] },
            { _id: 2, o: [{ _id: 11, v: 'y', by: 2 }] },
          ],
        ],
        [
          'equality, then pipeline',
          [
            { $match: { _id: 2 } },
            {
              $lookup: {
                from: 'other',
                localField: 'ref',
                foreignField: '_id',
                pipeline: [{ $match: { v: 'y' } }, { $project: { _id: 0 } }],
                as: 'o',
              },
            },
          ],
          [{ _id: 2, ref: [10, 11], o: [{ v: 'y' }] }],
        ],
        [
          'a nested $lookup sees the variables of both',
          [
            { $match: { _id: 1 } },
            {
              $lookup: {
                from: 'other',
                let: { me: '$_id' },
                pipeline: [
                  { $match: { _id: 11 } },
                  {
                    $lookup: {
                      from: 'tree',
                      let: { mine: '$_id' },
                      pipeline: [{ $limit: 1 }, { $project: { _id: 0, sum: { $add: ['$$me', '$$mine'] } } }],
                      as: 't',
                    },
                  },
                ],
                as: 'o',
              },
            },
          ],
          [{ _id: 1, ref: 10, o: [{ _id: 11, v: 'y', t: [{ sum: 12 }] }] }],
        ],
        [
          '$documents inside',
          [{ $limit: 1 }, { $lookup: { pipeline: [{ $documents: [{ x: 1 }] }], as: 'o' } }],
          [{ _id: 1, ref: 10, o: [{ x: 1 }] }],
        ],
      ],
      collections,
    );
  });

  it('$graphLookup, $unionWith, $facet', async () => {
    const up = { from: 'tree', startWith: '$up', connectFromField: 'up', connectToField: '_id', as: 'above' };
    await check(
      [
        [
          'follows references and tells the depth',
          [
            { $unionWith: 'tree' },
            { $match: { _id: 'd' } },
            { $graphLookup: { ...up, depthField: 'n' } },
            { $project: { 'above._id': 1, 'above.n': 1 } },
          ],
          [
            {
              _id: 'd',
              above: [
                { _id: 'c', n: Long.fromNumber(0) },
                { _id: 'b', n: Long.fromNumber(1) },
                { _id: 'a', n: Long.fromNumber(2) },
              ],
            },
          ],
        ],
        [
          'to a depth',
          [
            { $unionWith: 'tree' },
            { $match: { _id: 'd' } },
            { $graphLookup: { ...up, maxDepth: 0 } },
            { $project: { 'above._id': 1 } },
          ],
          [{ _id: 'd', above: [{ _id: 'c' }] }],
        ],
        [
          '$unionWith a pipeline',
          [{ $match: { _id: 1 } }, { $unionWith: { coll: 'other', pipeline: [{ $match: { _id: 10 } }] } }],
          [
            { _id: 1, ref: 10 },
            { _id: 10, v: 'x' },
          ],
        ],
        [
          '$unionWith $documents',
          [{ $limit: 1 }, { $unionWith: { pipeline: [{ $documents: [{ z: 1 }] }] } }],
          [{ _id: 1, ref: 10 }, { z: 1 }],
        ],
        [
          '$facet',
          [{ $facet: { n: [{ $count: 'n' }], ids: [{ $match: { _id: { $gt: 3 } } }, { $project: { _id: 1 } }] } }],
          [{ n: [{ n: 4 }], ids: [{ _id: 4 }] }],
        ],
      ],
      collections,
    );
  });

  it('ends on references in a circle', async () => {
    const circle = [
      { _id: 1, next: 2 },
      { _id: 2, next: 1 },
    ];
    const [doc] = await runPipeline(
      [
        { $match: { _id: 1 } },
        { $graphLookup: { from: 'c', startWith: '$next', connectFromField: 'next', connectToField: '_id', as: 'all' } },
      ],
      { c: circle },
    );
    expect((doc!.all as Doc[]).map(({ _id }) => _id)).toEqual([2, 1]);
  });
});

describe('sources', () => {
  it('$documents needs no collection', async () => {
    expect(
      await runPipeline(
        [{ $documents: [{ a: 1 }, { a: { $add: [1, 1] } }] }, { $match: { a: 2 } }],
        {},
        { collection: null },
      ),
    ).toEqual([{ a: 2 }]);
  });

  it('come from the environment, and sinks too', async () => {
    const seen: BsonValue[] = [];
    const docs = await runPipeline(
      [{ $search: { q: 1 } }, { $match: { a: 1 } }, { $out: 'x' }],
      {},
      { search: [{ a: 1 }, { a: 2 }], written: seen },
    );
    expect([docs, seen]).toEqual([[], [{ a: 1 }]]);
  });
});

describe('refusals', () => {
  it.each<[Doc[], number, string]>([
    [[{ $nope: {} }], 40324, "Unrecognized pipeline stage name: '$nope'"],
    [[{ $match: {}, $limit: 1 }], 40323, 'A pipeline stage specification object must contain exactly one field.'],
    [[{ $match: {} }, { $vectorSearch: {} }], 40602, '$vectorSearch is only valid as the first stage in a pipeline'],
    [
      [{ $facet: { a: [{ $vectorSearch: {} }] } }],
      40600,
      '$vectorSearch is not allowed to be used within a $facet stage',
    ],
    [[{ $facet: { a: [{ $facet: {} }] } }], 40600, '$facet is not allowed to be used within a $facet stage'],
    [
      [{ $lookup: { from: 'x', as: 'y', pipeline: [{ $vectorSearch: {} }] } }],
      51047,
      "$vectorSearch is not allowed within a $lookup's sub-pipeline",
    ],
    [
      [{ $lookup: { from: 'x', as: 'y', pipeline: [{ $out: 'z' }] } }],
      51047,
      "$out is not allowed within a $lookup's sub-pipeline",
    ],
    [
      [{ $unionWith: { coll: 'x', pipeline: [{ $out: 'z' }] } }],
      31441,
      "$out is not allowed within a $unionWith's sub-pipeline",
    ],
    [[{ $out: 'x' }, { $match: {} }], 40601, '$out can only be the final stage in the pipeline'],
    [[{ $match: { a: { $foo: 1 } } }], 2, 'unknown operator: $foo'],
    [[{ $match: 1 }], 15959, 'the match filter must be an expression in an object'],
    [
      [{ $project: {} }],
      51272,
      'Invalid $project :: caused by :: projection specification must have at least one field',
    ],
    [[{ $project: { a: { $foo: 1 } } }], 168, "Invalid $project :: caused by :: Unrecognized expression '$foo'"],
    [
      [{ $project: { a: 1, b: 0 } }],
      31254,
      'Invalid $project :: caused by :: Cannot do exclusion on field b in inclusion projection',
    ],
    [[{ $addFields: { a: { $foo: 1 } } }], 168, "Invalid $addFields :: caused by :: Unrecognized expression '$foo'"],
    [[{ $limit: 0 }], 15958, 'the limit must be positive'],
    [[{ $limit: 'x' }], 2107201, 'invalid argument to $limit stage: Expected a number in: $limit: "x"'],
    [[{ $skip: -1 }], 5107200, 'invalid argument to $skip stage: Expected a non-negative number in: $skip: -1'],
    [[{ $sort: {} }], 15976, '$sort stage must have at least one sort key'],
    [[{ $sort: { a: 3 } }], 15975, '$sort key ordering must be 1 (for ascending) or -1 (for descending)'],
    [[{ $group: { n: { $sum: 1 } } }], 15955, 'a group specification must include an _id'],
    [[{ $group: { _id: null, n: 1 } }], 40234, "The field 'n' must be an accumulator object"],
    [[{ $group: { _id: null, n: { $foo: 1 } } }], 15952, "unknown group operator '$foo'"],
    [[{ $unwind: 'a' }], 28818, "path option to $unwind stage should be prefixed with a '$': a"],
    [[{ $count: '' }], 40157, 'the count field must be a non-empty string'],
    [
      [{ $lookup: { from: 'x', as: 'y', localField: 'a' } }],
      9,
      "$lookup requires either 'pipeline' or both 'localField' and 'foreignField' to be specified",
    ],
    [[{ $replaceRoot: {} }], 40231, 'no newRoot specified for the $replaceRoot stage'],
    [
      [{ $bucket: { groupBy: '$a', boundaries: [2, 1] } }],
      40194,
      "The 'boundaries' option to $bucket must be sorted in ascending order.",
    ],
    [
      [{ $unionWith: { pipeline: [{ $match: {} }] } }],
      9,
      '$unionWith stage without explicit collection must have a pipeline with $documents as first stage',
    ],
  ])('%j', async (pipeline, code, message) => {
    expect(await checkPipelineFailure(pipeline)).toEqual({ code, message });
  });

  it('of values, when it runs', async () => {
    expect(await checkPipelineFailure([{ $replaceRoot: { newRoot: '$nope' } }])).toMatchObject({ code: 40228 });
    expect(await checkPipelineFailure([{ $bucket: { groupBy: '$_id', boundaries: [5, 6] } }])).toMatchObject({
      code: 40066,
    });
  });

  it('of searches and writes in a transaction', async () => {
    for (const name of ['$search', '$vectorSearch', '$out', '$merge', '$rankFusion']) {
      expect(await checkPipelineFailure([{ [name]: {} }], { inTransaction: true })).toEqual({
        code: 263,
        message: `Operation not permitted in transaction :: caused by :: Aggregation stage ${name} cannot run within a multi-document transaction.`,
      });
    }
  });

  it('of a pipeline without a collection that reads one', async () => {
    expect(await checkPipelineFailure([{ $match: {} }], { collection: null })).toEqual({
      code: 73,
      message: "{aggregate: 1} is not valid for '$match'; a collection is required.",
    });
  });

  it('of endless pipelines', async () => {
    expect((await checkPipelineFailure(Array.from({ length: 1001 }, () => ({ $skip: 1 })))).code).toBe(7749501);
    let pipeline: Doc[] = [];
    for (let depth = 0; depth < 30; depth++) pipeline = [{ $lookup: { from: 'c', as: 'x', pipeline } }];
    expect((await checkPipelineFailure(pipeline)).code).toBe(40383);
  });
});

describe('running', () => {
  const many = Array.from({ length: 30_000 }, (_, _id) => ({ _id, k: _id % 1000, s: `text ${(_id * 7919) % 30_000}` }));

  /** Processor time between two looks at the event loop, in ms, at most. */
  async function longestSlice(stage: Doc): Promise<number> {
    let last = process.cpuUsage();
    let longest = 0;
    const look = () => {
      const { user, system } = process.cpuUsage(last);
      longest = Math.max(longest, (user + system) / 1000);
      last = process.cpuUsage();
    };
    await runPipeline([stage, { $count: 'n' }], { c: many }, { checkInterrupted: look });
    look();
    return longest;
  }

  it('works at most 60 ms at a time, in every blocking stage', async () => {
    for (const stage of [
      { $sort: { s: 1 } },
      { $group: { _id: '$s', n: { $sum: 1 } } },
      { $bucketAuto: { groupBy: '$s', buckets: 5 } },
    ]) {
      // Processor time and not the clock's, and the best of three: other tests run at the same time.
      const slices: number[] = [];
      for (let run = 0; run < 3; run++) slices.push(await longestSlice(stage));
      // 12 ms are aimed at; the rest is room for garbage collection
      expect(Math.min(...slices), JSON.stringify(stage)).toBeLessThan(60);
    }
  });

  it('stops when the command is interrupted', async () => {
    let asked = 0;
    const interrupt = () => {
      if (++asked > 2) throw new Error('interrupted');
    };
    await expect(runPipeline([{ $sort: { s: 1 } }], { c: many }, { checkInterrupted: interrupt })).rejects.toThrow(
      'interrupted',
    );
  });

  it('bounds what a blocking stage holds', async () => {
    const big = 'x'.repeat(1_000_000);
    const docs = {
      *[Symbol.iterator]() {
        for (let _id = 0; _id < 200; _id++) yield { _id, big: `${big}${_id}` };
      },
    } as unknown as Doc[];
    for (const stage of [
      { $sort: { big: 1 } },
      { $group: { _id: null, all: { $push: '$big' } } },
      { $facet: { a: [] } },
    ]) {
      expect(await checkPipelineFailure([stage], { collections: { c: docs } }), JSON.stringify(stage)).toMatchObject({
        code: 292,
      });
    }
    const [top] = await runPipeline([{ $sort: { _id: -1 } }, { $limit: 1 }, { $project: { _id: 1 } }], { c: docs });
    expect(top).toEqual({ _id: 199 });
  });

  it('runs again from the start', async () => {
    expect(await runPipeline([{ $group: { _id: null, n: { $sum: 1 } } }], { c: sales }, { times: 2 })).toEqual([
      { _id: null, n: 4 },
      { _id: null, n: 4 },
    ]);
  });
});
