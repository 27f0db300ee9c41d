import type { Budget } from './budget.js';
import type { ChunkSpan } from './chunker.js';
import { overlapped, piecesOf } from './recursive.js';
import { cutsByPriority } from './stable-cuts.js';
import { trimSpan } from './trim.js';
import { collectUnits, LEVEL, type Units } from './units.js';

/**
 * SEMANTIC: a cut where the topic shifts. Every sentence is embedded; a boundary's priority is how unlike the sentences on
 * its two sides are (1 − cosine of their mean vectors, three to a side), and cuts are chosen by priority as for the other
 * edit-stable strategies. Kamradt's percentile rule was not taken: one threshold for a whole text moves with every edit.
 */
const SENTENCES_PER_SIDE = 3;

export async function chunkBySemantics(
  budget: Budget,
  embed: (texts: readonly string[]) => Promise<Float32Array[]>,
): Promise<ChunkSpan[]> {
  const { text, count } = budget;
  const span = trimSpan(text, 0, text.length);
  if (!span) return [];
  const whole = span.end - span.start <= budget.limit * 16 ? budget.fit(span, []) : null;
  if (whole) return [whole];
  const room = budget.room([]);
  const overlap = Math.min(budget.overlap, Math.floor(room / 2));
  const own = Math.max(1, room - overlap);
  const units = visibleUnits(
    text,
    collectUnits(text, span.start, span.end, { limit: own, coarsest: LEVEL.SENTENCE, count, whole: false }),
  );
  const sentences = units.starts.map((start, at) => {
    const sentence = trimSpan(text, start, units.starts[at + 1] ?? units.end)!;
    return text.slice(sentence.start, sentence.end);
  });
  const vectors = await embed(sentences);
  const before = new Float64Array(units.starts.length + 1);
  for (const [at, tokens] of units.tokens.entries()) before[at + 1] = before[at]! + tokens;
  const cuts = before.at(-1)! <= own ? [] : cutsByPriority(before, topicShifts(vectors), own);
  return overlapped(budget, piecesOf(text, units, cuts), [], { overlap });
}

/** Units of nothing visible join the unit before (the first: after), for there is nothing in them to embed. */
function visibleUnits(text: string, units: Units): Units {
  const kept = units.starts.flatMap((start, at) =>
    trimSpan(text, start, units.starts[at + 1] ?? units.end) ? [at] : [],
  );
  return {
    starts: kept.map((at, index) => units.starts[index === 0 ? 0 : at]!),
    tokens: kept.map((at) => units.tokens[at]!),
    levels: kept.map((at) => units.levels[at]!),
    end: units.end,
  };
}

/** For every sentence, how far the topic shifts before it: 0 (the same) to 2. */
export function topicShifts(vectors: readonly Float32Array[]): Float64Array {
  const shifts = new Float64Array(vectors.length);
  for (let at = 1; at < vectors.length; at++) {
    const left = sum(vectors.slice(Math.max(0, at - SENTENCES_PER_SIDE), at));
    const right = sum(vectors.slice(at, at + SENTENCES_PER_SIDE));
    shifts[at] = 1 - cosine(left, right);
  }
  return shifts;
}

function sum(vectors: readonly Float32Array[]): Float64Array {
  const total = new Float64Array(vectors[0]!.length);
  for (const vector of vectors) for (let axis = 0; axis < total.length; axis++) total[axis]! += vector[axis]!;
  return total;
}

function cosine(a: Float64Array, b: Float64Array): number {
  let product = 0;
  let aSquares = 0;
  let bSquares = 0;
  for (let axis = 0; axis < a.length; axis++) {
    product += a[axis]! * b[axis]!;
    aSquares += a[axis]! * a[axis]!;
    bSquares += b[axis]! * b[axis]!;
  }
  return aSquares === 0 || bSquares === 0 ? 0 : product / Math.sqrt(aSquares * bSquares);
}
