import { graphemeCeil, graphemeFloor } from '../../embed/grapheme.js';
import { Refusal } from '../../errors.js';
import type { Span } from './chunker.js';

export interface SlidingWindow {
  /** UTF-16 code units of a window. */
  readonly size: number;
  /** Code units that a window shares with the one before. */
  readonly overlap: number;
  /** Trim the text first, then every window, and drop the empty ones (white space as `String.trim` has it). */
  readonly strip: boolean;
  /** `stop`: the first window that reaches the end is the last. `keep`: one more follows while windows start inside. */
  readonly tail: 'stop' | 'keep';
}

/**
 * Windows of fixed size. Where a boundary would cut a grapheme it moves back to the grapheme's start; a window that could
 * not hold a single grapheme holds that one whole.
 *
 * @throws Refusal INVALID when the windows would not move forward.
 */
export function slidingWindow(text: string, { size, overlap, strip, tail }: SlidingWindow): Span[] {
  assertWindow(size, overlap);
  const from = strip ? text.length - text.trimStart().length : 0;
  const to = strip ? text.trimEnd().length : text.length;
  const windows: Span[] = [];
  let start = from;
  while (start < to) {
    const isLast = start + size >= to;
    // past the text's end the place where the window would have ended still decides where the next begins
    const nominalEnd = isLast ? start + size : laterBoundary(text, start, start + size);
    const end = Math.min(nominalEnd, to);
    const window = strip ? stripped(text, start, end) : { start, end };
    if (window) windows.push(window);
    if (isLast && tail === 'stop') break;
    start = Math.min(to, laterBoundary(text, start, nominalEnd - overlap));
  }
  return windows;
}

/** The grapheme boundary at or before `at`, or the first one after `start` when that is not past `start`. */
function laterBoundary(text: string, start: number, at: number): number {
  if (at >= text.length) return at;
  const floor = graphemeFloor(text, at);
  return floor > start ? floor : graphemeCeil(text, Math.max(at, start + 1));
}

function stripped(text: string, start: number, end: number): Span | null {
  const window = text.slice(start, end);
  const left = window.length - window.trimStart().length;
  return left === window.length ? null : { start: start + left, end: start + window.trimEnd().length };
}

/** @throws Refusal INVALID naming the input field at fault. */
export function assertWindow(size: number, overlap: number, sizeName = 'maxCharacters'): void {
  if (!Number.isSafeInteger(size) || size < 1) {
    throw new Refusal('INVALID', `Expected ${sizeName} of at least 1, got ${size}`, ['input', 'chunking', sizeName]);
  }
  if (!Number.isSafeInteger(overlap) || overlap < 0 || overlap >= size) {
    throw new Refusal('INVALID', `Expected an overlap from 0 to ${size - 1} (less than ${sizeName}), got ${overlap}`, [
      'input',
      'chunking',
      'overlap',
    ]);
  }
}
