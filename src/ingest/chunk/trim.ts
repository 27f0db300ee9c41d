import { graphemeFloor } from '../../embed/grapheme.js';
import { isBlank, TEXT_CLASS, textClasses } from '../../embed/text-class.js';
import type { Span } from './chunker.js';

/** `[start, end)` without the white space at its edges; null when nothing visible is left. */
export function trimSpan(text: string, start: number, end: number): Span | null {
  const first = trimmedStart(text, start, end);
  const last = trimmedEnd(text, first, end);
  return first >= last || isBlank(text, first, last) ? null : { start: first, end: last };
}

export function trimmedStart(text: string, start: number, end: number): number {
  const classes = textClasses();
  let at = start;
  while (at < end && classes[text.charCodeAt(at)] === TEXT_CLASS.SPACE) at++;
  // a space that carries a combining mark is not at the edge
  return at === start ? at : Math.max(start, graphemeFloor(text, at));
}

export function trimmedEnd(text: string, start: number, end: number): number {
  const classes = textClasses();
  let at = end;
  while (at > start && classes[text.charCodeAt(at - 1)] === TEXT_CLASS.SPACE) at--;
  return at;
}
