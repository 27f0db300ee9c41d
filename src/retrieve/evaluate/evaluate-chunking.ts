import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Configuration } from './configuration.js';
import type { EvaluatedChunking, EvaluationClient, FoundChunk } from './evaluation-client.js';
import { type ExcerptMeasures, measureExcerpts, type Range } from './excerpt-metrics.js';
import { bootstrapMean, type Interval } from './statistics.js';

/** Corpora with questions whose answers are marked as exact excerpts: `corpora/*.md` and `questions.jsonl`. */
export interface ExcerptCollection {
  readonly corpora: readonly { readonly name: string; readonly text: string }[];
  readonly questions: readonly {
    readonly text: string;
    readonly corpus: string;
    readonly references: readonly Range[];
  }[];
}

export async function readExcerptCollection(directory: string): Promise<ExcerptCollection> {
  const files = (await readdir(join(directory, 'corpora'))).filter((name) => name.endsWith('.md')).sort();
  const corpora = await Promise.all(
    files.map(async (file) => ({
      name: file.replace(/\.md$/, ''),
      text: await readFile(join(directory, 'corpora', file), 'utf8'),
    })),
  );
  const lines = (await readFile(join(directory, 'questions.jsonl'), 'utf8')).split('\n').filter(Boolean);
  const questions = lines.map((line) => {
    const { text, corpus, references } = JSON.parse(line) as {
      text: string;
      corpus: string;
      references: { start_index: number; end_index: number }[];
    };
    return { text, corpus, references: references.map(({ start_index, end_index }) => ({ start: start_index, end: end_index })) }; // biome-ignore format: one line
  });
  return { corpora, questions };
}

export type ChunkingResult = {
  readonly name: string;
  readonly chunks: number;
  readonly summary: Readonly<Record<keyof ExcerptMeasures, Interval>>;
};

/** How many pieces a question retrieves, as in the published figures. */
const RETRIEVED = 5;

/** Cuts the corpora in one way, asks every question, and measures what the retrieved pieces cover. */
export async function evaluateChunking(
  client: EvaluationClient,
  { corpora, questions }: ExcerptCollection,
  chunking: EvaluatedChunking,
  configuration: Configuration,
): Promise<ChunkingResult> {
  for (const [index, { name, text }] of corpora.entries())
    await client.upsert({ title: name, text, chunking }, index === corpora.length - 1);
  const offsets = offsetsOf(corpora);
  const all: Range[] = [];
  for (const { name } of corpora) all.push(...(await client.chunks(name)).map((chunk) => placed(chunk, offsets)));
  const measures: ExcerptMeasures[] = [];
  for (const { text, corpus, references } of questions) {
    const { hits } = await client.search({ query: text, configuration, first: RETRIEVED });
    const wanted = references.map((range) => shifted(range, offsets.get(corpus)!));
    measures.push(measureExcerpts(wanted, hits.map((hit) => placed(hit, offsets)), all)); // biome-ignore format: one line
  }
  const names = ['recall', 'precision', 'precisionOmega', 'iou'] as const;
  return {
    name: Object.values(chunking).join(' '),
    chunks: all.length,
    summary: Object.fromEntries(
      names.map((name) => [name, bootstrapMean(measures.map((measure) => measure[name]))]),
    ) as ChunkingResult['summary'],
  };
}

/** The corpora laid end to end, so that a piece of the wrong one counts as retrieved, and as nothing else. */
function offsetsOf(corpora: ExcerptCollection['corpora']): Map<string, number> {
  const offsets = new Map<string, number>();
  let at = 0;
  for (const { name, text } of corpora) {
    offsets.set(name, at);
    at += text.length + 1;
  }
  return offsets;
}

function placed({ title, start, end }: FoundChunk, offsets: ReadonlyMap<string, number>): Range {
  return shifted({ start, end }, offsets.get(title)!);
}

function shifted({ start, end }: Range, by: number): Range {
  return { start: start + by, end: end + by };
}
