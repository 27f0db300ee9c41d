import fc from 'fast-check';
import { expect } from 'vitest';
import { countHashTokens, hashVector } from '../../../src/embed/hash.js';
import { isBlank } from '../../../src/embed/text-class.js';
import type { ChunkContext, ChunkSpan } from '../../../src/ingest/chunk/chunker.js';
import { embeddedText } from '../../../src/ingest/chunk/embedded-text.js';
import type { Chunking } from '../../../src/store/records.js';

const pieces = fc.constantFrom(
  ...[
    'word',
    'Alpha',
    'beta gamma',
    'a',
    '3.14',
    'e.g. this',
    'Dr. Who',
    'https://example.org/a/very/long/path?with=query',
  ],
  ...['. ', '? ', '! ', ', ', ' ', '\n', '\n\n', '\n \n', '\t', '\r\n', '   '],
  ...['这是一个句子。', '日本語のテキスト', 'यह पहला वाक्य है। ', 'ဒါက ပထမ။', 'کیا؟ ', '한국어 문장입니다. '],
  ...['👍🏽', '👨‍👩‍👧‍👦', '🇩🇪🇫🇷', 'e\u0301', 'x\u0301\u0302\u0303', '\u200b', '\u00a0', '\u200d', '\ufeff', ' \u0301'],
  ...[
    '| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n',
    '# Heading\n',
    '\n\n## Two\n\n',
    '```\n# not a heading\ncode\n```\n',
    '- item\n',
  ],
  ...['x'.repeat(80), '_'.repeat(50), '字'.repeat(40), ' '.repeat(30)],
);
/** Texts of everything that has ever been cut wrongly, joined at random. */
export const anyText = fc.array(pieces, { maxLength: 60 }).map((parts) => parts.join(''));

export function contextOf(chunking: Partial<Chunking>, overrides: Partial<ChunkContext> = {}): ChunkContext {
  return {
    mediaType: 'text/plain',
    chunking: {
      strategy: 'RECURSIVE',
      maxTokens: 400,
      maxCharacters: null,
      overlap: 0,
      parentMaxTokens: null,
      contextual: false,
      ...chunking,
    },
    countTokens: countHashTokens,
    maxInputTokens: 8_192,
    prefix: () => '',
    embed: async (texts) => texts.map(hashVector),
    ...overrides,
  };
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** What must hold of every chunking: order, coverage, whole graphemes, nothing blank, sizes as counted. */
export function expectSound(text: string, chunks: readonly ChunkSpan[], context: ChunkContext): void {
  const boundaries = new Set([...segmenter.segment(text)].map((part) => part.index).concat(text.length));
  let covered = 0;
  let previousStart = -1;
  for (const chunk of chunks) {
    const piece = text.slice(chunk.start, chunk.end);
    expect(chunk.start).toBeGreaterThan(previousStart);
    expect(isBlank(piece)).toBe(false);
    expect(boundaries.has(chunk.start) && boundaries.has(chunk.end), `graphemes of ${JSON.stringify(piece)}`).toBe(
      true,
    );
    if (chunk.start > covered) expect(isBlank(text, covered, chunk.start), `lost before ${chunk.start}`).toBe(true);
    expect(chunk.end).toBeGreaterThan(covered);
    covered = Math.max(covered, chunk.end);
    previousStart = chunk.start;
    expect(chunk.tokenCount).toBe(context.countTokens(piece));
  }
  expect(isBlank(text, covered, text.length), 'lost at the end').toBe(true);
}

/** Token strategies: what the embedder is given never exceeds the limit. */
export function expectWithin(text: string, chunks: readonly ChunkSpan[], context: ChunkContext): void {
  const limit = Math.min(context.chunking.maxTokens!, context.maxInputTokens);
  for (const { start, end, headings, context: words } of chunks) {
    const embedded = embeddedText(context.prefix(headings), words, text.slice(start, end));
    expect(context.countTokens(embedded)).toBeLessThanOrEqual(limit);
  }
}
