import { isGraphemeBoundary } from '../../embed/grapheme.js';
import { forEachSentenceStart } from '../../embed/sentence-ends.js';
import type { TokenCounter } from '../../embed/token-counter.js';
import { contentHash } from './content-hash.js';
import { trimmedEnd } from './trim.js';

/** A paragraph of more limits than this is left to the rule for whole texts, which looks no further than one. */
const LONGEST = 3.6;
/** Up to this many limits a cut should leave two pieces that fit; beyond, two that can be cut once more. */
const TWO_PIECES = 1.8;
/** The smaller side of a cut counts at least this share of the limit. */
const BALANCED = 0.35;
/** Characters before the region that tell whether a sentence begins in it. */
const LOOK_BACK = 12;

export interface Piece {
  readonly start: number;
  /** Tokens up to the last visible character, white space before it included. */
  readonly tokens: number;
  /** How the text was cut before this piece; the first has none. */
  readonly by: 'line' | 'sentence' | null;
}

/**
 * A paragraph of `size` tokens, too long for one chunk, as the fewest pieces that will do: halves, and quarters where one
 * is still too long. One that is replaced then costs two chunks, not a handful. Of the lines, else the sentences, that
 * begin in the middle the one with the highest content hash is where it is cut, so that an edit elsewhere rarely moves it.
 * Null when that does not work out: too long, or nothing begins there.
 */
export function halved(
  text: string,
  start: number,
  end: number,
  options: { readonly size: number; readonly limit: number; readonly count: TokenCounter },
  by: Piece['by'] = null,
): Piece[] | null {
  const { size, limit, count } = options;
  if (size <= limit) return [{ start, tokens: size, by }];
  if (size > LONGEST * limit) return null;
  const sideLimit = size <= TWO_PIECES * limit ? limit : 2 * limit;
  const margin = Math.max(size - sideLimit, BALANCED * limit) / size;
  const reach = Math.floor((end - start) * margin);
  const cut = bestCut(text, start, start + reach, end - reach);
  if (cut === null) return null;
  const leftEnd = trimmedEnd(text, start, cut.at);
  const left = halved(text, start, cut.at, { size: count(text.slice(start, leftEnd)), limit, count }, by);
  const rightSize = count(text.slice(leftEnd, trimmedEnd(text, cut.at, end)));
  const right = left && halved(text, cut.at, end, { size: rightSize, limit, count }, cut.by);
  return right && [...left, ...right];
}

function bestCut(
  text: string,
  start: number,
  from: number,
  to: number,
): { at: number; by: 'line' | 'sentence' } | null {
  let best = -1;
  let bestHash = -1;
  const consider = (at: number): void => {
    if (at <= from || at >= to) return;
    const hash = contentHash(text, at, to);
    if (hash > bestHash) [best, bestHash] = [at, hash];
  };
  for (
    let newline = text.indexOf('\n', from);
    newline >= 0 && newline < to;
    newline = text.indexOf('\n', newline + 1)
  ) {
    if (isGraphemeBoundary(text, newline + 1)) consider(newline + 1);
  }
  if (best >= 0) return { at: best, by: 'line' };
  forEachSentenceStart(text, Math.max(start, from - LOOK_BACK), to, consider);
  return best >= 0 ? { at: best, by: 'sentence' } : null;
}
