import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toCandidates } from '../../src/retrieve/candidates.js';
import { effectiveCandidates, legLimit, rankingSize } from '../../src/retrieve/depth.js';
import { estimateTextScores } from '../../src/retrieve/estimate-text-scores.js';
import { normalisedScoreFusion, reciprocalRankFusion } from '../../src/retrieve/fusion.js';
import { markWords, placePassages } from '../../src/retrieve/highlights.js';
import { languageOfScript, queryLanguage } from '../../src/retrieve/language/query-language.js';
import { distanceOf, similarityOf } from '../../src/retrieve/scores.js';
import { weightsFor } from '../../src/retrieve/weights.js';
import { wordsOf } from '../../src/retrieve/words.js';
import type { SpaceRecord } from '../../src/store/records.js';
import { queryTerms } from '../../src/store/search/query-terms.js';

const hits = (...ids: string[]) => ids.map((id, index) => ({ id, score: 10 - index }));

describe('reciprocal-rank fusion', () => {
  it('adds weight / (60 + rank) of each leg', () => {
    const fused = reciprocalRankFusion([
      { weight: 1, hits: hits('a', 'b') },
      { weight: 0.5, hits: hits('b', 'c') },
    ]);
    expect(fused).toEqual([
      { id: 'b', score: 1 / 62 + 0.5 / 61 },
      { id: 'a', score: 1 / 61 },
      { id: 'c', score: 0.5 / 62 },
    ]);
  });

  it('orders equal scores by id, and leaves out a leg of weight 0', () => {
    const legs = [{ weight: 1, hits: hits('b') }, { weight: 1, hits: hits('a') }, { weight: 0, hits: hits('z') }]; // biome-ignore format: one line
    expect(reciprocalRankFusion(legs).map(({ id }) => id)).toEqual(['a', 'b']);
  });

  it('does not depend on the order of the legs', () => {
    const leg = fc.record({
      weight: fc.constantFrom(0.25, 0.5, 1),
      hits: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd')).map((ids) => hits(...ids)),
    });
    fc.assert(
      fc.property(fc.array(leg, { maxLength: 2 }), (legs) => {
        expect(reciprocalRankFusion([...legs].reverse())).toEqual(reciprocalRankFusion(legs));
      }),
    );
  });
});

describe('fusion of normalised scores', () => {
  const text = { weight: 1, hits: [{ id: 'a', score: 20 }, { id: 'b', score: 10 }, { id: 'c', score: 6 }] }; // biome-ignore format: table
  const vector = { weight: 0.5, hits: [{ id: 'b', score: 0.9 }, { id: 'd', score: 0.8 }, { id: 'e', score: 0.7 }] }; // biome-ignore format: table

  it('divides BM25 by its best, and measures similarities from the last to the best', () => {
    const fused = normalisedScoreFusion({ vector, text });
    expect(fused.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd', 'e']);
    const scores = [1, 0.5 + 0.5, 0.3, 0.25, 0];
    for (const [index, { score }] of fused.entries()) expect(score).toBeCloseTo(scores[index]!, 12);
  });

  it('gives the same order however deep the vector leg was', () => {
    const deep = Array.from({ length: 240 }, (_, index) => ({ id: `v${String(index).padStart(3, '0')}`, score: 0.9 - index / 1_000 })); // biome-ignore format: one line
    const words = { weight: 1, hits: [{ id: 'v030', score: 9 }, { id: 'v002', score: 5 }, { id: 'v055', score: 4 }, { id: 'words only', score: 3 }] }; // biome-ignore format: table
    const orderAt = (depth: number) =>
      normalisedScoreFusion({ vector: { weight: 0.4, hits: deep.slice(0, depth) }, text: words })
        .map(({ id }) => id)
        .slice(0, 50);
    expect(orderAt(60)).toEqual(orderAt(240));
  });
});

describe('candidates', () => {
  const options = {
    mode: 'HYBRID',
    weights: { vector: 1, text: 1 },
    fusion: 'RECIPROCAL_RANK',
    measure: 'cosine',
  } as const;
  it('apply minSimilarity to the vector leg before fusion, so that ranks close up', () => {
    const legs = { vector: [{ id: 'a', score: 0.9 }, { id: 'b', score: 0.4 }], text: hits('b') }; // biome-ignore format: one line
    const { ranked, belowMinSimilarity } = toCandidates(legs, { ...options, minSimilarity: 0.5 });
    expect(ranked.map(({ id, vectorRank, textRank }) => [id, vectorRank, textRank])).toEqual([
      ['a', 1, null],
      ['b', null, 1],
    ]);
    expect(ranked[1]!.scores).toMatchObject({ similarity: null, text: 10 });
    expect(belowMinSimilarity).toEqual([]);
    expect(toCandidates({ ...legs, text: null }, { ...options, minSimilarity: 0.5 }).belowMinSimilarity[0]!.id).toBe('b'); // biome-ignore format: one line
  });
});

describe('depth', () => {
  it('clamps as documented', () => {
    expect([1, 10, 13, 50, 100].map(rankingSize)).toEqual([50, 50, 52, 200, 200]);
    expect(effectiveCandidates(10, 60, undefined)).toBe(200);
    expect(effectiveCandidates(100, 240, undefined)).toBe(2_000);
    expect(effectiveCandidates(10, 60, 20)).toBe(60);
    expect(effectiveCandidates(10, 60, -5)).toBe(60);
    expect(effectiveCandidates(10, 60, 99_999)).toBe(10_000);
    expect([0, 1, 2].map((steps) => legLimit(50, steps))).toEqual([60, 240, 960]);
    expect(legLimit(50, 0, 3)).toBe(240);
    expect(legLimit(200, 2, 1)).toBe(10_000);
  });
});

describe('similarity', () => {
  it('is Atlas’s score, and the distance comes back from it', () => {
    const x = Float32Array.of(1, 0);
    expect(similarityOf('cosine', x, Float32Array.of(2, 0))).toBe(1);
    expect(similarityOf('cosine', x, Float32Array.of(0, 3))).toBe(0.5);
    expect(similarityOf('cosine', x, Float32Array.of(-1, 0))).toBe(0);
    expect(similarityOf('euclidean', Float32Array.of(0, 0), Float32Array.of(3, 4))).toBeCloseTo(1 / 26, 7);
    expect(distanceOf('euclidean', 1 / 26)).toBeCloseTo(5, 10);
    expect(distanceOf('cosine', 0)).toBe(2);
  });
});

describe('weights', () => {
  const space = { provider: 'bundled', weights: null, languages: ['en'] } as unknown as SpaceRecord;
  it('drop the vector leg of a model that does not know the language, unless the caller weighs by itself', () => {
    expect(weightsFor(space, 'en', undefined).vector).toBeGreaterThan(0);
    expect(weightsFor(space, null, undefined).vector).toBeGreaterThan(0);
    expect(weightsFor(space, 'de', undefined)).toEqual({ vector: 0, text: 1 });
    expect(weightsFor(space, 'de', { vector: 2, text: 1 })).toEqual({ vector: 2, text: 1 });
    expect(weightsFor({ ...space, languages: null }, 'de', undefined).vector).toBeGreaterThan(0);
    expect(weightsFor({ ...space, weights: { vector: 0.7, text: 1 } }, 'en', undefined).vector).toBe(0.7);
  });
});

describe('the language of a query', () => {
  it.each([
    ['Wie hoch ist der Eiffelturm?', 'de'],
    ['how tall is the tower', 'en'],
    ['火箭如何离开大气层 iPhone', 'zh'],
    ['東京タワーの高さ', 'ja'],
    ['에펠탑의 높이는', 'ko'],
    ['GZ-4471-Q', null],
    ['12345', null],
    ['🚀', null],
  ])('%s', async (query, language) => {
    expect(await queryLanguage(query)).toBe(language);
  });
  it('is not decided by a few foreign characters', () => {
    expect(languageOfScript('what does 茶 mean in this long English sentence')).toBeNull();
  });
});

describe('query terms', () => {
  it('stay as they are up to the limit of clauses', () => {
    expect(queryTerms('a plain "question"', 2)).toBe('a plain "question"');
  });
  it('are cut to the clauses that a query may have, repeated words left out', () => {
    const words = Array.from({ length: 900 }, (_, index) => `word${index % 700}`);
    const kept = queryTerms(words.join(' '), 2).split(' ');
    expect(kept).toEqual(words.slice(0, 500));
    expect(queryTerms('火箭'.repeat(900), 2)).toBe('火箭'.repeat(250));
  });
});

describe('words', () => {
  it('carry their offsets, and pairs of characters where a script has no spaces', () => {
    const text = 'Der Turm, 火箭队!';
    expect(wordsOf(text).map(({ term, start, end }) => [term, text.slice(start, end)])).toEqual([
      ['der', 'Der'],
      ['turm', 'Turm'],
      ['火箭', '火箭'],
      ['箭队', '箭队'],
    ]);
  });
});

describe('highlights', () => {
  const passage = (...values: string[]) => ({ score: 1, pieces: values.map((value, index) => ({ value, isHit: index % 2 === 1 })) }); // biome-ignore format: one line
  it('are placed at exact offsets, repeated passages one after the other, unknown ones left out', () => {
    const text = 'A cat. A dog. A cat.';
    expect(placePassages(text, [passage('A ', 'cat', '.'), passage('A ', 'cat', '.'), passage('A ', 'cow')])).toEqual([
      { text: 'A cat.', start: 0, end: 6 },
      { text: 'A cat.', start: 14, end: 20 },
    ]);
  });
  it('marked by ourselves hold a word of the query, at exact offsets, and cut no word', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('cat', 'house', '😀', 'Ünder', '.', '\n'), { maxLength: 200 }), (parts) => {
        const text = parts.join(' ');
        for (const mark of markWords(text, 'CAT')) {
          expect(text.slice(mark.start, mark.end)).toBe(mark.text);
          expect(mark.text).toContain('cat');
          expect(mark.text.isWellFormed()).toBe(true);
        }
      }),
    );
  });
});

describe('estimated text scores', () => {
  it('are on the scale of the index’s own, and none without a word of the query', () => {
    const anchors = [{ text: 'cats sleep', score: 12 }, { text: 'cats and dogs sleep all day', score: 6 }]; // biome-ignore format: table
    const fresh = [{ id: 'same', text: 'cats sleep' }, { id: 'none', text: 'cows graze' }]; // biome-ignore format: table
    const scores = estimateTextScores('cats', fresh, anchors);
    expect(scores.map(({ id }) => id)).toEqual(['same']);
    expect(scores[0]!.score).toBeGreaterThan(5);
    expect(scores[0]!.score).toBeLessThan(20);
  });
});
