import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { NotExtractable } from '../src/ingest/extract/extracted-file.js';
import { readFile } from '../src/ingest/extract/read-file.js';
import { wordsInOrder } from './extraction/words-in-order.js';

/**
 * Reads every file of a folder with a `manifest.jsonl` ({file, category, expect, ref_text}) and compares what comes out with
 * its reference text. Prints a line for each file that is not as expected and a table by category.
 *
 *   node dist/bench/extraction.js ../shared/data/mixed [--only pdf] [--all] [--out folder]
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string' }, all: { type: 'boolean' }, out: { type: 'string' } },
});
const root = positionals[0] ?? '../shared/data/mixed';
const ENOUGH = 0.95;

interface Entry {
  readonly file: string;
  readonly category: string;
  readonly expect: string;
  readonly ref_text?: string;
}

interface Result {
  readonly entry: Entry;
  readonly outcome: string;
  readonly score: number | null;
  readonly isRight: boolean;
  readonly ms: number;
}

const entries = readFileSync(join(root, 'manifest.jsonl'), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Entry)
  .filter(({ file, category }) => values.only === undefined || category === values.only || file.includes(values.only));

const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  ok: ['ok'],
  'ok:tiny': ['ok'],
  'no-text': ['empty'],
  'no-text-layer': ['empty'],
  'error:password': ['encrypted'],
  'error:corrupt': ['corrupt', 'empty'],
  'other-format': ['ok', 'unsupported', 'corrupt'],
};

async function measure(entry: Entry): Promise<Result> {
  const bytes = readFileSync(join(root, entry.file));
  const begun = performance.now();
  let outcome = 'ok';
  let text = '';
  let warnings: readonly string[] = [];
  try {
    ({ text, warnings } = await readFile(bytes, basename(entry.file), null));
    if (text.trim() === '') outcome = 'empty';
  } catch (error) {
    outcome = error instanceof NotExtractable ? error.kind : `THROWN ${(error as Error).stack}`;
  }
  const ms = performance.now() - begun;
  if (values.out !== undefined && outcome === 'ok')
    writeFileSync(join(values.out, `${basename(entry.file)}.txt`), `${warnings.join('\n')}\n====\n${text}`);
  const score = outcome === 'ok' ? scoreOf(entry, text) : null;
  const isRight = (EXPECTED[entry.expect] ?? []).includes(outcome) && (score === null || score >= ENOUGH);
  return { entry, outcome, score, isRight, ms };
}

/** Text files have to be exact, and score 0 when they are not. */
function scoreOf({ file, category, ref_text }: Entry, text: string): number | null {
  const path = join(root, ref_text ?? join('reference-text', `${basename(file)}.txt`));
  if (!existsSync(path)) return null;
  const reference = readFileSync(path, 'utf8');
  if (category !== 'text') return wordsInOrder(text, reference);
  const hash = (value: string) => createHash('sha256').update(value.replace(/\r\n?/g, '\n')).digest('hex');
  return hash(text) === hash(reference) ? 1 : 0;
}

const results: Result[] = [];
for (const entry of entries) {
  const result = await measure(entry);
  results.push(result);
  if (result.isRight && !values.all) continue;
  const score = result.score === null ? '' : result.score.toFixed(3);
  console.log(
    `${result.isRight ? 'right' : 'WRONG'}  ${entry.file}  ${entry.expect} → ${result.outcome} ${score} ${result.ms.toFixed(0)} ms`,
  );
}

console.log('\n| category | files | as expected | with a reference | median share of words in order | ms per file |');
console.log('| --- | --: | --: | --: | --: | --: |');
for (const category of [...new Set(entries.map((entry) => entry.category))]) {
  const own = results.filter(({ entry }) => entry.category === category);
  const scores = own.flatMap(({ score }) => (score === null ? [] : [score])).sort((a, b) => a - b);
  const median = scores.length === 0 ? '–' : scores[scores.length >> 1]!.toFixed(3);
  const ms = own.reduce((sum, one) => sum + one.ms, 0) / own.length;
  console.log(
    `| ${category} | ${own.length} | ${own.filter(({ isRight }) => isRight).length} | ${scores.length} | ${median} | ${ms.toFixed(0)} |`,
  );
}
