import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countHashTokens } from '../../../src/embed/hash.js';
import { chunk } from '../../../src/ingest/chunk/chunk.js';
import { anyText, contextOf, expectSound, expectWithin } from './texts.js';

const TOKEN_STRATEGIES = ['RECURSIVE', 'TOKEN', 'SENTENCE', 'STRUCTURE', 'PARENT_CHILD', 'SEMANTIC'] as const;
/** A byte-pair vocabulary is not additive: a whole may count more than its parts, and a space may come free. */
const jumpyCount = (text: string) => Math.ceil(text.length / 3) + (text.length % 7 === 3 ? 1 : 0);
const COUNTERS = { hash: countHashTokens, characters: (text: string) => text.length, jumpy: jumpyCount };

describe.each(TOKEN_STRATEGIES)('%s', (strategy) => {
  it.each(Object.entries(COUNTERS))(
    'keeps every promise of a chunk when tokens are counted as %s',
    async (_, countTokens) => {
      await fc.assert(
        fc.asyncProperty(
          anyText,
          fc.integer({ min: 24, max: 80 }),
          fc.integer({ min: 0, max: 11 }),
          fc.boolean(),
          async (text, maxTokens, overlap, contextual) => {
            const context = contextOf(
              { strategy, maxTokens, overlap: contextual ? Math.min(overlap, 5) : overlap, contextual },
              { countTokens, ...(contextual && { prefix: () => 'T: x\n' }) },
            );
            const chunks = await chunk(text, context);
            expectWithin(text, chunks, context);
            expectSound(text, chunks, context);
          },
        ),
        { numRuns: 400 },
      );
    },
  );

  it('cuts to the space where that takes less than maxTokens', async () => {
    const text = 'One sentence of words. '.repeat(50);
    const context = contextOf({ strategy, maxTokens: 400, overlap: 2 }, { maxInputTokens: 16 });
    const chunks = await chunk(text, context);
    expect(chunks.length).toBeGreaterThan(10);
    expectWithin(text, chunks, context);
  });

  it('refuses an overlap that is not smaller than the window', async () => {
    await expect(chunk('a b c', contextOf({ strategy, maxTokens: 10, overlap: 10 }))).rejects.toMatchObject({
      code: 'INVALID',
      path: ['input', 'chunking', 'overlap'],
    });
  });

  it('makes nothing of a text that only looks like one', async () => {
    expect(await chunk(' \n\u00a0\u200b\ufeff\u200d \n', contextOf({ strategy }))).toEqual([]);
  });

  it('drops a blank piece among real ones', async () => {
    const text = 'Alpha.\n\n\u00a0\u200b\n\nOmega.';
    const chunks = await chunk(text, contextOf({ strategy, maxTokens: 3 }));
    expect(chunks.map(({ start, end }) => text.slice(start, end))).toEqual(['Alpha.', 'Omega.']);
  });

  it('gives a short text as one chunk without the white space around it', async () => {
    const chunks = await chunk('\n  Hello there. \n', contextOf({ strategy }));
    expect(chunks).toMatchObject([{ start: 3, end: 15, headings: [], context: '', tokenCount: 5 }]);
  });
});

describe('SLIDING_WINDOW and NONE', () => {
  it.each(['SLIDING_WINDOW', 'NONE'] as const)('%s keeps every promise of a chunk', async (strategy) => {
    await fc.assert(
      fc.asyncProperty(
        anyText,
        fc.integer({ min: 30, max: 90 }),
        fc.integer({ min: 0, max: 15 }),
        async (text, size, overlap) => {
          const context = contextOf({ strategy, maxCharacters: size, overlap });
          expectSound(text, await chunk(text, context), context);
        },
      ),
      { numRuns: 400 },
    );
  });
});

it('tells repeated sentences apart by where they stand', async () => {
  const text = 'This is a test, please dont be mad at me. '.repeat(6);
  for (const chunking of [
    { strategy: 'SLIDING_WINDOW', maxCharacters: 30, overlap: 10 },
    { strategy: 'RECURSIVE', maxTokens: 12, overlap: 4 },
    { strategy: 'SENTENCE', maxTokens: 12, overlap: 4 },
    { strategy: 'TOKEN', maxTokens: 12, overlap: 4 },
  ] as const) {
    const context = contextOf(chunking);
    const chunks = await chunk(text, context);
    expectSound(text, chunks, context);
    expect(chunks.length).toBeGreaterThan(4);
  }
});
