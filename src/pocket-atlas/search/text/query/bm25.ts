import type { Segment, WordsField } from '../index/segment.js';

/**
 * Okapi BM25 as Lucene 10 computes it, without the (k1 + 1) factor: idf · tf / (tf + k1 · (1 − b + b · length / average)).
 * Source: S. Robertson and H. Zaragoza, "The Probabilistic Relevance Framework", 2009; Lucene BM25Similarity.
 */
export const K1 = 1.2;
export const B = 0.75;

/** Statistics of a field over all segments; deleted rows count until they are merged away, as in Lucene. */
export interface FieldStatistics {
  readonly rows: number;
  readonly averageLength: number;
}

export function fieldStatistics(segments: readonly Segment[], key: string): FieldStatistics {
  let rows = 0;
  let total = 0;
  for (const segment of segments) {
    const field = segment.words.get(key);
    rows += field?.fieldRows ?? 0;
    total += field?.totalLength ?? 0;
  }
  return { rows, averageLength: rows === 0 ? 1 : total / rows };
}

/** In how many rows a term is, and its ordinal in each segment (-1: it has none). */
export function documentFrequency(
  segments: readonly Segment[],
  key: string,
  term: string,
): { readonly frequency: number; readonly ordinals: Int32Array } {
  const target = Buffer.from(term);
  let frequency = 0;
  const ordinals = Int32Array.from(segments, (segment) => {
    const field = segment.words.get(key);
    const ordinal = field?.dictionary.findBytes(target) ?? -1;
    if (ordinal >= 0) frequency += field!.postingStarts[ordinal + 1]! - field!.postingStarts[ordinal]!;
    return ordinal;
  });
  return { frequency, ordinals };
}

/** Never negative: ln(1 + (N − n + 0.5) / (n + 0.5)). */
export function inverseDocumentFrequency(rows: number, frequency: number): number {
  return Math.log(1 + (rows - frequency + 0.5) / (frequency + 0.5));
}

/** tf saturated and normalised by the row's length, to be multiplied by idf. */
export function termWeight(freq: number, length: number, averageLength: number): number {
  return freq / (freq + K1 * (1 - B + (B * length) / averageLength));
}

/**
 * Adds a term's scores to `scores` and its rows to `found`, for rows in `allowed` only. The words of the bitmaps are
 * used as they are: this loop is where a search spends its time.
 */
export function scorePostings(
  field: WordsField,
  ordinal: number,
  weight: number,
  averageLength: number,
  allowed: Uint32Array,
  scores: Float32Array,
  found: Uint32Array,
): void {
  const { rows, freqs, lengths } = field;
  const end = field.postingStarts[ordinal + 1]!;
  const base = K1 * (1 - B);
  const perWord = (K1 * B) / averageLength;
  for (let i = field.postingStarts[ordinal]!; i < end; i++) {
    const row = rows[i]!;
    const bit = 1 << (row & 31);
    if ((allowed[row >>> 5]! & bit) === 0) continue;
    found[row >>> 5]! |= bit;
    const freq = freqs[i]!;
    scores[row]! += (weight * freq) / (freq + base + perWord * lengths[row]!);
  }
}
