import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** The tool as people run it: a process, a folder, a whole server behind its API. */
const SCRIPT = fileURLToPath(new URL('../../../dist/scripts/evaluate.js', import.meta.url));
const evaluate = async (...args: string[]) =>
  (await promisify(execFile)(process.execPath, [SCRIPT, '--provider', 'hash', ...args])).stdout;

const DOCUMENTS = {
  whales: 'Whales sing long songs that carry through the ocean.',
  mills: 'A windmill grinds corn when the wind blows from the sea.',
  clocks: 'The tower clock strikes every hour, and is wound on Mondays.',
  empty: '',
};
const CORPUS = 'A windmill grinds corn. It stands on the dyke. The miller lives beside it and keeps bees.';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'evaluate-test-'));
  const lines = (rows: object[]) => rows.map((row) => JSON.stringify(row)).join('\n');
  const beir = join(directory, 'beir');
  await mkdir(beir);
  await writeFile(join(beir, 'corpus.jsonl'), lines(Object.entries(DOCUMENTS).map(([_id, text]) => ({ _id, title: '', text })))); // biome-ignore format: one line
  const queries = { q1: 'songs of whales', q2: 'when does the windmill grind corn', q3: 'no judgements for this' };
  await writeFile(join(beir, 'queries.jsonl'), lines(Object.entries(queries).map(([_id, text]) => ({ _id, text })))); // biome-ignore format: one line
  await writeFile(join(beir, 'qrels.tsv'), 'query-id\tcorpus-id\tscore\nq1\twhales\t1\nq2\tmills\t1\n');
  const excerpts = join(directory, 'excerpts');
  await mkdir(join(excerpts, 'corpora'), { recursive: true });
  await writeFile(join(excerpts, 'corpora', 'mill.md'), CORPUS);
  const start = CORPUS.indexOf('The miller');
  const question = {
    text: 'what does the miller keep',
    corpus: 'mill',
    references: [{ start_index: start, end_index: CORPUS.length }],
  };
  await writeFile(join(excerpts, 'questions.jsonl'), lines([question]));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

describe('npm run evaluate', () => {
  it('measures each mode on a BEIR folder, and compares two of them', async () => {
    const report = JSON.parse(await evaluate('--dataset', join(directory, 'beir'), '--json', '--compare', 'VECTOR', 'HYBRID@0.5:1')); // biome-ignore format: one line
    expect(report.results.map(({ configuration }: { configuration: string }) => configuration)).toEqual(['VECTOR', 'HYBRID@0.5:1']); // biome-ignore format: one line
    for (const { perQuery, summary, p50Ms } of report.results) {
      expect(Object.keys(perQuery)).toEqual(['q1', 'q2']);
      expect(perQuery.q2['nDCG@10']).toBe(1);
      expect(summary.MRR.mean).toBe(1);
      expect(p50Ms).toBeGreaterThan(0);
    }
    expect(report.results[0].annRecall).toBe(1);
    expect(report.comparison[0]).toMatchObject({ measure: 'nDCG@10', difference: 0, p: 1 });
  });

  it('stores a BEIR folder cut as asked, in one way', async () => {
    // Both words are in each; whole, the one that says them more often wins, cut, the one that says them together.
    const documents = {
      often: 'alpha alpha alpha b c d e f g h. Beta beta beta i j k l m n o.',
      together: 'alpha beta p q r s t u v w x y',
    };
    const folder = join(directory, 'cut');
    await mkdir(folder);
    await writeFile(join(folder, 'corpus.jsonl'), Object.entries(documents).map(([_id, text]) => JSON.stringify({ _id, text })).join('\n')); // biome-ignore format: one line
    await writeFile(join(folder, 'queries.jsonl'), JSON.stringify({ _id: 'q', text: 'alpha beta' }));
    await writeFile(join(folder, 'qrels.tsv'), 'query-id\tcorpus-id\tscore\nq\toften\t1\n');
    const rank = async (chunking: string) =>
      1 / JSON.parse(await evaluate('--dataset', folder, '--json', '--mode', 'TEXT', '--chunking', chunking)).results[0].summary.MRR.mean; // biome-ignore format: one line
    expect(await rank('NONE')).toBe(1);
    expect(await rank('SENTENCE:14:0')).toBe(2);
    await expect(evaluate('--dataset', folder, '--chunking', 'NONE,TOKEN')).rejects.toThrow('stored in one way, got 2');
  });

  it('finds the weights that fit golden queries', async () => {
    const { best, curve } = JSON.parse(await evaluate('--dataset', join(directory, 'beir'), '--json', '--calibrate'));
    expect(curve.length).toBeGreaterThan(10);
    expect(best.vector + best.text).toBeGreaterThan(0);
  });

  it('measures chunkings on marked excerpts', async () => {
    const results = JSON.parse(await evaluate('--dataset', join(directory, 'excerpts'), '--json', '--chunking', 'NONE,SENTENCE:12')); // biome-ignore format: one line
    const [whole, sentences] = results;
    expect(whole).toMatchObject({ name: 'NONE', chunks: 1 });
    expect(whole.summary.recall.mean).toBe(1);
    expect(whole.summary.precision.mean).toBeCloseTo(
      (CORPUS.length - CORPUS.indexOf('The miller')) / CORPUS.length,
      10,
    );
    expect(sentences.chunks).toBeGreaterThan(1);
    expect(sentences.summary.precisionOmega.mean).toBeGreaterThan(whole.summary.precisionOmega.mean);
  });

  it('explains itself', async () => {
    expect(await evaluate('--help')).toContain('--dataset DIR');
  });
});
