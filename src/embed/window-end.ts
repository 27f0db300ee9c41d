import { fittingEnd } from './fitting-end.js';
import { graphemeFloor } from './grapheme.js';
import { TEXT_CLASS, textClasses } from './text-class.js';
import type { TokenCounter } from './token-counter.js';

/** A word of more characters than this per token of the window is not counted whole but cut. */
const LONGEST_TOKEN = 8;
/** Words counted together while there is room for them; the last few are counted one by one. */
const WORDS_AT_ONCE = 12;
/** Rounds of filling up what the sum of the words' own counts left free, if that is more than this share. */
const FILL_ROUNDS = 3;
const FREE_SHARE = 0.05;

/** Where the longest row of words from `start` ends that counts at most `limit`; at least one grapheme on. */
export function windowEnd(text: string, start: number, limit: number, count: TokenCounter): number {
  let end = start;
  let free = limit;
  for (let round = 0; round < FILL_ROUNDS && free > limit * FREE_SHARE; round++) {
    const next = rowEnd(text, end, free, count);
    if (next === end) break;
    const tokens = count(text.slice(start, next));
    if (tokens > limit) break;
    end = next;
    free = limit - tokens;
  }
  return end > start ? end : fittingEnd(text, start, text.length, limit, count);
}

/** Words from `start` while the sum of their counts stays within `limit`; ends before the white space that follows. */
function rowEnd(text: string, start: number, limit: number, count: TokenCounter): number {
  const longest = limit * LONGEST_TOKEN;
  let end = start;
  let free = limit;
  for (const words of [WORDS_AT_ONCE, 1]) {
    while (end < text.length) {
      const next = wordsEnd(text, end, words, longest);
      const tokens = count(text.slice(end, next));
      if (next === end || tokens > free) break;
      free -= tokens;
      end = next;
    }
  }
  return end;
}

/** Where the next `words` words end; `start` when one is longer than `longest`. White space after the last word of all counts in. */
function wordsEnd(text: string, start: number, words: number, longest: number): number {
  const classes = textClasses();
  let end = start;
  for (let word = 0; word < words; word++) {
    let at = end;
    while (at < text.length && classes[text.charCodeAt(at)] === TEXT_CLASS.SPACE) at++;
    const wordStart = at;
    if (wordStart >= text.length) return text.length;
    while (at < text.length && at - wordStart < longest && !endsWord(classes, text, wordStart, at)) at++;
    if (at - wordStart >= longest) break;
    at = graphemeFloor(text, at);
    if (at <= wordStart) break;
    end = at;
  }
  return end;
}

/** White space ends a word, and in scripts without spaces every character is one. */
function endsWord(classes: Uint8Array, text: string, wordStart: number, at: number): boolean {
  const kind = classes[text.charCodeAt(at)];
  return kind === TEXT_CLASS.SPACE || (at > wordStart && kind === TEXT_CLASS.IDEOGRAPH);
}
