import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

/** Judged collections through the whole server, with the embedder that costs nothing. The figures of all sets: docs/EVALUATION.md. */
const SCRIPT = fileURLToPath(new URL('../../../dist/scripts/evaluate.js', import.meta.url));
const COLLECTIONS = fileURLToPath(new URL('../../../../shared/data/ir/', import.meta.url));
const isThere = existsSync(COLLECTIONS);
if (!isThere) console.info('Judged collections are not measured: ../shared/data is not there');

interface Report {
  readonly results: readonly { configuration: string; summary: Record<string, { mean: number }>; annRecall: number }[];
}

async function evaluate(collection: string, ...args: string[]): Promise<(name: string) => Report['results'][number]> {
  const all = ['--provider', 'hash', '--json', '--dataset', `${COLLECTIONS}${collection}`, ...args];
  const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT, ...all], { maxBuffer: 2 ** 26 });
  const { results } = JSON.parse(stdout) as Report;
  return (name) => results.find(({ configuration }) => configuration === name)!;
}

const TIMEOUT_MS = 400_000;

describe.skipIf(!isThere)('a collection that is stored and asked through the API', { timeout: TIMEOUT_MS }, () => {
  it('anthropic-docs: every section is stored, and known questions find theirs in each mode', async () => {
    const result = await evaluate('anthropic-docs');
    const ndcg = (mode: string) => result(mode).summary['nDCG@10']!.mean;
    expect(result('VECTOR').summary['recall@10']!.mean).toBeGreaterThan(0.7);
    expect(result('VECTOR').annRecall).toBeGreaterThanOrEqual(0.99);
    // BM25 over whole sections has 0.700.
    expect(ndcg('TEXT')).toBeGreaterThan(0.69);
    expect(ndcg('HYBRID')).toBeGreaterThan(Math.max(ndcg('VECTOR'), ndcg('TEXT')) - 0.005);
  });

  it('xquad-zh: Chinese is found by its characters', async () => {
    const result = await evaluate('xquad-zh', '--mode', 'TEXT', '--queries', '60');
    expect(result('TEXT').summary['nDCG@10']!.mean).toBeGreaterThan(0.9);
  });
});
