import type { LegHit } from '../store/search/search-store.js';
import { type Stem, unchanged } from './language/stems.js';
import { wordsOf } from './words.js';

/** Lucene's defaults. */
const K1 = 1.2;
const B = 0.75;

/**
 * BM25 scores for texts that the index does not know yet, on the scale of those that it returned. Its statistics are its
 * own, so the same formula over the few texts at hand is scaled until the returned hits (`anchors`) get what the index
 * gave them. Texts without a word of the query, in whatever form `stem` makes one, are left out. Pure.
 */
export function estimateTextScores(
  query: string,
  fresh: readonly { readonly id: string; readonly text: string }[],
  anchors: readonly { readonly text: string; readonly score: number }[],
  stem: Stem = unchanged,
): LegHit[] {
  const terms = [...new Set(wordsOf(query).map(({ term }) => stem(term)))];
  const pool = [...anchors, ...fresh].map(({ text }) => countTerms(text, stem));
  const average = pool.reduce((sum, { length }) => sum + length, 0) / Math.max(pool.length, 1);
  const weights = terms.map((term) => {
    const holding = pool.filter(({ counts }) => counts.has(term)).length;
    return Math.log(1 + (pool.length - holding + 0.5) / (holding + 0.5));
  });
  const scoreOf = ({ counts, length }: TermCounts) =>
    terms.reduce((sum, term, index) => {
      const count = counts.get(term) ?? 0;
      const saturation = count / (count + K1 * (1 - B + (B * length) / average));
      return count === 0 ? sum : sum + weights[index]! * saturation;
    }, 0);
  const scores = pool.map(scoreOf);
  const ratios = anchors.map(({ score }, index) => score / scores[index]!).filter(Number.isFinite);
  const scale = ratios.length === 0 ? 1 : median(ratios);
  return fresh.flatMap(({ id }, index) => {
    const score = scores[anchors.length + index]!;
    return score > 0 ? [{ id, score: score * scale }] : [];
  });
}

interface TermCounts {
  readonly counts: ReadonlyMap<string, number>;
  readonly length: number;
}

function countTerms(text: string, stem: Stem): TermCounts {
  const counts = new Map<string, number>();
  const words = wordsOf(text);
  for (const word of words) {
    const term = stem(word.term);
    counts.set(term, (counts.get(term) ?? 0) + 1);
  }
  return { counts, length: words.length };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}
