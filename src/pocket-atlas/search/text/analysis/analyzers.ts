import { analyzeCjkBigrams } from './cjk.js';
import { ENGLISH_STOP_WORDS, LANGUAGE_NAMES, type Language, stemmerOf, stopWordsOf } from './languages.js';
import type { Analyze, Token } from './token.js';
import {
  tokenizeByDictionary,
  tokenizeKeyword,
  tokenizeLetters,
  tokenizeStandard,
  tokenizeWhitespace,
} from './tokenize.js';

/**
 * The built-in analyzers by their Atlas names. Source: MongoDB manual, "Process Data with Analyzers".
 * A factory, because a language's stemmer and stop list are loaded when it is first used.
 */
const FACTORIES: Readonly<Record<string, () => Analyze>> = {
  'lucene.standard': () => lowerCased(tokenizeStandard),
  'lucene.simple': () => lowerCased(tokenizeLetters),
  'lucene.whitespace': () => tokenizeWhitespace,
  'lucene.keyword': () => tokenizeKeyword,
  'lucene.stop': () => withoutWords(lowerCased(tokenizeLetters), ENGLISH_STOP_WORDS),
  'lucene.cjk': () => withoutWords(analyzeCjkBigrams, ENGLISH_STOP_WORDS),
  'lucene.chinese': () => lowerCased(tokenizeByDictionary('zh')),
  'lucene.smartcn': () => lowerCased(tokenizeByDictionary('zh')),
  'lucene.japanese': () => lowerCased(tokenizeByDictionary('ja')),
  'lucene.kuromoji': () => lowerCased(tokenizeByDictionary('ja')),
  'lucene.korean': () => analyzeCjkBigrams,
  'lucene.nori': () => analyzeCjkBigrams,
  'lucene.thai': () => lowerCased(tokenizeByDictionary('th')),
  ...Object.fromEntries(LANGUAGE_NAMES.map((language) => [`lucene.${language}`, () => languageAnalyzer(language)])),
};

const cache = new Map<string, Analyze>();

export function isAnalyzer(name: string): boolean {
  return Object.hasOwn(FACTORIES, name);
}

export const ANALYZER_NAMES: readonly string[] = Object.keys(FACTORIES);

/** The name must have passed `isAnalyzer`. */
export function analyzerNamed(name: string): Analyze {
  let analyze = cache.get(name);
  if (analyze === undefined) {
    analyze = FACTORIES[name]!();
    cache.set(name, analyze);
  }
  return analyze;
}

/** All tokens of a text at once: for queries and highlights, where texts are short. */
export function tokensOf(analyze: Analyze, text: string): Token[] {
  const tokens: Token[] = [];
  analyze(text, (term, position, start, end) => tokens.push({ term, position, start, end }));
  return tokens;
}

function lowerCased(tokenize: Analyze): Analyze {
  return (text, emit) => tokenize(text, (term, position, start, end) => emit(term.toLowerCase(), position, start, end));
}

function withoutWords(analyze: Analyze, words: ReadonlySet<string>): Analyze {
  return (text, emit) =>
    analyze(text, (term, position, start, end) => {
      if (!words.has(term)) emit(term, position, start, end);
    });
}

const POSSESSIVE = /['’＇]s$/;
/** Articles that French, Italian, Catalan and Irish glue to the next word. Source: Lucene's ElisionFilter lists. */
const ELISION = /^(?:l|m|t|qu|n|s|j|d|c|jusqu|quoiqu|lorsqu|puisqu|un|all|dell|nell|sull|dall|gl|b)['’](?=.)/;
const ELIDING: ReadonlySet<Language> = new Set<Language>(['french', 'italian', 'catalan', 'irish']);

function languageAnalyzer(language: Language): Analyze {
  const stopWords = stopWordsOf(language);
  const stem = stemmerOf(language);
  const prepare: (word: string) => string =
    language === 'english'
      ? (word) => word.replace(POSSESSIVE, '')
      : ELIDING.has(language)
        ? (word) => word.replace(ELISION, '')
        : (word) => word;
  // Turkish I and İ have lower cases of their own
  const lowerCase =
    language === 'turkish' ? (word: string) => word.toLocaleLowerCase('tr') : (word: string) => word.toLowerCase();
  return (text, emit) =>
    tokenizeStandard(text, (term, position, start, end) => {
      const word = prepare(lowerCase(term));
      if (word !== '' && !stopWords.has(word)) emit(stem(word), position, start, end);
    });
}
