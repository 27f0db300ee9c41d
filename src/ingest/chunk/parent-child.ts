import type { TokenCounter } from '../../embed/token-counter.js';
import type { Budget } from './budget.js';
import type { ChunkSpan, Span } from './chunker.js';
import { chunkRecursively, piecesOf } from './recursive.js';
import { stableCuts } from './stable-cuts.js';
import { sectionsOf } from './structure.js';
import { trimSpan } from './trim.js';
import { collectUnits, LEVEL } from './units.js';

/**
 * PARENT_CHILD: parents of at most `parentMaxTokens` (a section, or an edit-stable part of a long one) that an answer is
 * given, cut into children that are searched. Parents do not overlap, and children do only within one.
 */
export function chunkWithParents(budget: Budget, mediaType: string, parentMaxTokens: number): ChunkSpan[] {
  const { text, count } = budget;
  return sectionsOf(text, mediaType).flatMap((section) =>
    parentsOf(text, section, parentMaxTokens, count).flatMap((parent) =>
      chunkRecursively(budget, { ...parent, headings: section.headings }).map((child) => ({ ...child, parent })),
    ),
  );
}

function parentsOf(text: string, section: Span, limit: number, count: TokenCounter): Span[] {
  const span = trimSpan(text, section.start, section.end);
  if (!span) return [];
  const units = collectUnits(text, span.start, span.end, { limit, coarsest: LEVEL.PARAGRAPH, count });
  return piecesOf(text, units, stableCuts(text, units, limit));
}
