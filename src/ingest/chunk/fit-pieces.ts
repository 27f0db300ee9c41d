import { graphemeCeil, graphemeFloor, isGraphemeBoundary } from '../../embed/grapheme.js';
import { TEXT_CLASS, textClasses } from '../../embed/text-class.js';
import { Refusal } from '../../errors.js';
import type { Budget } from './budget.js';
import type { ChunkSpan, Span } from './chunker.js';
import { trimSpan } from './trim.js';

/**
 * The span as one chunk or, where it counts more than its parts led to expect, as several: halved at white space near the
 * middle, else at a grapheme, and inside a grapheme only when that alone is too long.
 *
 * @throws Refusal INVALID when a single character is over the limit.
 */
export function fitPieces(budget: Budget, span: Span, headings: readonly string[], context = ''): ChunkSpan[] {
  const chunk = budget.fit(span, headings, context);
  if (chunk) return [chunk];
  const { text, limit } = budget;
  const middle = middleBoundary(text, span.start, span.end);
  if (middle === null) {
    throw new Refusal(
      'INVALID',
      `A single character at offset ${span.start} takes more than ${limit} tokens of this embedding space: raise maxTokens`,
      ['input', 'chunking', 'maxTokens'],
    );
  }
  return [trimSpan(text, span.start, middle), trimSpan(text, middle, span.end)].flatMap((half) =>
    half ? fitPieces(budget, half, headings, context) : [],
  );
}

/** A place strictly inside, or null when the span is one code point. */
function middleBoundary(text: string, start: number, end: number): number | null {
  const classes = textClasses();
  const middle = Math.floor((start + end) / 2);
  const reach = Math.floor((end - start) / 4);
  for (let distance = 0; distance <= reach; distance++) {
    for (const at of [middle - distance, middle + distance]) {
      if (
        at > start &&
        at < end &&
        classes[text.charCodeAt(at - 1)] === TEXT_CLASS.SPACE &&
        isGraphemeBoundary(text, at)
      ) {
        return at;
      }
    }
  }
  const floor = graphemeFloor(text, middle);
  if (floor > start) return floor;
  const ceil = graphemeCeil(text, middle);
  if (ceil > start && ceil < end) return ceil;
  for (let at = Math.max(middle, start + 1); at < end; at++) if (!isLowSurrogate(text, at)) return at;
  for (let at = middle; at > start; at--) if (!isLowSurrogate(text, at)) return at;
  return null;
}

function isLowSurrogate(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00;
}
