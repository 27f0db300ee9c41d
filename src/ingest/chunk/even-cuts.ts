import { CONTENT_HASH_BITS, contentHash } from './content-hash.js';
import type { Units } from './units.js';

/** A paragraph of more limits than this is left to the rule for whole texts, which looks no further than one. */
const LIMITS = 4;
/** The smaller side of a cut should count at least this share of the limit. */
const BALANCED = 0.25;

/**
 * Cuts for the parts of one long paragraph: halves, then quarters, until each is within `limit`. Of the places that leave
 * neither side too long, the one of highest level and content hash, so that an edit elsewhere in the paragraph rarely
 * moves it. Null when the paragraph is too long or its parts too coarse.
 */
export function evenCuts(text: string, parts: Units, limit: number): number[] | null {
  const count = parts.starts.length;
  const before = [0];
  for (const tokens of parts.tokens) before.push(before.at(-1)! + tokens);
  if (before[count]! > LIMITS * limit) return null;
  const cuts: number[] = [];

  const halve = (from: number, to: number): boolean => {
    const size = before[to]! - before[from]!;
    if (size <= limit) return true;
    const sideLimit = size <= 2 * limit ? limit : 2 * limit;
    let best = -1;
    let bestPriority = -1;
    for (let unit = from + 1; unit < to; unit++) {
      const left = before[unit]! - before[from]!;
      if (left > sideLimit || size - left > sideLimit) continue;
      const priority =
        (Math.min(left, size - left) >= limit * BALANCED ? 16 : 0) +
        parts.levels[unit]! +
        contentHash(text, parts.starts[unit]!, parts.starts[unit + 1] ?? parts.end) / 2 ** CONTENT_HASH_BITS;
      if (priority > bestPriority) [best, bestPriority] = [unit, priority];
    }
    if (best < 0 || !halve(from, best)) return false;
    cuts.push(best);
    return halve(best, to);
  };
  return halve(0, count) ? cuts : null;
}
