import { expect, test } from 'vitest';
import { detectLanguage } from '../../src/ingest/detect-language.js';

test.each([
  ['The quick brown fox jumps over the lazy dog and runs away.', 'en'],
  ['Der schnelle braune Fuchs springt über den faulen Hund.', 'de'],
  ['これは検索のための日本語の文章です。', 'ja'],
  ['Быстрая коричневая лиса прыгает через ленивую собаку.', 'ru'],
])('%j is %s', async (text, language) => {
  expect(await detectLanguage(text)).toBe(language);
});

test.each(['', '12345 67890 4711', 'PX-120', 'ok ok'])('%j cannot be told', async (text) => {
  expect(await detectLanguage(text)).toBeNull();
});
