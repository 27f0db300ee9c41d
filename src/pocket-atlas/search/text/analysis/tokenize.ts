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

const UNICODE_WORD = new RegExp(
  `(?<cjk>\\p{Script=Han}|\\p{Script=Hiragana}\\p{M}*)|[\\p{Script=Katakana}ー]+|(?<sea>[${SOUTH_EAST_ASIAN}]+)|${WORD_CHARACTER}+(?:(?:${INNER_LETTER}|${INNER_DIGIT})${WORD_CHARACTER}+)*`,
  'gv',
);
// most texts of this world's manuals are ASCII: ten times as fast as the table above
const ASCII_WORD = /[A-Za-z0-9_]+(?:(?:(?<=[A-Za-z])['.:](?=[A-Za-z])|(?<=[0-9])['.,;](?=[0-9]))[A-Za-z0-9_]+)*/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII is what is meant
const IS_ASCII = /^[\x00-\x7f]*$/;

let southEastAsian: Intl.Segmenter | undefined;

export function tokenizeStandard(text: string, emit: Emit): void {
  let position = 0;
  const put = (term: string, start: number): void => {
    for (let from = 0; from < term.length; from += MAX_TOKEN_LENGTH) {
      const piece = term.length <= MAX_TOKEN_LENGTH ? term : term.slice(from, from + MAX_TOKEN_LENGTH);
      emit(piece, position++, start + from, start + from + piece.length);
    }
  };
  if (IS_ASCII.test(text)) {
    for (const match of text.matchAll(ASCII_WORD)) put(match[0], match.index);
    return;
  }
  for (const match of text.matchAll(UNICODE_WORD)) {
    if (match.groups?.sea === undefined) {
      put(match[0], match.index);
      continue;
    }
    southEastAsian ??= new Intl.Segmenter('th', { granularity: 'word' });
    for (const { segment, index, isWordLike } of southEastAsian.segment(match[0])) {
      if (isWordLike) put(segment, match.index + index);
    }
  }
}

/** Words by the dictionary of a locale (Chinese, Japanese, Thai), punctuation dropped. */
export function tokenizeByDictionary(locale: string): (text: string, emit: Emit) => void {
  let segmenter: Intl.Segmenter | undefined;
  return (text, emit) => {
    segmenter ??= new Intl.Segmenter(locale, { granularity: 'word' });
    let position = 0;
    for (const { segment, index, isWordLike } of segmenter.segment(text)) {
      if (isWordLike) emit(segment.slice(0, MAX_TOKEN_LENGTH), position++, index, index + segment.length);
    }
  };
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
