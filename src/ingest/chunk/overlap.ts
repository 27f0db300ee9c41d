import { graphemeCeil, isGraphemeBoundary } from '../../embed/grapheme.js';
import { forEachSentenceStart } from '../../embed/sentence-ends.js';
import { TEXT_CLASS, textClasses } from '../../embed/text-class.js';
import type { TokenCounter } from '../../embed/token-counter.js';

/** First guess of a token's length; corrected by what the text counts. */
const CHARACTERS_PER_TOKEN = 4;
const GUESSES = 6;
/** Good enough: an overlap this full is not grown further. */
const FULL = 0.75;
/** A word longer than this (an address, a run of a script without spaces) may be entered in its middle. */
const WORD_LIMIT = 24;

/**
 * Where the text that a chunk repeats from before it begins: at most `maxTokens` tokens ahead of `boundary`, after
 * `floor`, at a sentence when one begins in the first half of that, else at a word. Reads nothing but those words, so the
 * overlap changes only when they do. `prefer: 'word'` never looks for a sentence.
 */
export function overlapStart(
  text: string,
  floor: number,
  boundary: number,
  maxTokens: number,
  count: TokenCounter,
  prefer: 'sentence' | 'word' = 'sentence',
): number {
  let best = boundary;
  let length = maxTokens * CHARACTERS_PER_TOKEN;
  for (let guess = 0; guess < GUESSES; guess++) {
    const start = wordStart(text, Math.max(floor + 1, boundary - length), boundary);
    if (start >= best) break;
    const tokens = count(text.slice(start, boundary));
    if (tokens <= maxTokens) best = start;
    if (tokens <= maxTokens && (tokens >= maxTokens * FULL || start <= floor + 1)) break;
    const scaled = Math.floor(((boundary - start) * maxTokens) / Math.max(tokens, 1));
    length = tokens > maxTokens ? Math.min(scaled, boundary - start - 1) : Math.min(scaled, 2 * (boundary - start));
  }
  return best === boundary || prefer === 'word' ? best : sentenceWithin(text, best, boundary);
}

/** The first beginning of a word at or after `at`; inside a word when that is far away. */
function wordStart(text: string, at: number, boundary: number): number {
  const classes = textClasses();
  let start = at;
  while (start < boundary && start - at < WORD_LIMIT && !beginsWord(classes, text, start)) start++;
  if (start < boundary && start - at < WORD_LIMIT) return start;
  return Math.min(boundary, graphemeCeil(text, at));
}

/** After white space, and at any character of a script without spaces. */
function beginsWord(classes: Uint8Array, text: string, at: number): boolean {
  const kind = classes[text.charCodeAt(at)];
  if (kind === TEXT_CLASS.SPACE) return false;
  const follows = classes[text.charCodeAt(at - 1)] === TEXT_CLASS.SPACE || kind === TEXT_CLASS.IDEOGRAPH;
  return follows && isGraphemeBoundary(text, at);
}

function sentenceWithin(text: string, from: number, boundary: number): number {
  const latest = from + Math.floor((boundary - from) / 2);
  let first = from;
  // a little back, so that a sentence that begins exactly at `from` is seen
  forEachSentenceStart(text, Math.max(0, from - 2), Math.min(boundary, latest + 2), (at) => {
    if (first === from && at >= from && at <= latest) first = at;
  });
  return first;
}
