import { describe, expect, test } from 'vitest';
import { analyzerNamed, tokensOf } from '../../../../src/pocket-atlas/search/text/analysis/analyzers.js';

function check(analyzer: string, text: string, expected: string): void {
  const terms = tokensOf(analyzerNamed(analyzer), text).map(({ term }) => term);
  expect(terms.join(' '), `${analyzer} of ${text}`).toBe(expected);
}

describe('analyzers', () => {
  test.each([
    ['words, not punctuation', "The O'Neill file: v2.5, 1,000 rows!", "the o'neill file v2.5 1,000 rows"],
    ['an underscore joins, a hyphen parts', 'snake_case kebab-case PX-120', 'snake_case kebab case px 120'],
    ['a dot inside a name joins, one at its end does not', 'Use node.js. Then stop.', 'use node.js then stop'],
    ['names of JavaScript are words', 'constructor __proto__ toString', 'constructor __proto__ tostring'],
    ['accents stay', 'Café NAÏVE', 'café naïve'],
    ['emoji are no words', '👍🏽 fine 🇩🇪', 'fine'],
    ['each ideograph is a word', '铁路12306', '铁 路 12306'],
    ['Hangul and Katakana run', '서울 カタカナ', '서울 カタカナ'],
    ['nothing of nothing', ' \u200b\u00a0 …', ''],
  ])('standard: %s', (_, text, expected) => check('lucene.standard', text, expected));

  test('standard cuts Thai, Lao, Khmer and Burmese into words by dictionary', () => {
    for (const text of ['ภาษาไทยง่าย', 'ພາສາລາວງ່າຍ', 'ភាសាខ្មែរងាយ', 'မြန်မာဘာသာစကား']) {
      const tokens = tokensOf(analyzerNamed('lucene.standard'), text);
      expect(tokens.length, text).toBeGreaterThan(1);
      expect(tokens.map(({ term }) => term).join('')).toBe(text);
    }
  });

  test('english drops stop words, possessives and endings', () =>
    check('lucene.english', "The engineer's running of the tests", 'engin run test'));
  test('german and french stem in their own way', () => {
    check('lucene.german', 'Die Häuser laufen', 'haus lauf');
    check('lucene.french', "L'hôtel des voyageurs", 'hôtel voyageur');
  });
  test('cjk makes pairs, and folds full-width letters', () => {
    check('lucene.cjk', '铁路车站 ＡＢＣ 东', '铁路 路车 车站 abc 东');
  });
  test('chinese, japanese and thai take words from the dictionary', () => {
    check('lucene.chinese', '我们去车站', '我们 去 车站');
    check('lucene.thai', 'ภาษาไทย', 'ภาษา ไทย');
  });
  test('whitespace keeps case, simple keeps letters only, keyword keeps all', () => {
    check('lucene.whitespace', 'Foo-1 bar', 'Foo-1 bar');
    check('lucene.simple', 'Foo-1 bar2baz', 'foo bar baz');
    check('lucene.keyword', 'Foo 1', 'Foo 1');
  });

  test('offsets point at the word as it was written, whatever its lower case', () => {
    const text = "İstanbul's ＡＢＣ — 铁路 naïve";
    for (const analyzer of ['lucene.standard', 'lucene.english', 'lucene.cjk', 'lucene.whitespace']) {
      for (const { term, start, end } of tokensOf(analyzerNamed(analyzer), text)) {
        expect(text.slice(start, end).normalize('NFKC').toLowerCase(), analyzer).toContain(
          term.normalize('NFKC').toLowerCase().slice(0, 4),
        );
      }
    }
  });
  test('a removed stop word leaves a gap in the positions', () => {
    expect(tokensOf(analyzerNamed('lucene.english'), 'state of the art').map(({ position }) => position)).toEqual([
      0, 3,
    ]);
  });
  test('a run of letters longer than a token may be is cut', () => {
    expect(tokensOf(analyzerNamed('lucene.standard'), 'x'.repeat(600)).map(({ term }) => term.length)).toEqual([
      255, 255, 90,
    ]);
  });
});
