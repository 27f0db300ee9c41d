import { Bitmap } from '../../bitmap.js';
import { Dictionary } from './dictionary.js';
import type { ExactField, NumericField, Segment, WordsField } from './segment.js';
import { VarintReader } from './varint.js';

/** Lets the event loop run when the slice of work is used up. */
export type Breathe = () => Promise<void>;

/** What a row of a source became: -1 for a deleted one. */
type RowMap = Int32Array;

interface Source<Field> {
  readonly field: Field;
  readonly rowMap: RowMap;
}

/**
 * One segment of several, without their deleted rows, in the order given. Rows that are deleted in the sources while
 * this runs are deleted in the result too. Works term by term and breathes in between.
 */
export async function mergeSegments(id: number, sources: readonly Segment[], breathe: Breathe): Promise<Segment> {
  const deletedBefore = sources.map((segment) => segment.deleted.copy());
  let rowCount = 0;
  const rowMaps = sources.map((segment, s) => {
    const rowMap = new Int32Array(segment.rowCount);
    for (let row = 0; row < segment.rowCount; row++) rowMap[row] = deletedBefore[s]!.has(row) ? -1 : rowCount++;
    return rowMap;
  });
  const recordIds = new Float64Array(rowCount);
  forEachKept(rowMaps, (s, row, to) => {
    recordIds[to] = sources[s]!.recordIds[row]!;
  });

  const words = new Map<string, WordsField>();
  for (const [key, fields] of fieldsByKey(sources, rowMaps, 'words'))
    words.set(key, await mergeWords(fields, rowCount, breathe));
  const exact = new Map<string, ExactField>();
  for (const [key, fields] of fieldsByKey(sources, rowMaps, 'exact'))
    exact.set(key, await mergePostings(fields, null, breathe));
  const numeric = new Map<string, NumericField>();
  for (const [key, fields] of fieldsByKey(sources, rowMaps, 'numeric')) {
    numeric.set(key, mergeNumeric(fields));
    await breathe();
  }

  const deleted = new Bitmap(rowCount);
  forEachKept(rowMaps, (s, row, to) => {
    if (sources[s]!.deleted.has(row)) deleted.add(to);
  });
  return { id, rowCount, recordIds, deleted, words, exact, numeric };
}

function forEachKept(rowMaps: readonly RowMap[], visit: (source: number, row: number, to: number) => void): void {
  rowMaps.forEach((rowMap, s) => {
    for (let row = 0; row < rowMap.length; row++) if (rowMap[row]! >= 0) visit(s, row, rowMap[row]!);
  });
}

function fieldsByKey<Kind extends 'words' | 'exact' | 'numeric'>(
  sources: readonly Segment[],
  rowMaps: readonly RowMap[],
  kind: Kind,
): Map<string, Source<FieldOf<Kind>>[]> {
  const byKey = new Map<string, Source<FieldOf<Kind>>[]>();
  sources.forEach((segment, s) => {
    for (const [key, field] of segment[kind] as ReadonlyMap<string, FieldOf<Kind>>) {
      const list = byKey.get(key) ?? [];
      list.push({ field, rowMap: rowMaps[s]! });
      byKey.set(key, list);
    }
  });
  return byKey;
}
type FieldOf<Kind> = Kind extends 'words' ? WordsField : Kind extends 'exact' ? ExactField : NumericField;

async function mergeWords(
  sources: readonly Source<WordsField>[],
  rowCount: number,
  breathe: Breathe,
): Promise<WordsField> {
  const lengths = new Uint32Array(rowCount);
  let fieldRows = 0;
  let totalLength = 0;
  for (const { field, rowMap } of sources) {
    for (let row = 0; row < rowMap.length; row++) {
      const length = field.lengths[row]!;
      if (rowMap[row]! < 0 || length === 0) continue;
      lengths[rowMap[row]!] = length;
      fieldRows++;
      totalLength += length;
    }
  }
  const extras: WordExtras = { freqs: [], positions: [], positionStarts: [0], positionLength: 0 };
  const postings = await mergePostings(sources, extras, breathe);
  const freqs = new Uint16Array(postings.rows.length);
  let at = 0;
  for (const part of extras.freqs) {
    freqs.set(part, at);
    at += part.length;
  }
  return {
    ...postings,
    freqs,
    positions: Buffer.concat(extras.positions),
    positionStarts: Uint32Array.from(extras.positionStarts),
    lengths,
    fieldRows,
    totalLength,
  };
}

/** What words have beside rows, collected in the order of the merged postings. */
interface WordExtras {
  readonly freqs: Uint16Array[];
  readonly positions: Uint8Array[];
  readonly positionStarts: number[];
  positionLength: number;
}

async function mergePostings(
  sources: readonly Source<ExactField>[],
  extras: WordExtras | null,
  breathe: Breathe,
): Promise<ExactField> {
  const terms: Buffer[] = [];
  const rows = new Uint32Array(sources.reduce((sum, { field }) => sum + field.rows.length, 0));
  const postingStarts = [0];
  let used = 0;
  const next = sources.map(() => 0);
  for (let step = 0; ; step++) {
    if (step % 256 === 0) await breathe();
    const term = smallestTerm(sources, next);
    if (term === null) break;
    const before = used;
    sources.forEach(({ field, rowMap }, s) => {
      const ordinal = next[s]!;
      if (ordinal >= field.dictionary.size || field.dictionary.compareAt(ordinal, term) !== 0) return;
      next[s] = ordinal + 1;
      const start = field.postingStarts[ordinal]!;
      const end = field.postingStarts[ordinal + 1]!;
      const from = used;
      for (let i = start; i < end; i++) {
        const to = rowMap[field.rows[i]!]!;
        if (to >= 0) rows[used++] = to;
      }
      if (extras !== null) copyExtras(extras, field as WordsField, ordinal, rowMap, used - from === end - start);
    });
    // all its rows are gone, and so is the term
    if (used === before) continue;
    terms.push(term);
    postingStarts.push(used);
    extras?.positionStarts.push(extras.positionLength);
  }
  return {
    dictionary: Dictionary.of(terms),
    postingStarts: Uint32Array.from(postingStarts),
    rows: used === rows.length ? rows : rows.slice(0, used),
  };
}

function smallestTerm(sources: readonly Source<ExactField>[], next: readonly number[]): Buffer | null {
  let smallest: Buffer | null = null;
  sources.forEach(({ field: { dictionary } }, s) => {
    const ordinal = next[s]!;
    if (ordinal >= dictionary.size) return;
    if (smallest === null || dictionary.compareAt(ordinal, smallest) < 0) {
      smallest = dictionary.bytes.subarray(dictionary.offsets[ordinal]!, dictionary.offsets[ordinal + 1]!);
    }
  });
  return smallest;
}

function copyExtras(extras: WordExtras, field: WordsField, ordinal: number, rowMap: RowMap, whole: boolean): void {
  const start = field.postingStarts[ordinal]!;
  const end = field.postingStarts[ordinal + 1]!;
  const push = (bytes: Uint8Array): void => {
    extras.positions.push(bytes);
    extras.positionLength += bytes.length;
  };
  if (whole) {
    extras.freqs.push(field.freqs.subarray(start, end));
    push(field.positions.subarray(field.positionStarts[ordinal]!, field.positionStarts[ordinal + 1]!));
    return;
  }
  const kept: number[] = [];
  const reader = new VarintReader(field.positions, field.positionStarts[ordinal]!);
  for (let i = start; i < end; i++) {
    const from = reader.at;
    reader.skip(field.freqs[i]!);
    if (rowMap[field.rows[i]!]! < 0) continue;
    kept.push(field.freqs[i]!);
    push(field.positions.subarray(from, reader.at));
  }
  extras.freqs.push(Uint16Array.from(kept));
}

function mergeNumeric(sources: readonly Source<NumericField>[]): NumericField {
  const pairs: { value: number; row: number }[] = [];
  for (const { field, rowMap } of sources) {
    for (let i = 0; i < field.rows.length; i++) {
      const row = rowMap[field.rows[i]!]!;
      if (row >= 0) pairs.push({ value: field.values[i]!, row });
    }
  }
  pairs.sort((a, b) => a.value - b.value || a.row - b.row);
  return { values: Float64Array.from(pairs, (p) => p.value), rows: Uint32Array.from(pairs, (p) => p.row) };
}
