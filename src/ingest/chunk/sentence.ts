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
  const isWhole = wholeSentences(units.levels);
  // the parts of a sentence that had to be cut keep to themselves
  const mayFollow = (unit: number): boolean =>
    units.levels[unit]! < LEVEL.SENTENCE || (isWhole[unit - 1]! && isWhole[unit]!);
  const chunks: ChunkSpan[] = [];
  const spanOf = (from: number, to: number): Span | null =>
    trimSpan(text, units.starts[from]!, to < units.starts.length ? units.starts[to]! : units.end);
  let first = 0;
  let shared = 0;
  while (first < units.starts.length) {
    let to = first;
    let sum = 0;
    while (to < units.starts.length && (to === first || (sum + units.tokens[to]! <= room && mayFollow(to)))) {
      sum += units.tokens[to++]!;
    }
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
    shared = mayFollow(to) ? sharedUnits(units.tokens, isWhole, first, to, overlap) : 0;
    first = to - shared;
  }
  return chunks;
}

/** Of every unit, whether it is a sentence rather than a part of one. */
function wholeSentences(levels: readonly Level[]): boolean[] {
  return levels.map((level, unit) => level >= LEVEL.SENTENCE && (levels[unit + 1] ?? LEVEL.SENTENCE) >= LEVEL.SENTENCE);
}

/** How many of the units before `to` make up an overlap of whole sentences that leaves out unit `first`. */
function sharedUnits(
  tokens: readonly number[],
  isWhole: readonly boolean[],
  first: number,
  to: number,
  overlap: number,
): number {
  let sum = 0;
  for (let unit = to - 1; unit > first; unit--) {
    sum += tokens[unit]!;
    if (sum > overlap || !isWhole[unit]) return to - 1 - unit;
  }
  return Math.max(0, to - 1 - first);
}
