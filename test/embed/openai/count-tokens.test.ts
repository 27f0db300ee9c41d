import { encode } from 'gpt-tokenizer/encoding/cl100k_base';
import { describe, expect, it } from 'vitest';
import { countOpenaiTokens } from '../../../src/embed/openai/count-tokens.js';

describe('tokens of the openai provider', () => {
  it.each([
    '',
    'Hello, world!',
    'naïve café\n\nnext',
    '这是一个句子。',
    '👍🏽👨‍👩‍👧‍👦',
    'x'.repeat(200),
    `${'The quick brown fox. '.repeat(200)}`,
  ])('are cl100k’s for %j', (text) => {
    expect(countOpenaiTokens(text)).toBe(encode(text).length);
  });

  it('take special words in a text as text', () => {
    expect(countOpenaiTokens('<|endoftext|>')).toBeGreaterThan(1);
  });

  // measured without slices: 0.9 to 1.1 s each, four times that for twice the length
  it.each(['_', 'x', '字', ' ', '\u0301', '1', '👍'])('are counted in linear time for a run of %j', (character) => {
    countOpenaiTokens('warm up');
    const timeOf = (length: number) => {
      const text = character.repeat(length);
      const start = performance.now();
      countOpenaiTokens(text);
      return performance.now() - start;
    };
    expect(timeOf(100_000)).toBeLessThan(2_000);
  });
});
