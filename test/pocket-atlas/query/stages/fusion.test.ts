import { Double } from 'bson';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Doc, META, metaOf, setMeta } from '../../../../src/pocket-atlas/bson/values.js';
import { normalizeScores } from '../../../../src/pocket-atlas/query/fusion/normalization.js';
import { reciprocalRankFusion } from '../../../../src/pocket-atlas/query/fusion/reciprocal-rank-fusion.js';
import { checkPipelineFailure, runPipeline } from '../run-pipeline.js';

const docs: Doc[] = [1, 2, 3, 4].map((_id) => ({ _id, n: 10 - _id }));

function scored(name: 'searchScore' | 'vectorSearchScore', scores: Record<number, number>): Doc[] {
  return Object.entries(scores)
    .map(([id, score]) => setMeta({ _id: Number(id) }, { [name]: score }))
    .sort((a, b) => (metaOf(b)![name] as number) - (metaOf(a)![name] as number));
}

/** What a client sees. */
function withoutMeta(docs: readonly Doc[]): Doc[] {
  return docs.map((doc) => {
    const { [META]: _, ...fields } = doc as Doc & { [META]?: unknown };
    return fields;
  });
}

const setting = {
  vectorSearch: scored('vectorSearchScore', { 1: 0.9, 2: 0.8, 3: 0.1 }),
  search: scored('searchScore', { 2: 5, 4: 3 }),
};

const hybrid = (more: Doc = {}): Doc => ({
  $rankFusion: { input: { pipelines: { vec: [{ $vectorSearch: {} }], text: [{ $search: {} }] } }, ...more },
});

describe('reciprocalRankFusion', () => {
  it('sums weight / (60 + rank) and breaks ties by id', () => {
    const fused = reciprocalRankFusion(
      [
        { name: 'a', weight: 1, items: [3, 1] },
        { name: 'b', weight: 2, items: [2, 3] },
      ],
      (item) => item,
    );
    expect(fused.map(({ item, score }) => [item, score])).toEqual([
      [3, 1 / 61 + 2 * (1 / 62)],
      [2, 2 / 61],
      [1, 1 / 62],
    ]);
    const tied = reciprocalRankFusion(
      [
        { name: 'a', weight: 1, items: [2] },
        { name: 'b', weight: 1, items: [1] },
      ],
      (item) => item,
    );
    expect(tied.map(({ item }) => item)).toEqual([1, 2]);
    expect(tied[0]!.contributions).toEqual([
      { name: 'a', weight: 1, rank: undefined },
      { name: 'b', weight: 1, rank: 1 },
    ]);
  });

  it('keeps an item that heads every ranking at the head, and counts each item once', () => {
    const ranking = fc.uniqueArray(fc.integer({ min: 2, max: 30 }), { maxLength: 10 });
    fc.assert(
      fc.property(fc.array(ranking, { minLength: 1, maxLength: 4 }), (rankings) => {
        const inputs = rankings.map((items, index) => ({ name: `p${index}`, weight: 1, items: [1, ...items] }));
        const fused = reciprocalRankFusion(inputs, (item) => item);
        expect(fused[0]!.item).toBe(1);
        expect(fused).toHaveLength(new Set(inputs.flatMap(({ items }) => items)).size);
        for (let at = 1; at < fused.length; at++) expect(fused[at]!.score).toBeLessThanOrEqual(fused[at - 1]!.score);
      }),
    );
  });
});

describe('$rankFusion', () => {
  it('fuses, and keeps the score as metadata', async () => {
    const result = await runPipeline([hybrid(), { $project: { score: { $meta: 'score' } } }], { c: docs }, setting);
    expect(withoutMeta(result)).toStrictEqual([
      { _id: 2, score: 1 / 61 + 1 / 62 },
      { _id: 1, score: 1 / 61 },
      { _id: 4, score: 1 / 62 },
      { _id: 3, score: 1 / 63 },
    ]);
  });

  it('weighs', async () => {
    const result = await runPipeline([hybrid({ combination: { weights: { text: 3, vec: 0 } } })], { c: docs }, setting);
    expect(result.map(({ _id }) => _id)).toEqual([2, 4, 1, 3]);
  });

  it('explains, inputs by name', async () => {
    const [first, , , last] = await runPipeline(
      [hybrid({ scoreDetails: true }), { $project: { details: { $meta: 'scoreDetails' } } }],
      { c: docs },
      setting,
    );
    expect(first!.details).toStrictEqual({
      value: 1 / 61 + 1 / 62,
      description:
        'value output by reciprocal rank fusion algorithm, computed as sum of (weight * (1 / (60 + rank))) across input pipelines from which this document is output, from:',
      details: [
        { inputPipelineName: 'text', rank: 1, weight: new Double(1), value: new Double(5), details: [] },
        { inputPipelineName: 'vec', rank: 2, weight: new Double(1), value: 0.8, details: [] },
      ],
    });
    expect((last!.details as Doc).details).toStrictEqual([
      { inputPipelineName: 'text', rank: 'NA', weight: new Double(1) },
      { inputPipelineName: 'vec', rank: 3, weight: new Double(1), value: 0.1, details: [] },
    ]);
  });

  it('ranks by $sort too, with stages behind it', async () => {
    const fusion = {
      $rankFusion: { input: { pipelines: { n: [{ $match: { n: { $gt: 6 } } }, { $sort: { n: 1 } }, { $limit: 2 }] } } },
    };
    expect(await runPipeline([fusion, { $limit: 1 }], { c: docs })).toEqual([expect.objectContaining({ _id: 3 })]);
  });

  const pipelines = (input: Doc): Doc => ({ $rankFusion: { input: { pipelines: input } } });
  it.each<[Doc[], number, string]>([
    [[{ $rankFusion: 1 }], 9, '$rankFusion must take a nested object but found: int'],
    [[{ $rankFusion: {} }], 40414, "BSON field '$rankFusion.input' is missing but a required field"],
    [[{ $rankFusion: { input: { pipelines: {} }, x: 1 } }], 40415, "BSON field '$rankFusion.x' is an unknown field."],
    [
      [pipelines({ a: 1 })],
      14,
      "BSON field '$rankFusion.input.pipelines.a' is the wrong type 'int', expected type 'array'",
    ],
    [
      [pipelines({ a: [] })],
      9834300,
      '$rankFusion input pipeline cannot be empty. All subpipelines to the $rankFusion stage must begin with one of $search, $vectorSearch, $geoNear, or have a custom $sort in the pipeline.',
    ],
    [
      [pipelines({ a: [{ $sort: { n: 1 } }, { $project: { a: 1 } }] })],
      9191103,
      '$project is not a selection stage because it modifies or transforms the input documents. Only stages that retrieve, limit, or order documents are allowed.',
    ],
    [[pipelines({ a: [hybrid()] })], 10473002, '$rankFusion input pipelines must not contain a $rankFusion stage.'],
    [
      [pipelines({ a: [{ $score: { score: 1 } }] })],
      10614800,
      '$rankFusion input pipelines must not contain a $score stage.',
    ],
    [
      [pipelines({ $a: [{ $sort: { n: 1 } }] })],
      16410,
      "FieldPath field names may not start with '$'. Consider using $getField or $setField.",
    ],
    [
      [pipelines({ 'a.b': [{ $sort: { n: 1 } }] })],
      16412,
      "FieldPath field names may not contain '.'. Consider using $getField or $setField.",
    ],
    [
      [hybrid({ combination: { weights: { vec: -1 } } })],
      9460300,
      "rankFusion's pipeline weight must be non-negative, but given -1 for pipeline 'vec'.",
    ],
    [[{ $match: {} }, hybrid()], 40602, '$rankFusion is only valid as the first stage in a pipeline'],
    [[{ $facet: { a: [hybrid()] } }], 40600, '$rankFusion is not allowed to be used within a $facet stage'],
  ])('refuses %j', async (stages, code, message) => {
    expect(await checkPipelineFailure(stages, setting)).toEqual({ code, message });
  });

  it('refuses inputs without a ranking and weights without an input', async () => {
    expect(await checkPipelineFailure([pipelines({ a: [{ $match: {} }] })], setting)).toMatchObject({ code: 9191100 });
    expect(await checkPipelineFailure([hybrid({ combination: { weights: { nope: 1 } } })], setting)).toMatchObject({
      code: 9967500,
    });
    expect(
      await checkPipelineFailure([hybrid({ combination: { weights: { a: 1, b: 1, c: 1 } } })], setting),
    ).toMatchObject({ code: 9460301 });
    expect(await checkPipelineFailure([hybrid()], { ...setting, inTransaction: true })).toMatchObject({ code: 263 });
    expect(await checkPipelineFailure([hybrid()], { ...setting, collection: null })).toMatchObject({ code: 73 });
  });
});

describe('$scoreFusion and $score', () => {
  const fusion = (more: Doc = {}, normalization = 'none'): Doc => ({
    $scoreFusion: {
      input: { pipelines: { vec: [{ $vectorSearch: {} }], text: [{ $search: {} }] }, normalization },
      ...more,
    },
  });
  const scores = async (stage: Doc) => {
    const result = await runPipeline([stage, { $project: { s: { $meta: 'score' } } }], { c: docs }, setting);
    return result.map(({ _id, s }) => [_id, Number(s)]);
  };

  it('averages over all inputs, a missing score being 0', async () => {
    expect(await scores(fusion())).toEqual([
      [2, (0.8 + 5) / 2],
      [4, 1.5],
      [1, 0.45],
      [3, 0.05],
    ]);
    expect((await scores(fusion({ combination: { weights: { text: 0 } } }))).map(([id]) => id)).toEqual([1, 2, 3, 4]);
  });

  it('normalises', async () => {
    const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));
    expect((await scores(fusion({}, 'sigmoid')))[0]).toEqual([2, (sigmoid(0.8) + sigmoid(5)) / 2]);
    const scaled = await scores(fusion({}, 'minMaxScaler'));
    expect(scaled[0]![0]).toBe(2);
    expect(scaled[0]![1]).toBeCloseTo((7 / 8 + 1) / 2, 12);
    expect(normalizeScores([2, 2], 'minMaxScaler', 1)).toEqual([0, 0]);
  });

  it('combines by an expression of the inputs', async () => {
    const combination = { method: 'expression', expression: { $add: [{ $multiply: ['$$vec', 10] }, '$$text'] } };
    expect(await scores(fusion({ combination }))).toEqual([
      [2, 13],
      [1, 9],
      [4, 3],
      [3, 1],
    ]);
  });

  it('$score gives a score, which $sort and $scoreFusion see', async () => {
    const stages = [
      { $score: { score: '$n', weight: 0.5 } },
      { $sort: { s: { $meta: 'score' } } },
      { $project: { s: { $meta: 'score' } } },
    ];
    expect(withoutMeta(await runPipeline(stages, { c: docs }))).toStrictEqual([
      { _id: 1, s: 4.5 },
      { _id: 2, s: new Double(4) },
      { _id: 3, s: 3.5 },
      { _id: 4, s: new Double(3) },
    ]);
    const only = {
      $scoreFusion: {
        input: {
          pipelines: { n: [{ $score: { score: '$n', normalization: 'minMaxScaler' } }] },
          normalization: 'none',
        },
      },
    };
    expect(
      (await runPipeline([only, { $project: { s: { $meta: 'score' } } }], { c: docs })).map(({ s }) => Number(s)),
    ).toEqual([1, 2 / 3, 1 / 3, 0]);
  });

  it.each<[Doc, number]>([
    [{ $scoreFusion: { input: { pipelines: { a: [{ $search: {} }] } } } }, 40414],
    [{ $scoreFusion: { input: { pipelines: { a: [] }, normalization: 'none' } } }, 9402503],
    [{ $scoreFusion: { input: { pipelines: { a: [{ $sort: { n: 1 } }] }, normalization: 'none' } } }, 9402500],
    [
      { $scoreFusion: { input: { pipelines: { a: [{ $search: {} }, { $unset: 'n' }] }, normalization: 'none' } } },
      9402502,
    ],
    [{ $scoreFusion: { input: { pipelines: { a: [hybrid()] }, normalization: 'none' } } }, 10473003],
    [fusion({}, 'nope'), 2],
    [fusion({ combination: { method: 'expression' } }), 10017300],
    [fusion({ combination: { expression: 1 } }), 10017300],
    [fusion({ combination: { method: 'expression', expression: 1, weights: { vec: 1 } } }), 10017301],
    [{ $score: { score: '$n', weight: 2 } }, 2],
    [{ $score: {} }, 40414],
    [{ $score: { score: 'x' } }, 14],
  ])('refuses %j with %i', async (stage, code) => {
    expect(await checkPipelineFailure([stage], setting)).toMatchObject({ code });
  });
});
