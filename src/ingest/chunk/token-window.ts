import { graphemeFloor } from '../../embed/grapheme.js';
import { TEXT_CLASS, textClasses } from '../../embed/text-class.js';
import type { TokenCounter } from '../../embed/token-counter.js';
import type { Budget } from './budget.js';
import type { ChunkSpan } from './chunker.js';
import { fitPieces } from './fit-pieces.js';
import { fittingEnd } from './fitting-end.js';
import { overlapStart } from './overlap.js';
import { assertWindow } from './sliding-window.js';
import { trimmedStart, trimSpan } from './trim.js';

/** TOKEN: windows of the budget's tokens, ending between words (inside a word only when it is longer than a window). */
export function chunkByTokens(budget: Budget): ChunkSpan[] {
  const { text, count } = budget;
  const room = budget.room([]);
  assertWindow(room, budget.overlap, 'maxTokens');
  const chunks: ChunkSpan[] = [];
  let start = trimmedStart(text, 0, text.length);
  let covered = start;
  while (start < text.length) {
    let end = windowEnd(text, start, room, count);
    if (end <= covered && start < covered) {
      // the next word is too long to stand behind the overlap
      start = trimmedStart(text, covered, text.length);
      end = windowEnd(text, start, room, count);
    }
    covered = end;
    const span = trimSpan(text, start, end);
    const pieces = span ? fitPieces(budget, span, []) : [];
    for (const piece of pieces) chunks.push(piece);
    if (end >= text.length) break;
    const next = trimmedStart(text, end, text.length);
    if (next >= text.length) break;
    const floor = pieces.at(-1)?.start ?? start;
    start = budget.overlap > 0 ? overlapStart(text, floor, next, budget.overlap, count, 'word') : next;
  }
  return chunks;
}

/** Rounds of filling up what the sum of the words' own counts left free. */
const FILL_ROUNDS = 3;

/** Where the longest row of words from `start` ends that counts at most `limit`; at least one grapheme on. */
function windowEnd(text: string, start: number, limit: number, count: TokenCounter): number {
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

/** A word of more characters than this per token of the window is not counted whole. */
const LONGEST_TOKEN = 16;

/** White space ends a word, and in scripts without spaces every character is one. */
function endsWord(classes: Uint8Array, text: string, wordStart: number, at: number): boolean {
  const kind = classes[text.charCodeAt(at)];
  return kind === TEXT_CLASS.SPACE || (at > wordStart && kind === TEXT_CLASS.IDEOGRAPH);
}
