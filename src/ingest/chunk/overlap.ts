import { graphemeFloor } from '../../embed/grapheme.js';
import { TEXT_CLASS, textClasses } from '../../embed/text-class.js';
import type { TokenCounter } from '../../embed/token-counter.js';
import { forEachSentenceStart } from './sentence-ends.js';

/** A word longer than this (an address, a run of a script without spaces) may be entered in its middle. */
const WORD_LIMIT = 24;
/** Steps back; more would mean words of no tokens. */
const STEP_LIMIT = 8_192;

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
  const classes = textClasses();
  let best = boundary;
  let used = 0;
  let at = boundary;
  for (let step = 0; step < STEP_LIMIT; step++) {
    let contentEnd = at;
    while (contentEnd > floor && classes[text.charCodeAt(contentEnd - 1)] === TEXT_CLASS.SPACE) contentEnd--;
    let wordStart = contentEnd;
    while (
      wordStart > floor &&
      contentEnd - wordStart < WORD_LIMIT &&
      classes[text.charCodeAt(wordStart - 1)] !== TEXT_CLASS.SPACE
    ) {
      wordStart--;
      if (classes[text.charCodeAt(wordStart)] === TEXT_CLASS.IDEOGRAPH) break;
    }
    if (wordStart <= floor || wordStart >= contentEnd) break;
    wordStart = graphemeFloor(text, wordStart);
    if (wordStart <= floor) break;
    // the white space before a word belongs to its token in most vocabularies
    const isSpaced = classes[text.charCodeAt(wordStart - 1)] === TEXT_CLASS.SPACE;
    used += count(text.slice(isSpaced ? wordStart - 1 : wordStart, at));
    if (used > maxTokens) break;
    best = wordStart;
    at = wordStart;
  }
  return best === boundary || prefer === 'word' ? best : sentenceWithin(text, best, boundary);
}

function sentenceWithin(text: string, from: number, boundary: number): number {
  const latest = from + (boundary - from) / 2;
  let first = from;
  // one character back, so that a sentence that begins exactly at `from` is seen
  forEachSentenceStart(text, Math.max(0, from - 2), boundary, (at) => {
    if (first === from && at >= from && at <= latest) first = at;
  });
  return first;
}
