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

test('a long text is told by all of it, not by its edges nor by a quotation in the middle', async () => {
  const german = 'Die Pumpe wird vor dem Anlassen mit Wasser gefüllt, damit sie nicht trocken läuft. ';
  const english = 'Permission is hereby granted, free of charge, to any person who obtains a copy of this. ';
  const edge = english.repeat(8);
  const text = `${edge}${german.repeat(60)}${english.repeat(5)}${german.repeat(60)}${edge}`;
  expect(await detectLanguage(text)).toBe('de');
});

test('a text of characters outside the first plane may be cut anywhere', async () => {
  for (const length of [751, 752, 1_001]) expect(await detectLanguage(`${'𠮷'.repeat(length)} `)).not.toBe('en');
});
