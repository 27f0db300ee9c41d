/**
 * Measures of retrieved pieces against reference excerpts, by characters. Smith and Troynikov, "Evaluating Chunking
 * Strategies for Retrieval" (Chroma technical report, 2024): https://research.trychroma.com/evaluating-chunking
 */
export interface Range {
  readonly start: number;
  readonly end: number;
}

export interface ExcerptMeasures {
  /** Of the references' characters, how many were retrieved. */
  readonly recall: number;
  /** Of all retrieved characters, pieces counted with their overlaps, how many are in a reference. */
  readonly precision: number;
  /** Precision if exactly the pieces that touch a reference had been retrieved: what the cutting allows at best. */
  readonly precisionOmega: number;
  /** Shared characters over the retrieved (overlaps counted) and the missed ones together. */
  readonly iou: number;
}

/** `chunks`: all pieces of the corpus; `retrieved`: those among them that a search returned. */
export function measureExcerpts(
  references: readonly Range[],
  retrieved: readonly Range[],
  chunks: readonly Range[],
): ExcerptMeasures {
  const wanted = union(references);
  const total = lengthOf(wanted);
  const shared = lengthOf(intersection(wanted, union(retrieved)));
  const retrievedLength = lengthOf(retrieved);
  const touching = chunks.filter((chunk) => lengthOf(intersection(wanted, [chunk])) > 0);
  const sharedAtBest = lengthOf(intersection(wanted, union(touching)));
  const missed = total - shared;
  return {
    recall: ratio(shared, total),
    precision: ratio(shared, retrievedLength),
    precisionOmega: ratio(sharedAtBest, lengthOf(touching)),
    iou: ratio(shared, retrievedLength + missed),
  };
}

function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

function lengthOf(ranges: readonly Range[]): number {
  return ranges.reduce((sum, { start, end }) => sum + end - start, 0);
}

/** In order, without overlap. */
export function union(ranges: readonly Range[]): Range[] {
  const joined: { start: number; end: number }[] = [];
  for (const { start, end } of [...ranges].sort((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else joined.push({ start, end });
  }
  return joined;
}

/** Of two lists that are in order and without overlap. */
export function intersection(a: readonly Range[], b: readonly Range[]): Range[] {
  const shared: Range[] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const start = Math.max(a[i]!.start, b[j]!.start);
    const end = Math.min(a[i]!.end, b[j]!.end);
    if (start < end) shared.push({ start, end });
    if (a[i]!.end < b[j]!.end) i++;
    else j++;
  }
  return shared;
}
