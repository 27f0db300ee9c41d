import type { Collection } from './beir.js';
import type { Configuration } from './configuration.js';
import type { EvaluatedChunking, EvaluationClient } from './evaluation-client.js';
import { averagePrecision, ndcgAt, overlap, recallAt, reciprocalRank } from './ranking-metrics.js';
import { bootstrapMean, type Interval, pairedRandomisation, quantile } from './statistics.js';

/** Measures per query, so that two configurations can be compared query by query. */
export const MEASURES = ['nDCG@10', 'recall@10', 'recall@100', 'MAP', 'MRR'] as const;
export type Measure = (typeof MEASURES)[number];

export interface ConfigurationResult {
  readonly configuration: string;
  /** By query id. */
  readonly perQuery: Readonly<Record<string, Readonly<Record<Measure, number>>>>;
  readonly summary: Readonly<Record<Measure, Interval>>;
  readonly p50Ms: number;
  readonly p95Ms: number;
  /** Of the exact ten nearest chunks, the share that the default search returns; null where no vector leg ran. */
  readonly annRecall: number | null;
}

/** The deepest measure looks at so many documents. */
const DEPTH = 100;
const NEAREST = 10;
/** Exact searches are slow: a sample tells. */
const ANN_QUERIES = 200;

/** Puts a collection in: every document under its id as title. Empty ones are left out, as there is nothing to find. */
export async function ingestCollection(
  client: EvaluationClient,
  { documents }: Collection,
  options: {
    readonly concurrency: number;
    readonly onProgress?: (done: number, total: number) => void;
    /** Default: the server's. */
    readonly chunking?: EvaluatedChunking;
  },
): Promise<void> {
  const texts = documents
    .map(({ id, title, text }) => ({
      title: id,
      text: [title, text].filter((part) => part.trim() !== '').join('\n\n'),
      ...(options.chunking && { chunking: options.chunking }),
    }))
    .filter(({ text }) => text !== '');
  let next = 0;
  let done = 0;
  const last = texts.length - 1;
  const work = async () => {
    while (next < last) {
      await client.upsert(texts[next++]!, false);
      options.onProgress?.(++done, texts.length);
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, work));
  // Search indexes take changes in order: once the last one is searchable, all are.
  if (last >= 0) await client.upsert(texts[last]!, true);
  options.onProgress?.(texts.length, texts.length);
}

/** Asks every query once, one at a time, as the latency figures need it. */
export async function evaluateConfiguration(
  client: EvaluationClient,
  { queries }: Collection,
  configuration: Configuration,
  onProgress?: (done: number, total: number) => void,
): Promise<ConfigurationResult> {
  const perQuery: Record<string, Record<Measure, number>> = {};
  const latencies: number[] = [];
  for (const { id, text, relevance } of queries) {
    const { hits, tookMs } = await client.search({ query: text, configuration, first: DEPTH, perDocument: true });
    const ranked = [...new Set(hits.map(({ title }) => title))];
    latencies.push(tookMs);
    perQuery[id] = {
      'nDCG@10': ndcgAt(10, ranked, relevance),
      'recall@10': recallAt(10, ranked, relevance),
      'recall@100': recallAt(DEPTH, ranked, relevance),
      MAP: averagePrecision(ranked, relevance),
      MRR: reciprocalRank(ranked, relevance),
    };
    onProgress?.(latencies.length, queries.length);
  }
  latencies.sort((a, b) => a - b);
  const values = Object.values(perQuery);
  return {
    configuration: configuration.name,
    perQuery,
    summary: Object.fromEntries(
      MEASURES.map((measure) => [measure, bootstrapMean(values.map((query) => query[measure]))]),
    ) as Record<Measure, Interval>,
    p50Ms: quantile(latencies, 0.5),
    p95Ms: quantile(latencies, 0.95),
    annRecall: configuration.mode === 'VECTOR' ? await annRecall(client, queries, configuration) : null,
  };
}

async function annRecall(
  client: EvaluationClient,
  queries: Collection['queries'],
  configuration: Configuration,
): Promise<number> {
  const sample = queries.slice(0, ANN_QUERIES);
  let sum = 0;
  for (const { text } of sample) {
    const search = { query: text, configuration, first: NEAREST };
    const [approximate, exact] = [await client.search(search), await client.search({ ...search, exact: true })];
    sum += overlap(approximate.hits.map(({ id }) => id), exact.hits.map(({ id }) => id)); // biome-ignore format: one line
  }
  return sample.length === 0 ? 1 : sum / sample.length;
}

export interface Comparison {
  readonly measure: Measure;
  readonly a: number;
  readonly b: number;
  readonly difference: number;
  readonly p: number;
}

/** Two configurations over the same queries, side by side. Pure. */
export function compare(a: ConfigurationResult, b: ConfigurationResult): Comparison[] {
  const ids = Object.keys(a.perQuery).filter((id) => Object.hasOwn(b.perQuery, id));
  return MEASURES.map((measure) => {
    const [left, right] = [a, b].map(({ perQuery }) => ids.map((id) => perQuery[id]![measure])) as [number[], number[]];
    const [meanA, meanB] = [bootstrapMean(left, 1).mean, bootstrapMean(right, 1).mean];
    return { measure, a: meanA, b: meanB, difference: meanB - meanA, p: pairedRandomisation(left, right) };
  });
}
