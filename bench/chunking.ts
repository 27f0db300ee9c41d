import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { RecursiveCharacterTextSplitter } from '@langchain/textsplitters';
import type { EmbedderSpace } from '../src/embed/embedder.js';
import { tokenCounterFor } from '../src/embed/token-counter.js';
import { chunk } from '../src/ingest/chunk/chunk.js';
import type { ChunkingStrategy } from '../src/store/records.js';
import { formatSpread, interleaved, spreadOf } from './measure.js';

const MEGABYTE = 1_000_000;
/** The corpora of Chroma's chunking evaluation, where they are; from the project's root. */
const CORPORA = '../shared/data/chunking/corpora';

/** Megabytes of text cut per second, beside LangChain's RecursiveCharacterTextSplitter at the same sizes. */
export async function benchChunking(print: (line: string) => void, rounds: number): Promise<void> {
  const text = corpus(print);
  const cut =
    (strategy: ChunkingStrategy, size: number, overlap: number, countTokens: (piece: string) => number) => () =>
      chunk(text, {
        mediaType: 'text/markdown',
        chunking: {
          strategy,
          maxTokens: size,
          maxCharacters: size,
          overlap,
          parentMaxTokens: size * 4,
          contextual: false,
        },
        countTokens,
        maxInputTokens: 8_191,
        prefix: () => '',
      });
  const langChain = (chunkSize: number, chunkOverlap: number, lengthFunction: (piece: string) => number) => () =>
    new RecursiveCharacterTextSplitter({ chunkSize, chunkOverlap, lengthFunction }).splitText(text);

  const byCharacters = (piece: string) => piece.length;
  await compare(print, text, rounds, 'counting characters, 1000 / 100', {
    LangChain: langChain(1_000, 100, byCharacters),
    RECURSIVE: cut('RECURSIVE', 1_000, 100, byCharacters),
    STRUCTURE: cut('STRUCTURE', 1_000, 100, byCharacters),
    SENTENCE: cut('SENTENCE', 1_000, 100, byCharacters),
    TOKEN: cut('TOKEN', 1_000, 100, byCharacters),
    PARENT_CHILD: cut('PARENT_CHILD', 1_000, 100, byCharacters),
    SLIDING_WINDOW: cut('SLIDING_WINDOW', 1_000, 100, byCharacters),
  });
  for (const provider of ['hash', 'openai', 'bundled'] satisfies EmbedderSpace['provider'][]) {
    const count = tokenCounterFor({ provider, model: '' });
    await compare(print, text, Math.ceil(rounds / 4), `counting tokens of ${provider}, 250 / 25`, {
      LangChain: langChain(250, 25, count),
      RECURSIVE: cut('RECURSIVE', 250, 25, count),
      STRUCTURE: cut('STRUCTURE', 250, 25, count),
      SENTENCE: cut('SENTENCE', 250, 25, count),
      TOKEN: cut('TOKEN', 250, 25, count),
      // what any of them can at best come near to
      'counting only': async () => text.split('\n\n').map(count),
    });
  }
}

async function compare(
  print: (line: string) => void,
  text: string,
  rounds: number,
  title: string,
  runs: Readonly<Record<string, () => Promise<unknown>>>,
): Promise<void> {
  const times = await interleaved(runs, { rounds, warmUp: 3 });
  const speeds = (name: string) => spreadOf(times[name]!.map((ms) => text.length / MEGABYTE / (ms / 1_000)));
  print(`  ${title}`);
  for (const name of Object.keys(runs)) {
    const ratio = speeds(name).median / speeds('LangChain').median;
    print(`    ${name.padEnd(16)} ${formatSpread(speeds(name), 'MB/s')}, ${ratio.toFixed(1)} × LangChain`);
  }
}

function corpus(print: (line: string) => void): string {
  try {
    const texts = readdirSync(CORPORA).map((name) => readFileSync(path.join(CORPORA, name), 'utf8'));
    // through a buffer, so that it is one flat string as an uploaded text is
    return Buffer.from(texts.join('\n\n').repeat(5)).toString().slice(0, MEGABYTE);
  } catch {
    print(`  ${CORPORA} is absent: cutting made-up paragraphs`);
    const sentence = 'It goes on for a while, and then it ends. ';
    return Array.from({ length: 5_000 }, (_, at) => `Paragraph ${at}. ${sentence.repeat(at % 9)}`).join('\n\n');
  }
}
