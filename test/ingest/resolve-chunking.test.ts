import { describe, expect, test } from 'vitest';
import { fitChunking, resolveChunking, sameChunking } from '../../src/ingest/resolve-chunking.js';

const resolve = (input: Partial<Parameters<typeof resolveChunking>[0] & object> | null, limit = 8_192) =>
  resolveChunking(input && { strategy: 'RECURSIVE', contextual: false, ...input }, limit);

describe('defaults', () => {
  test('are RECURSIVE, 400 tokens, overlap 50', () => {
    expect(resolve(null)).toEqual({
      strategy: 'RECURSIVE',
      maxTokens: 400,
      maxCharacters: null,
      overlap: 50,
      parentMaxTokens: null,
      contextual: false,
    });
  });

  test('take the limit of a smaller space, with the overlap still 50', () => {
    expect(resolve(null, 256)).toMatchObject({ maxTokens: 256, overlap: 50 });
  });

  test('are 1000 / 100 characters for SLIDING_WINDOW, and nothing for NONE', () => {
    expect(resolve({ strategy: 'SLIDING_WINDOW' })).toMatchObject({
      maxTokens: null,
      maxCharacters: 1_000,
      overlap: 100,
    });
    expect(resolve({ strategy: 'NONE' })).toMatchObject({ maxTokens: null, maxCharacters: null, overlap: 0 });
  });

  test('leave a small window room to advance', () => {
    expect(resolve({ maxTokens: 12 })).toMatchObject({ maxTokens: 12, overlap: 3 });
    expect(resolve({ maxTokens: 1 })).toMatchObject({ overlap: 0 });
  });

  test('make parents four times as large', () => {
    expect(resolve({ strategy: 'PARENT_CHILD', maxTokens: 50 })).toMatchObject({ parentMaxTokens: 200 });
  });
});

describe('refusals name the field', () => {
  const refused: [object, string][] = [
    [{ maxTokens: 8_193 }, 'maxTokens'],
    [{ maxTokens: 0 }, 'maxTokens'],
    [{ maxTokens: 1.5 }, 'maxTokens'],
    [{ maxTokens: 100, overlap: 100 }, 'overlap'],
    [{ maxTokens: 100, overlap: -1 }, 'overlap'],
    [{ strategy: 'SLIDING_WINDOW', maxCharacters: 10, overlap: 10 }, 'overlap'],
    [{ strategy: 'SLIDING_WINDOW', maxCharacters: -5 }, 'maxCharacters'],
    [{ strategy: 'PARENT_CHILD', maxTokens: 100, parentMaxTokens: 50 }, 'parentMaxTokens'],
  ];
  test.each(refused)('%j', (input, field) => {
    expect(() => resolve(input)).toThrow(
      expect.objectContaining({ code: 'INVALID', path: ['input', 'chunking', field] }),
    );
  });
});

test('a stored chunking is fitted into a smaller space, and is then another one', () => {
  const stored = resolve({ maxTokens: 1_000 });
  expect(fitChunking(stored, 2_000)).toBe(stored);
  const fitted = fitChunking(stored, 256);
  expect(fitted).toMatchObject({ maxTokens: 256, overlap: 50 });
  expect(sameChunking(stored, fitted)).toBe(false);
});
