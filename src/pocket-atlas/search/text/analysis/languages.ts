import { createRequire } from 'node:module';

/**
 * Stop words and stemmers of the language analyzers. The stemmers are Snowball's (package `@orama/stemmers`), the stop
 * lists those of `stopword`; English uses Lucene's own 33 words. Loaded when a definition first names the language.
 */
const require = createRequire(import.meta.url);

/** Analyzer name after `lucene.` → its package entries. A null stemmer: the language is only lower-cased and stopped. */
const LANGUAGES = {
  arabic: { stemmer: 'arabic', stopWords: 'ara' },
  armenian: { stemmer: 'armenian', stopWords: 'hye' },
  basque: { stemmer: null, stopWords: 'eus' },
  bengali: { stemmer: null, stopWords: 'ben' },
  brazilian: { stemmer: 'portuguese', stopWords: 'porBr' },
  bulgarian: { stemmer: 'bulgarian', stopWords: 'bul' },
  catalan: { stemmer: null, stopWords: 'cat' },
  czech: { stemmer: null, stopWords: 'ces' },
  danish: { stemmer: 'danish', stopWords: 'dan' },
  dutch: { stemmer: 'dutch', stopWords: 'nld' },
  english: { stemmer: 'english', stopWords: null },
  finnish: { stemmer: 'finnish', stopWords: 'fin' },
  french: { stemmer: 'french', stopWords: 'fra' },
  galician: { stemmer: null, stopWords: 'glg' },
  german: { stemmer: 'german', stopWords: 'deu' },
  greek: { stemmer: 'greek', stopWords: 'ell' },
  hindi: { stemmer: 'indian', stopWords: 'hin' },
  hungarian: { stemmer: 'hungarian', stopWords: 'hun' },
  indonesian: { stemmer: 'indonesian', stopWords: 'ind' },
  irish: { stemmer: 'irish', stopWords: 'gle' },
  italian: { stemmer: 'italian', stopWords: 'ita' },
  latvian: { stemmer: null, stopWords: 'lav' },
  lithuanian: { stemmer: 'lithuanian', stopWords: 'lit' },
  norwegian: { stemmer: 'norwegian', stopWords: 'nob' },
  persian: { stemmer: null, stopWords: 'fas' },
  polish: { stemmer: null, stopWords: 'pol' },
  portuguese: { stemmer: 'portuguese', stopWords: 'por' },
  romanian: { stemmer: 'romanian', stopWords: 'ron' },
  russian: { stemmer: 'russian', stopWords: 'rus' },
  spanish: { stemmer: 'spanish', stopWords: 'spa' },
  swedish: { stemmer: 'swedish', stopWords: 'swe' },
  turkish: { stemmer: 'turkish', stopWords: 'tur' },
  ukrainian: { stemmer: 'ukrainian', stopWords: 'ukr' },
} as const satisfies Record<string, { stemmer: string | null; stopWords: string | null }>;

export type Language = keyof typeof LANGUAGES;
export const LANGUAGE_NAMES = Object.keys(LANGUAGES) as Language[];

/** Lucene's EnglishAnalyzer.ENGLISH_STOP_WORDS_SET. */
export const ENGLISH_STOP_WORDS: ReadonlySet<string> = new Set(
  'a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with'.split(
    ' ',
  ),
);

export function stopWordsOf(language: Language): ReadonlySet<string> {
  const list = LANGUAGES[language].stopWords;
  if (list === null) return ENGLISH_STOP_WORDS;
  const words = (require('stopword') as Record<string, readonly string[] | undefined>)[list];
  return new Set(words ?? []);
}

/** Stems are remembered: a language has few words that make up most of its texts. Bounded, and cleared when full. */
const STEM_CACHE_SIZE = 50_000;

export function stemmerOf(language: Language): (word: string) => string {
  const name = LANGUAGES[language].stemmer;
  if (name === null) return (word) => word;
  const { stemmer } = require(`@orama/stemmers/${name}`) as { stemmer: (word: string) => string };
  const cache = new Map<string, string>();
  return (word) => {
    const known = cache.get(word);
    if (known !== undefined) return known;
    const stem = stemmer(word);
    if (cache.size >= STEM_CACHE_SIZE) cache.clear();
    cache.set(word, stem);
    return stem;
  };
}
