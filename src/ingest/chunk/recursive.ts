import type { Budget } from './budget.js';
import type { ChunkSpan, Span } from './chunker.js';
import { fitPieces } from './fit-pieces.js';
import { overlapStart } from './overlap.js';
import { stableCuts } from './stable-cuts.js';
import { trimSpan } from './trim.js';
import { collectUnits, LEVEL, type Units } from './units.js';

/** A stretch of text that is cut by itself: nothing is shared across its edges. */
export interface Section extends Span {
  readonly headings: readonly string[];
}

/** RECURSIVE: paragraphs, then lines, sentences, words, graphemes; cut edit-stably; overlap from the text before. */
export function chunkRecursively(budget: Budget, section: Section): ChunkSpan[] {
  const { text, count } = budget;
  const span = trimSpan(text, section.start, section.end);
  if (!span) return [];
  const room = budget.room(section.headings);
  const overlap = Math.min(budget.overlap, Math.floor(room / 2));
  const own = Math.max(1, room - overlap);
  // whatever has so many characters has more tokens than fit: not worth counting whole
  const whole = span.end - span.start <= budget.limit * 16 ? budget.fit(span, section.headings) : null;
  if (whole) return [whole];
  const units = collectUnits(text, span.start, span.end, { limit: own, coarsest: LEVEL.PARAGRAPH, count });
  return overlapped(budget, piecesOf(text, units, stableCuts(text, units, own)), section.headings, { overlap });
}

/** The trimmed spans between cuts. */
export function piecesOf(text: string, units: Units, cuts: readonly number[]): Span[] {
  const pieces: Span[] = [];
  let from = 0;
  for (const cut of [...cuts, units.starts.length]) {
    const end = cut < units.starts.length ? units.starts[cut]! : units.end;
    const piece = trimSpan(text, units.starts[from]!, end);
    if (piece) pieces.push(piece);
    from = cut;
  }
  return pieces;
}

export interface OverlapOptions {
  readonly overlap: number;
  /** Whether a piece may begin with words of the one before (default: any may). */
  readonly mayOverlap?: (piece: Span) => boolean;
  /** Words for the embedder that a piece lost by being cut (default: none). */
  readonly contextOf?: (piece: Span) => string;
}

/** Adjacent pieces as chunks, each but the first beginning with up to `overlap` tokens of the one before. */
export function overlapped(
  budget: Budget,
  pieces: readonly Span[],
  headings: readonly string[],
  { overlap, mayOverlap = () => true, contextOf = () => '' }: OverlapOptions,
): ChunkSpan[] {
  const chunks: ChunkSpan[] = [];
  // starts strictly increase: an overlap begins after the piece before it does
  let floor = -1;
  for (const own of pieces) {
    const context = contextOf(own);
    if (floor >= 0 && overlap > 0 && mayOverlap(own)) {
      const start = overlapStart(budget.text, floor, own.start, overlap, budget.count);
      const chunk = start < own.start ? budget.fit({ start, end: own.end }, headings, context) : null;
      if (chunk) {
        chunks.push(chunk);
        floor = own.start;
        continue;
      }
    }
    for (const chunk of fitPieces(budget, own, headings, context)) {
      chunks.push(chunk);
      floor = chunk.start;
    }
  }
  return chunks;
}
