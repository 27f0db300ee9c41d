import { Double } from 'bson';
import { describe, expect, it } from 'vitest';
import type { BsonValue, Doc } from '../../../../src/pocket-atlas/bson/values.js';
import { checkPipelineFailure, runPipeline } from '../run-pipeline.js';

const docs: Doc[] = [
  { _id: 1, p: 'b', t: 1, v: 1 },
  { _id: 2, p: 'a', t: 1, v: 10 },
  { _id: 3, p: 'b', t: 2, v: 2 },
  { _id: 4, p: 'b', t: 2, v: 3 },
  { _id: 5, p: 'b', t: 4, v: 4 },
];

/** The output field of each document, by partition b in its order. */
async function column(output: BsonValue, sortBy: Doc | undefined = { t: 1, _id: 1 }): Promise<BsonValue[]> {
  const spec: Doc = { partitionBy: '$p', output: { out: output } };
  if (sortBy !== undefined) spec.sortBy = sortBy;
  const result = await runPipeline([{ $setWindowFields: spec }, { $match: { p: 'b' } }], { c: docs });
  return result.map(({ out }) => out);
}

describe('$setWindowFields', () => {
  it.each<[string, Doc, BsonValue[], Doc?]>([
    ['over the whole partition', { $sum: '$v' }, [10, 10, 10, 10]],
    ['running', { $sum: '$v', window: { documents: ['unbounded', 'current'] } }, [1, 3, 6, 10]],
    ['of neighbours', { $sum: '$v', window: { documents: [-1, 1] } }, [3, 6, 9, 7]],
    ['of those that follow', { $push: '$v', window: { documents: [1, 'unbounded'] } }, [[2, 3, 4], [3, 4], [4], []]],
    ['by range', { $push: '$v', window: { range: [-1, 0] } }, [[1], [1, 2, 3], [1, 2, 3], [4]], { t: 1 }],
    ['by range ahead', { $sum: 1, window: { range: ['current', 'unbounded'] } }, [4, 3, 3, 1], { t: 1 }],
    ['rank', { $rank: {} }, [1, 2, 2, 4], { t: 1 }],
    ['dense rank', { $denseRank: {} }, [1, 2, 2, 3], { t: 1 }],
    ['document number', { $documentNumber: {} }, [1, 2, 3, 4]],
    ['shift', { $shift: { output: '$v', by: -1, default: 'none' } }, ['none', 1, 2, 3]],
    ['shift ahead', { $shift: { output: '$v', by: 2 } }, [3, 4, null, null]],
    ['moving average', { $expMovingAvg: { input: '$v', alpha: 0.5 } }, [new Double(1), 1.5, 2.25, 3.125]],
    ['least and greatest', { $minMaxScaler: { input: '$v' } }, [new Double(0), 1 / 3, 2 / 3, new Double(1)]],
    [
      'scaled elsewhere',
      { $minMaxScaler: { input: '$v', min: 0, max: 30 } },
      [new Double(0), new Double(10), new Double(20), new Double(30)],
    ],
    ['first of a window', { $first: '$v', window: { documents: [-1, 'current'] } }, [1, 1, 2, 3]],
  ])('%s', async (_claim, output, expected, sortBy) => {
    expect(await column(output, sortBy)).toStrictEqual(expected);
  });

  it('orders by partition and sort, and carries dotted fields', async () => {
    const spec = { partitionBy: '$p', sortBy: { v: -1 }, output: { 'x.n': { $documentNumber: {} } } };
    const result = await runPipeline([{ $setWindowFields: spec }, { $project: { n: '$x.n' } }], { c: docs });
    expect(result).toEqual([
      { _id: 2, n: 1 },
      { _id: 5, n: 1 },
      { _id: 4, n: 2 },
      { _id: 3, n: 3 },
      { _id: 1, n: 4 },
    ]);
  });

  it('ranges over time', async () => {
    const hours = [0, 1, 5].map((hour, _id) => ({ _id, at: new Date(hour * 3_600_000) }));
    const spec = { sortBy: { at: 1 }, output: { n: { $sum: 1, window: { range: [-2, 0], unit: 'hour' } } } };
    expect((await runPipeline([{ $setWindowFields: spec }], { c: hours })).map(({ n }) => n)).toEqual([1, 2, 1]);
  });

  it('agrees with taking each window anew', async () => {
    const many = Array.from({ length: 200 }, (_, _id) => ({ _id, v: (_id * 37) % 101 }));
    const spec = { sortBy: { _id: 1 }, output: { s: { $sum: '$v', window: { documents: [-7, 3] } } } };
    const result = await runPipeline([{ $setWindowFields: spec }], { c: many });
    result.forEach(({ s }, at) => {
      expect(s).toBe(many.slice(Math.max(0, at - 7), at + 4).reduce((sum, { v }) => sum + v, 0));
    });
  });

  it.each<[Doc, number]>([
    [{ output: { a: { $nope: 1 } } }, 9],
    [{ output: { a: { $derivative: { input: '$v' } } } }, 9],
    [{ output: { a: { $rank: {} } } }, 5371602],
    [{ sortBy: { t: 1 }, output: { a: { $sum: 1, window: { documents: [2, 1] } } } }, 5339900],
    [{ output: { a: { $sum: 1, window: { documents: [-1, 1] } } } }, 5339901],
    [{ sortBy: { t: 1, v: 1 }, output: { a: { $sum: 1, window: { range: [-1, 1] } } } }, 5339902],
    [{}, 40414],
    [{ output: {}, x: 1 }, 40415],
  ])('refuses %j with %i', async (spec, code) => {
    expect(await checkPipelineFailure([{ $setWindowFields: spec }])).toMatchObject({ code });
  });
});

describe('$fill and $densify', () => {
  const gaps: Doc[] = [
    { _id: 1, t: 0, v: 1 },
    { _id: 2, t: 1 },
    { _id: 3, t: 3, v: 4 },
    { _id: 4, t: 4, v: null },
  ];
  it('fills', async () => {
    const fill = async (filling: Doc) =>
      (await runPipeline([{ $fill: { sortBy: { t: 1 }, output: { v: filling } } }], { c: gaps })).map(({ v }) => v);
    expect(await fill({ value: 0 })).toStrictEqual([1, 0, 4, 0]);
    expect(await fill({ method: 'locf' })).toStrictEqual([1, 1, 4, 4]);
    expect(await fill({ method: 'linear' })).toStrictEqual([1, new Double(2), 4, null]);
  });

  it('densifies numbers and dates', async () => {
    const values = async (range: Doc, more: Doc = {}) =>
      (await runPipeline([{ $densify: { field: 't', range, ...more } }], { c: [{ t: 0 }, { t: 3 }] })).map(
        ({ t }) => t,
      );
    expect(await values({ step: 1, bounds: 'full' })).toEqual([0, 1, 2, 3]);
    expect(await values({ step: 2, bounds: 'full' })).toEqual([0, 2, 3]);
    expect(await values({ step: 1, bounds: [-1, 2] })).toEqual([-1, 0, 1, 3]);
    const days = [
      { t: new Date('2024-01-01'), k: 'a' },
      { t: new Date('2024-01-03'), k: 'a' },
    ];
    expect(
      await runPipeline(
        [{ $densify: { field: 't', partitionByFields: ['k'], range: { step: 1, unit: 'day', bounds: 'partition' } } }],
        { c: days },
      ),
    ).toEqual([days[0], { k: 'a', t: new Date('2024-01-02') }, days[1]]);
  });

  it('refuses steps that never end', async () => {
    expect(
      await checkPipelineFailure([{ $densify: { field: 't', range: { step: 0, bounds: 'full' } } }]),
    ).toMatchObject({ code: 5733401 });
    expect(
      await checkPipelineFailure([{ $densify: { field: 't', range: { step: 1, bounds: 'full' } } }], {
        collections: { c: [{ t: 0 }, { t: 1e9 }] },
      }),
    ).toMatchObject({ code: 5897900 });
  });
});
