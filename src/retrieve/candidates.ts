import type { Similarity } from '../embed/embedder.js';
import type { LegHit } from '../store/search/search-store.js';
import { normalisedScoreFusion, reciprocalRankFusion } from './fusion.js';
import type { Scores, SearchMode } from './retrieve.js';
import { distanceOf } from './scores.js';
import type { Fusion, Weights } from './weights.js';

/** A chunk that a leg proposed, before anybody has looked whether it is still there. */
export interface Candidate {
  readonly id: string;
  /** What the search sorts by. */
  readonly score: number;
  readonly scores: Scores;
  /** From 1, in the leg's own order; null: the leg does not have it. */
  readonly vectorRank: number | null;
  readonly textRank: number | null;
}

/** null: the leg did not run. */
export interface LegResults {
  readonly vector: readonly LegHit[] | null;
  readonly text: readonly LegHit[] | null;
}

export interface Candidates {
  /** Best first, ties by id. */
  readonly ranked: readonly Candidate[];
  /** What `minSimilarity` took out of the vector leg and no other leg brought back. */
  readonly belowMinSimilarity: readonly Candidate[];
}

/** Joins what the legs returned into one order. Pure. */
export function toCandidates(
  legs: LegResults,
  options: { mode: SearchMode; weights: Weights; fusion: Fusion; measure: Similarity; minSimilarity?: number },
): Candidates {
  const least = options.minSimilarity ?? Number.NEGATIVE_INFINITY;
  const vector = legs.vector?.filter(({ score }) => score >= least) ?? null;
  const describe = describer(vector, legs.text, options.measure);
  const ranked = order(vector, legs.text, options).map(({ id, score }) => {
    const fused = options.mode === 'HYBRID' ? score : null;
    return describe(id, score, fused);
  });
  const kept = new Set(ranked.map(({ id }) => id));
  const dropped = legs.vector?.filter(({ id, score }) => score < least && !kept.has(id)) ?? [];
  const describeDropped = describer(dropped, null, options.measure);
  return {
    ranked,
    belowMinSimilarity: dropped.map(({ id, score }) => ({ ...describeDropped(id, score, null), vectorRank: null })),
  };
}

function order(
  vector: readonly LegHit[] | null,
  text: readonly LegHit[] | null,
  { mode, weights, fusion }: { mode: SearchMode; weights: Weights; fusion: Fusion },
): readonly LegHit[] {
  if (mode !== 'HYBRID') return vector ?? text ?? [];
  const legs = {
    // A leg that was dropped by its weight and runs for want of the other counts alone, by whatever weight.
    vector: { weight: vector === null ? 0 : text === null ? weights.vector || 1 : weights.vector, hits: vector ?? [] },
    text: { weight: text === null ? 0 : vector === null ? weights.text || 1 : weights.text, hits: text ?? [] },
  };
  return fusion === 'NORMALISED_SCORES' ? normalisedScoreFusion(legs) : reciprocalRankFusion([legs.vector, legs.text]);
}

function describer(vector: readonly LegHit[] | null, text: readonly LegHit[] | null, measure: Similarity) {
  const vectorPlaces = places(vector);
  const textPlaces = places(text);
  return (id: string, score: number, fused: number | null): Candidate => {
    const inVector = vectorPlaces.get(id);
    const inText = textPlaces.get(id);
    const similarity = inVector?.score ?? null;
    return {
      id,
      score,
      scores: {
        similarity,
        distance: similarity === null ? null : distanceOf(measure, similarity),
        text: inText?.score ?? null,
        fused,
        rerank: null,
      },
      vectorRank: inVector?.rank ?? null,
      textRank: inText?.rank ?? null,
    };
  };
}

function places(hits: readonly LegHit[] | null): Map<string, { rank: number; score: number }> {
  return new Map(hits?.map(({ id, score }, index) => [id, { rank: index + 1, score }]));
}
