import { fittingEnd } from './fitting-end.js';
import { graphemeFloor } from './grapheme.js';
import { TEXT_CLASS, textClasses } from './text-class.js';
import type { TokenCounter } from './token-counter.js';

/** A word of more characters than this per token of the window is not counted whole. */
const LONGEST_TOKEN = 16;
/** Rounds of filling up what the sum of the words' own counts left free. */
const FILL_ROUNDS = 3;

/** Where the longest row of words from `start` ends that counts at most `limit`; at least one grapheme on. */
export function windowEnd(text: string, start: number, limit: number, count: TokenCounter): number {
  let end = start;
  let free = limit;
  for (let round = 0; round < FILL_ROUNDS && free > 0; round++) {
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
  const classes = textClasses();
  let sum = 0;
  let end = start;
  while (end < text.length) {
    let at = end;
    while (at < text.length && classes[text.charCodeAt(at)] === TEXT_CLASS.SPACE) at++;
    const wordStart = at;
    if (wordStart >= text.length) return text.length;
    while (at < text.length && at - wordStart < limit * LONGEST_TOKEN && !endsWord(classes, text, wordStart, at)) at++;
    at = graphemeFloor(text, at);
    if (at <= wordStart) return end;
    sum += count(text.slice(end, at));
    if (sum > limit) return end;
    end = at;
  }
  return end;
}

/** White space ends a word, and in scripts without spaces every character is one. */
function endsWord(classes: Uint8Array, text: string, wordStart: number, at: number): boolean {
  const kind = classes[text.charCodeAt(at)];
  return kind === TEXT_CLASS.SPACE || (at > wordStart && kind === TEXT_CLASS.IDEOGRAPH);
}
