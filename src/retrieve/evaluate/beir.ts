import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Judgements } from './ranking-metrics.js';

/**
 * A retrieval collection in the BEIR format: `corpus.jsonl` and `queries.jsonl` with `_id`, `text` (and `title`), and
 * judgements as `qrels.tsv` or `qrels/test.tsv` with a header line. https://github.com/beir-cellar/beir
 */
export interface Collection {
  readonly documents: readonly { readonly id: string; readonly title: string; readonly text: string }[];
  /** Only those that have a relevant document. */
  readonly queries: readonly { readonly id: string; readonly text: string; readonly relevance: Judgements }[];
}

/** Throws `Error` naming the file and line at fault. */
export async function readCollection(directory: string): Promise<Collection> {
  const [corpus, queries, qrels] = await Promise.all([
    readLines(directory, 'corpus.jsonl'),
    readLines(directory, 'queries.jsonl'),
    readLines(directory, 'qrels.tsv').catch(() => readLines(directory, join('qrels', 'test.tsv'))),
  ]);
  const judgements = parseQrels(qrels);
  return {
    documents: corpus.map((line, index) => {
      const { _id, title, text } = parseLine(line, 'corpus.jsonl', index);
      return { id: String(_id), title: String(title ?? ''), text: String(text ?? '') };
    }),
    queries: queries.flatMap((line, index) => {
      const { _id, text } = parseLine(line, 'queries.jsonl', index);
      const relevance = judgements.get(String(_id));
      return relevance === undefined ? [] : [{ id: String(_id), text: String(text), relevance }];
    }),
  };
}

/** query-id, corpus-id, score. Pure. */
export function parseQrels(lines: readonly string[]): Map<string, Map<string, number>> {
  const judgements = new Map<string, Map<string, number>>();
  for (const line of lines.slice(1)) {
    const [query, document, grade] = line.split('\t');
    if (query === undefined || document === undefined || !Number.isFinite(Number(grade)))
      throw new Error(`Expected query, document and grade in a line of the judgements, got ${JSON.stringify(line)}`);
    if (Number(grade) <= 0) continue;
    const relevance = judgements.get(query) ?? new Map<string, number>();
    judgements.set(query, relevance.set(document, Number(grade)));
  }
  return judgements;
}

async function readLines(directory: string, name: string): Promise<string[]> {
  const text = await readFile(join(directory, name), 'utf8');
  return text.split('\n').filter((line) => line.trim() !== '');
}

function parseLine(line: string, file: string, index: number): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null && '_id' in value) return value as Record<string, unknown>;
  } catch {
    // Reported below, with its place.
  }
  throw new Error(`Expected an object with _id in line ${index + 1} of ${file}`);
}
