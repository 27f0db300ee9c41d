import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseQrels } from '../../../src/retrieve/evaluate/beir.js';
import { calibrate } from '../../../src/retrieve/evaluate/calibrate.js';
import { parseConfiguration } from '../../../src/retrieve/evaluate/configuration.js';
import { type ConfigurationResult, compare } from '../../../src/retrieve/evaluate/evaluate-retrieval.js';
import { measureExcerpts, union } from '../../../src/retrieve/evaluate/excerpt-metrics.js';
import {
  averagePrecision,
  ndcgAt,
  overlap,
  recallAt,
  reciprocalRank,
} from '../../../src/retrieve/evaluate/ranking-metrics.js';
import { retrievalTable } from '../../../src/retrieve/evaluate/report.js';
import { bootstrapMean, pairedRandomisation, quantile } from '../../../src/retrieve/evaluate/statistics.js';

const relevance = new Map([
  ['a', 3],
  ['b', 2],
  ['c', 1],
]);

describe('ranking measures, against values computed by hand', () => {
  it('nDCG: grades discounted by log2(rank + 1) over the best order', () => {
    // DCG = 2/log2(2) + 3/log2(4) = 2 + 1.5; ideal = 3 + 2/1.584963 + 1/2 = 4.761860
    expect(ndcgAt(10, ['b', 'x', 'a'], relevance)).toBeCloseTo(3.5 / 4.76186, 5);
    expect(ndcgAt(10, ['a', 'b', 'c'], relevance)).toBe(1);
    expect(ndcgAt(2, ['x', 'y', 'a'], relevance)).toBe(0);
    // With a cut, the ideal is cut too: DCG@1 = 2, ideal@1 = 3.
    expect(ndcgAt(1, ['b'], relevance)).toBeCloseTo(2 / 3, 10);
    expect(ndcgAt(10, ['a'], new Map())).toBe(0);
  });

  it('recall, average precision, reciprocal rank', () => {
    expect(recallAt(2, ['x', 'b', 'a'], relevance)).toBeCloseTo(1 / 3, 10);
    // Hits at ranks 2 and 3: (1/2 + 2/3) / 3.
    expect(averagePrecision(['x', 'b', 'a'], relevance)).toBeCloseTo((1 / 2 + 2 / 3) / 3, 10);
    expect(reciprocalRank(['x', 'b', 'a'], relevance)).toBe(1 / 2);
    expect(reciprocalRank(['x'], relevance)).toBe(0);
    expect(overlap(['a', 'b', 'x'], ['a', 'b', 'c', 'd'])).toBe(0.5);
    expect(overlap([], [])).toBe(1);
  });
});

describe('excerpt measures, against values computed by hand', () => {
  it('count shared characters over references, retrieved pieces and both', () => {
    const references = [{ start: 10, end: 20 }];
    const chunks = [
      { start: 0, end: 12 },
      { start: 10, end: 24 },
      { start: 24, end: 40 },
    ];
    // Retrieved: 12 + 16 characters, 2 of them shared; 8 missed. Touching pieces: 12 + 14 characters, all 10 shared.
    expect(measureExcerpts(references, [chunks[0]!, chunks[2]!], chunks)).toEqual({
      recall: 2 / 10,
      precision: 2 / 28,
      precisionOmega: 10 / 26,
      iou: 2 / (28 + 8),
    });
  });

  it('are 1 for exactly the reference, and 0 for nothing retrieved', () => {
    const range = [{ start: 5, end: 9 }];
    expect(measureExcerpts(range, range, range)).toEqual({ recall: 1, precision: 1, precisionOmega: 1, iou: 1 });
    expect(measureExcerpts(range, [], range)).toMatchObject({ recall: 0, precision: 0, iou: 0 });
  });

  it('join ranges without changing which characters they cover', () => {
    const range = fc.tuple(fc.nat(30), fc.nat(10)).map(([start, length]) => ({ start, end: start + length }));
    const cover = (ranges: readonly { start: number; end: number }[]) =>
      new Set(ranges.flatMap(({ start, end }) => Array.from({ length: end - start }, (_, at) => start + at)));
    fc.assert(
      fc.property(fc.array(range, { maxLength: 6 }), (ranges) => {
        const joined = union(ranges);
        expect([...cover(joined)].sort()).toEqual([...cover(ranges)].sort());
        expect(joined.reduce((sum, { start, end }) => sum + end - start, 0)).toBe(cover(ranges).size);
      }),
    );
  });
});

describe('statistics', () => {
  it('interpolate quantiles', () => {
    expect(quantile([1, 2, 3, 4], 0.5)).toBe(2.5);
    expect(quantile([1, 2, 3, 4, 5], 0.95)).toBeCloseTo(4.8, 10);
    expect(quantile([], 0.5)).toBe(0);
  });

  it('bracket the mean by the normal interval where that holds, the same every time', () => {
    const values = Array.from({ length: 400 }, (_, index) => index % 2);
    const { mean, low, high } = bootstrapMean(values);
    expect(mean).toBe(0.5);
    // 1.96 · 0.5 / √400 = 0.049
    expect(low).toBeCloseTo(0.451, 1);
    expect(high).toBeCloseTo(0.549, 1);
    expect(bootstrapMean(values)).toEqual({ mean, low, high });
  });

  it('find no difference between equals, and a sure one where every query agrees', () => {
    const a = Array.from({ length: 30 }, (_, index) => index / 30);
    expect(pairedRandomisation(a, a)).toBe(1);
    expect(pairedRandomisation(a, a.map((value) => value + 0.1))).toBeLessThan(0.001); // biome-ignore format: one line
    // Three queries that all agree: 2 of the 8 ways to swap are as large.
    expect(pairedRandomisation([0, 0, 0], [1, 1, 1])).toBeCloseTo(0.25, 1);
    expect(() => pairedRandomisation([1], [])).toThrow(/pairs/);
  });
});

describe('reading collections', () => {
  it('keeps positive judgements, by query', () => {
    const qrels = parseQrels(['query-id\tcorpus-id\tscore', '1\ta\t2', '1\tb\t0', '2\tc\t1']);
    expect([...qrels].map(([query, grades]) => [query, [...grades]])).toEqual([
      ['1', [['a', 2]]],
      ['2', [['c', 1]]],
    ]);
    expect(() => parseQrels(['head', '1 a 2'])).toThrow(/query, document and grade/);
  });

  it('reads configurations as they are written', () => {
    expect(parseConfiguration('HYBRID@0.2:1+rerank')).toEqual({
      name: 'HYBRID@0.2:1+rerank',
      mode: 'HYBRID',
      weights: { vector: 0.2, text: 1 },
      rerank: true,
    });
    expect(parseConfiguration('text')).toMatchObject({ mode: 'TEXT', weights: null, rerank: false });
    expect(() => parseConfiguration('FUZZY')).toThrow(/Expected VECTOR/);
  });
});

describe('calibration', () => {
  const chunk = (title: string, index: number) => ({ id: title, title, score: 1 / (index + 1) });
  it('drops a leg that only misleads, and keeps one that helps', () => {
    const good = ['r1', 'x', 'y', 'z'].map(chunk);
    const bad = ['x', 'y', 'z', 'r1'].map(chunk);
    const query = { relevance: new Map([['r1', 1]]), vector: bad, text: good };
    expect(calibrate([query]).curve[0]).toEqual({ weights: { vector: 0, text: 1 }, ndcg: 1 });
    expect(calibrate([query]).best.vector).toBeLessThan(1);
    const onlyVector = { relevance: new Map([['r1', 1]]), vector: good, text: [] };
    expect(calibrate([onlyVector]).best.vector).toBeGreaterThan(0);
  });
});

it('compares two results query by query', () => {
  const result = (configuration: string, values: number[]): ConfigurationResult => {
    const measures = (value: number) => ({ 'nDCG@10': value, 'recall@10': value, 'recall@100': value, MAP: value, MRR: value }); // biome-ignore format: one line
    const perQuery = Object.fromEntries(values.map((value, index) => [`q${index}`, measures(value)]));
    const interval = { mean: 0.5, low: 0.4, high: 0.6 };
    const summary = {
      'nDCG@10': interval,
      'recall@10': interval,
      'recall@100': interval,
      MAP: interval,
      MRR: interval,
    };
    return { configuration, perQuery, summary, p50Ms: 1, p95Ms: 2, annRecall: null };
  };
  const [first] = compare(result('A', [0.1, 0.2]), result('B', [0.3, 0.4]));
  expect(first).toMatchObject({ measure: 'nDCG@10', difference: expect.closeTo(0.2, 10) });
  expect(retrievalTable([result('A', [0.5])])).toContain('0.500 (0.400–0.600)');
});
