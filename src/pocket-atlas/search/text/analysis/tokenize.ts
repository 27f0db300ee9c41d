import { type Emit, MAX_TOKEN_LENGTH } from './token.js';

/**
 * Cuts text into words after Unicode UAX #29, as Lucene's StandardTokenizer does: letters and digits joined by inner
 * `'`, `.`, `:` (letters) or `,`, `.`, `;` (digits); each Han ideograph and Hiragana letter by itself; Katakana and
 * Hangul in runs. One deliberate difference: Thai, Lao, Khmer and Burmese, which Lucene leaves as whole runs, are cut
 * into words by the dictionary of `Intl.Segmenter`, since a run of a whole sentence can never be found by a word.
 */
const SOUTH_EAST_ASIAN = '\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';
const EAST_ASIAN = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}';
const WORD_CHARACTER = `[[\\p{L}\\p{N}\\p{M}\\p{Pc}\\u200d]--[${EAST_ASIAN}${SOUTH_EAST_ASIAN}]]`;
const INNER_LETTER = "(?<=\\p{L}\\p{M}*)['’.:·․＇．：](?=\\p{L})";
const INNER_DIGIT = "(?<=\\p{N})['’.,;․，．；](?=\\p{N})";

const SPACED_WORD = `${WORD_CHARACTER}+(?:(?:${INNER_LETTER}|${INNER_DIGIT})${WORD_CHARACTER}+)*`;
const SOUTH_EAST_ASIAN_RUN = `(?<southEastAsian>[${SOUTH_EAST_ASIAN}]+)`;

const UNICODE_WORD = new RegExp(
  `\\p{Script=Han}|\\p{Script=Hiragana}\\p{M}*|[\\p{Script=Katakana}ー]+|${SOUTH_EAST_ASIAN_RUN}|${SPACED_WORD}`,
  'gv',
);
const DICTIONARY_WORD = new RegExp(`(?<eastAsian>[${EAST_ASIAN}ー]+)|${SOUTH_EAST_ASIAN_RUN}|${SPACED_WORD}`, 'gv');
// most texts of this world's manuals are ASCII: ten times as fast as the table above
const ASCII_WORD = /[A-Za-z0-9_]+(?:(?:(?<=[A-Za-z])['.:](?=[A-Za-z])|(?<=[0-9])['.,;](?=[0-9]))[A-Za-z0-9_]+)*/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII is what is meant
const IS_ASCII = /^[\x00-\x7f]*$/;

/** Words of runs without spaces, by the dictionaries that come with the runtime (ICU). Made when first needed. */
function makeSegmenter(
  locale: string,
): (text: string) => Iterable<{ segment: string; index: number; isWordLike?: boolean }> {
  let segmenter: Intl.Segmenter | undefined;
  return (text) => {
    segmenter ??= new Intl.Segmenter(locale, { granularity: 'word' });
    return segmenter.segment(text);
  };
}

/** The words of a text with where they start. */
interface Words {
  readonly terms: string[];
  readonly starts: number[];
}

/**
 * Remembers the words of the last text: a field with several analyzers cuts the same text once for each of them, and
 * cutting is what costs most.
 */
function rememberingLast(cut: (text: string) => Words): (text: string) => Words {
  let last: { readonly text: string; readonly words: Words } | undefined;
  return (text) => {
    if (last?.text !== text) last = { text, words: cut(text) };
    return last.words;
  };
}

const cutAscii = rememberingLast((text) => {
  const words: Words = { terms: [], starts: [] };
  for (const match of text.matchAll(ASCII_WORD)) put(words, match[0], match.index);
  return words;
});

/** `byDictionary`: the runs that are cut by a dictionary, the groups of `pattern` that say so. */
function makeTokenizer(
  pattern: RegExp,
  byDictionary: Readonly<Record<string, string>>,
): (text: string, emit: Emit) => void {
  const segmenters = Object.entries(byDictionary).map(([group, locale]) => ({ group, segment: makeSegmenter(locale) }));
  const cutUnicode = rememberingLast((text) => {
    const words: Words = { terms: [], starts: [] };
    for (const match of text.matchAll(pattern)) {
      const dictionary = segmenters.find(({ group }) => match.groups?.[group] !== undefined);
      if (dictionary === undefined) put(words, match[0], match.index);
      else {
        for (const { segment, index, isWordLike } of dictionary.segment(match[0])) {
          if (isWordLike) put(words, segment, match.index + index);
        }
      }
    }
    return words;
  });
  return (text, emit) => {
    const { terms, starts } = IS_ASCII.test(text) ? cutAscii(text) : cutUnicode(text);
    for (let i = 0; i < terms.length; i++) emit(terms[i]!, i, starts[i]!, starts[i]! + terms[i]!.length);
  };
}

/** A word longer than a token may be becomes several. */
function put({ terms, starts }: Words, word: string, start: number): void {
  for (let from = 0; from < word.length; from += MAX_TOKEN_LENGTH) {
    terms.push(word.length <= MAX_TOKEN_LENGTH ? word : word.slice(from, from + MAX_TOKEN_LENGTH));
    starts.push(start + from);
  }
}

export const tokenizeStandard = makeTokenizer(UNICODE_WORD, { southEastAsian: 'th' });

/** Like the standard one, but Chinese and Japanese are cut into words by the dictionary of a locale. */
export function tokenizeByDictionary(locale: string): (text: string, emit: Emit) => void {
  return makeTokenizer(DICTIONARY_WORD, { eastAsian: locale, southEastAsian: 'th' });
}

function tokenizeByPattern(pattern: RegExp): (text: string, emit: Emit) => void {
  return (text, emit) => {
    let position = 0;
    for (const { 0: word, index } of text.matchAll(pattern)) {
      emit(word.slice(0, MAX_TOKEN_LENGTH), position++, index, index + word.length);
    }
  };
}

/** Runs of letters, as Lucene's LetterTokenizer. */
export const tokenizeLetters = tokenizeByPattern(/\p{L}+/gu);
export const tokenizeWhitespace = tokenizeByPattern(/\S+/gu);
/** The whole text as one token, however long: an exact match needs all of it. */
export function tokenizeKeyword(text: string, emit: Emit): void {
  if (text !== '') emit(text, 0, 0, text.length);
}
