/**
 * Lucene analyzers by language (BCP 47 primary subtag), as Atlas Search names them. Chinese, Japanese and Korean share
 * the `cjk` analyzer. Source: "Language Analyzers" of the Atlas Search manual.
 */
export const LANGUAGE_ANALYZERS: Readonly<Record<string, string>> = {
  ar: 'arabic',
  hy: 'armenian',
  eu: 'basque',
  bn: 'bengali',
  bg: 'bulgarian',
  ca: 'catalan',
  zh: 'cjk',
  ja: 'cjk',
  ko: 'cjk',
  cs: 'czech',
  da: 'danish',
  nl: 'dutch',
  en: 'english',
  fi: 'finnish',
  fr: 'french',
  gl: 'galician',
  de: 'german',
  el: 'greek',
  hi: 'hindi',
  hu: 'hungarian',
  id: 'indonesian',
  ga: 'irish',
  it: 'italian',
  lv: 'latvian',
  lt: 'lithuanian',
  no: 'norwegian',
  nb: 'norwegian',
  nn: 'norwegian',
  fa: 'persian',
  pl: 'polish',
  pt: 'portuguese',
  ro: 'romanian',
  ru: 'russian',
  es: 'spanish',
  sv: 'swedish',
  th: 'thai',
  tr: 'turkish',
  uk: 'ukrainian',
};

/** Analyzers of the text path, `standard` (the path itself) included: keeps the definition under its 3 KB. */
export const MAX_ANALYZERS = 8;

/** In every text index: words are separated without regard to language, and scripts without spaces have their own. */
const ALWAYS = ['cjk', 'thai'];

/** Why a text index cannot have the analyzers of these languages, in a line; null when it can. */
export function languagesProblem(languages: readonly string[]): string | null {
  const unknown = languages.filter((language) => analyzerOf(language) === null);
  if (unknown.length > 0)
    return `No analyzer for ${unknown.join(', ')}; known languages: ${Object.keys(LANGUAGE_ANALYZERS).join(', ')}`;
  const beside = analyzersOf(languages).length - ALWAYS.length;
  const room = MAX_ANALYZERS - 1 - ALWAYS.length;
  return beside > room
    ? `Expected at most ${room} languages beside Chinese, Japanese, Korean and Thai, got ${beside}`
    : null;
}

/**
 * The `multi` analyzers that a text index needs for these languages: names as in `text.multi`, e.g. 'english'.
 * Throws `TypeError` for a language without an analyzer, or more analyzers than fit.
 */
export function multiAnalyzers(languages: readonly string[]): readonly string[] {
  const problem = languagesProblem(languages);
  if (problem !== null) throw new TypeError(problem);
  return analyzersOf(languages);
}

function analyzersOf(languages: readonly string[]): readonly string[] {
  return [...new Set([...ALWAYS, ...languages.map((language) => analyzerOf(language) as string)])];
}

/** The analyzer of a BCP 47 tag ('de-AT' is German), null where there is none. */
export function analyzerOf(language: string): string | null {
  const primary = (language.split('-')[0] as string).toLowerCase();
  return Object.hasOwn(LANGUAGE_ANALYZERS, primary) ? (LANGUAGE_ANALYZERS[primary] as string) : null;
}
