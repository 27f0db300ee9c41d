import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { RecursiveCharacterTextSplitter } from '@langchain/textsplitters';
import type { EmbedderSpace } from '../src/embed/embedder.js';
import { tokenCounterFor } from '../src/embed/token-counter.js';
import { chunk } from '../src/ingest/chunk/chunk.js';
import { CHUNKING_STRATEGIES, type ChunkingStrategy } from '../src/store/records.js';

/**
 * Megabytes per second of cutting a text, against LangChain's RecursiveCharacterTextSplitter at the same sizes. Rounds of
 * all contestants alternate; medians with the spread of the middle half.
 */
const ROUNDS = 7;
const CORPORA = path.resolve(import.meta.dirname, '../../shared/data/chunking/corpora');
const MEGABYTE = 1_000_000;

function corpus(): string {
  try {
    const texts = readdirSync(CORPORA).map((name) => readFileSync(path.join(CORPORA, name), 'utf8'));
    return texts.join('\n\n').repeat(5).slice(0, MEGABYTE);
  } catch {
    console.log('../shared/data is absent: cutting made-up paragraphs');
    return Array.from(
      { length: 9_000 },
      (_, at) => `Paragraph ${at}. ${'It goes on for a while, and then it ends. '.repeat(at % 9)}`,
    ).join('\n\n');
  }
}

const text = corpus();

function contextOf(
  strategy: ChunkingStrategy,
  maxTokens: number,
  overlap: number,
  countTokens: (text: string) => number,
) {
  return {
    mediaType: 'text/markdown',
    chunking: { strategy, maxTokens, maxCharacters: 1_000, overlap, parentMaxTokens: maxTokens * 4, contextual: false },
    countTokens,
    maxInputTokens: 8_191,
    prefix: () => '',
    embed: async (texts: readonly string[]) => texts.map(() => Float32Array.of(1, 0)),
  };
}

const byCharacters = (piece: string) => piece.length;
const contestants: Record<string, () => Promise<readonly unknown[]>> = {
  'LangChain RecursiveCharacterTextSplitter, characters 1000/100': () =>
    new RecursiveCharacterTextSplitter({ chunkSize: 1_000, chunkOverlap: 100 }).splitText(text),
};
for (const strategy of CHUNKING_STRATEGIES) {
  contestants[`${strategy}, characters 1000/100`] = () =>
    chunk(text, contextOf(strategy, 1_000, 100, byCharacters)).then((spans) => [...spans]);
}
for (const provider of ['hash', 'openai', 'bundled'] as EmbedderSpace['provider'][]) {
  const count = tokenCounterFor({ provider, model: '' });
  contestants[`counting tokens once, ${provider}`] = async () => text.split('\n\n').map(count);
  for (const strategy of ['RECURSIVE', 'STRUCTURE', 'TOKEN', 'SENTENCE'] as const) {
    contestants[`${strategy}, ${provider} tokens 250/25`] = () =>
      chunk(text, contextOf(strategy, 250, 25, count)).then((spans) => [...spans]);
  }
}
const openai = tokenCounterFor({ provider: 'openai', model: '' });
contestants['LangChain RecursiveCharacterTextSplitter, openai tokens 250/25'] = () =>
  new RecursiveCharacterTextSplitter({ chunkSize: 250, chunkOverlap: 25, lengthFunction: openai }).splitText(text);

const times: Record<string, number[]> = {};
const counts: Record<string, number> = {};
for (let round = 0; round <= ROUNDS; round++) {
  for (const [name, run] of Object.entries(contestants)) {
    const start = performance.now();
    try {
      counts[name] = (await run()).length;
    } catch (error) {
      counts[name] = -1;
      if (round === 0) console.log(`${name}: ${(error as Error).message}`);
    }
    // the first round warms up
    if (round > 0) times[name] = [...(times[name] ?? []), performance.now() - start];
  }
}

const quantile = (sorted: readonly number[], share: number) => sorted[Math.floor(share * (sorted.length - 1))]!;
const speed = (ms: number) => ((text.length / MEGABYTE) * 1_000) / ms;
const rows = Object.entries(times).map(([name, taken]) => {
  const sorted = taken.toSorted((a, b) => a - b);
  return {
    name,
    chunks: counts[name],
    'MB/s': Number(speed(quantile(sorted, 0.5)).toFixed(1)),
    spread: `${speed(quantile(sorted, 0.75)).toFixed(1)}–${speed(quantile(sorted, 0.25)).toFixed(1)}`,
  };
});
console.table(rows.filter(({ chunks }) => chunks !== -1));
