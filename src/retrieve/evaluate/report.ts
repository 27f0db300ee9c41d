import type { CalibrationPoint } from './calibrate.js';
import type { ChunkingResult } from './evaluate-chunking.js';
import { type Comparison, type ConfigurationResult, MEASURES } from './evaluate-retrieval.js';
import type { Interval } from './statistics.js';

/** Results as Markdown tables, to print and to keep in the documentation. All pure. */

export function retrievalTable(results: readonly ConfigurationResult[]): string {
  return table(
    ['configuration', ...MEASURES, 'p50 ms', 'p95 ms', 'ANN recall@10'],
    results.map(({ configuration, summary, p50Ms, p95Ms, annRecall }) => [
      configuration,
      ...MEASURES.map((measure) => interval(summary[measure])),
      p50Ms.toFixed(1),
      p95Ms.toFixed(1),
      annRecall === null ? '' : annRecall.toFixed(3),
    ]),
  );
}

export function comparisonTable(a: string, b: string, comparisons: readonly Comparison[]): string {
  return table(
    ['measure', a, b, 'difference', 'p'],
    comparisons.map(({ measure, a: left, b: right, difference, p }) => [
      measure,
      left.toFixed(4),
      right.toFixed(4),
      `${difference < 0 ? '' : '+'}${difference.toFixed(4)}`,
      p.toFixed(4),
    ]),
  );
}

export function chunkingTable(results: readonly ChunkingResult[]): string {
  return table(
    ['chunking', 'chunks', 'recall', 'precision', 'precision-omega', 'IoU'],
    results.map(({ name, chunks, summary }) => [
      name,
      String(chunks),
      ...[summary.recall, summary.precision, summary.precisionOmega, summary.iou].map(interval),
    ]),
  );
}

export function calibrationTable(curve: readonly CalibrationPoint[]): string {
  return table(
    ['vector : text', 'nDCG@10'],
    curve.map(({ weights, ndcg }) => [`${weights.vector} : ${weights.text}`, ndcg.toFixed(4)]),
  );
}

function interval({ mean, low, high }: Interval): string {
  return `${mean.toFixed(3)} (${low.toFixed(3)}–${high.toFixed(3)})`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]!.length)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
