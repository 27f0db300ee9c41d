import type { Budget } from './budget.js';
import type { ChunkSpan, Span } from './chunker.js';
import { fitPieces } from './fit-pieces.js';
import { trimSpan } from './trim.js';
import { collectUnits, LEVEL, type Level } from './units.js';

/** SENTENCE: as many whole sentences as fit; a longer sentence is cut at words. The overlap is whole sentences too. */
export function chunkBySentences(budget: Budget): ChunkSpan[] {
  const { text, count, overlap } = budget;
  const room = budget.room([]);
  const span = trimSpan(text, 0, text.length);
  if (!span) return [];
  const units = collectUnits(text, span.start, span.end, {
    limit: room,
    coarsest: LEVEL.SENTENCE,
    count,
    whole: false,
  });
  const chunks: ChunkSpan[] = [];
  const spanOf = (from: number, to: number): Span | null =>
    trimSpan(text, units.starts[from]!, to < units.starts.length ? units.starts[to]! : units.end);
  let first = 0;
  let shared = 0;
  while (first < units.starts.length) {
    let to = first;
    let sum = 0;
    while (to < units.starts.length && (to === first || sum + units.tokens[to]! <= room)) sum += units.tokens[to++]!;
    // what is shared with the chunk before gives way to the first sentence that is new
    if (to - first <= shared) {
      first++;
      shared--;
      continue;
    }
    const piece = spanOf(first, to);
    const chunk = piece && budget.fit(piece, []);
    if (piece && !chunk && shared > 0) {
      first++;
      shared--;
      continue;
    }
    if (chunk) chunks.push(chunk);
    else if (piece) chunks.push(...fitPieces(budget, piece, []));
    if (to >= units.starts.length) break;
    shared = sharedUnits(units.tokens, units.levels, first, to, overlap);
    first = to - shared;
  }
  return chunks;
}

/** How many of the units before `to` make up an overlap that begins with a sentence and leaves out unit `first`. */
function sharedUnits(
  tokens: readonly number[],
  levels: readonly Level[],
  first: number,
  to: number,
  overlap: number,
): number {
  let shared = 0;
  let sum = 0;
  for (let unit = to - 1; unit > first; unit--) {
    sum += tokens[unit]!;
    if (sum > overlap) break;
    if (levels[unit]! >= LEVEL.SENTENCE) shared = to - unit;
  }
  return shared;
}
