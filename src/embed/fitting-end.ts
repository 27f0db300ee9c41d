import { graphemeCeil, graphemeFloor } from './grapheme.js';
import type { TokenCounter } from './token-counter.js';

/** First guess; corrected by what the text itself counts. */
const CHARACTERS_PER_TOKEN = 4;
/** Good enough: a part this full is not grown further. */
const FULL = 0.75;
const GUESSES = 12;

/**
 * A grapheme boundary in `(start, end]` such that the text up to it counts at most `limit` tokens and, where possible,
 * not much less. One grapheme is always taken, whatever it counts. Bounded: at most a dozen counts of some `limit` tokens.
 */
export function fittingEnd(text: string, start: number, end: number, limit: number, count: TokenCounter): number {
  const smallest = Math.min(end, graphemeCeil(text, start + 1));
  let fits = smallest;
  let tooLong = end + 1;
  let guess = Math.min(end, start + limit * CHARACTERS_PER_TOKEN);
  for (let round = 0; round < GUESSES; round++) {
    const at = Math.max(smallest, graphemeFloor(text, guess));
    if (at <= fits && round > 0) break;
    const tokens = count(text.slice(start, at));
    if (tokens > limit) {
      tooLong = at;
      if (at === smallest) break;
      guess = start + Math.floor(((at - start) * limit) / tokens);
    } else {
      fits = Math.max(fits, at);
      if (at >= end || tokens >= limit * FULL) break;
      guess = start + Math.floor(((at - start) * limit) / Math.max(tokens, 1));
    }
    guess = Math.min(guess, end, tooLong - 1);
  }
  return fits;
}
