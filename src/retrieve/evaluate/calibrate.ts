import { normalisedScoreFusion } from '../fusion.js';
import type { Weights } from '../weights.js';
import type { Judgements } from './ranking-metrics.js';
import { ndcgAt } from './ranking-metrics.js';
import { mean } from './statistics.js';

/** What both legs returned for one golden query: chunks, best first, with the document that each belongs to. */
export interface GoldenQuery {
  readonly relevance: Judgements;
  readonly vector: readonly LegChunk[];
  readonly text: readonly LegChunk[];
}

export interface LegChunk {
  readonly id: string;
  readonly title: string;
  readonly score: number;
}

export interface CalibrationPoint {
  readonly weights: Weights;
  readonly ndcg: number;
}

/** Only the ratio counts. 0 at either end: that leg alone is the best there is. */
const GRID: readonly Weights[] = [
  ...[0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 1].map((vector) => ({ vector, text: 1 })),
  ...[0.7, 0.5, 0.3, 0.2, 0.1, 0].map((text) => ({ vector: 1, text })),
];

/** A gain below this is chance on a few hundred queries: the middle of all weights that are as good is taken. */
const TOLERANCE = 0.002;

/**
 * The weights with which fusion ranks the golden queries best by nDCG@10, and the whole curve. The legs are asked once;
 * fusing is cheap. Pure.
 */
export function calibrate(queries: readonly GoldenQuery[]): { best: Weights; curve: readonly CalibrationPoint[] } {
  const curve = GRID.map((weights) => ({ weights, ndcg: mean(queries.map((query) => ndcgOf(query, weights))) }));
  const top = Math.max(...curve.map(({ ndcg }) => ndcg));
  const good = curve.filter(({ ndcg }) => ndcg >= top - TOLERANCE);
  return { best: good[Math.floor((good.length - 1) / 2)]!.weights, curve };
}

function ndcgOf({ relevance, vector, text }: GoldenQuery, weights: Weights): number {
  const titles = new Map([...vector, ...text].map(({ id, title }) => [id, title]));
  const fused = normalisedScoreFusion({
    vector: { weight: weights.vector, hits: vector },
    text: { weight: weights.text, hits: text },
  });
  return ndcgAt(10, [...new Set(fused.map(({ id }) => titles.get(id)!))], relevance);
}
