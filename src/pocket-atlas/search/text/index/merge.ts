import { Bitmap } from '../../bitmap.js';
import { PostingWriter, type RowMap, type Source, WordWriter } from './posting-writer.js';
import type { ExactField, NumericField, Segment, WordsField } from './segment.js';

/** Lets the event loop run when the slice of work is used up. */
export type Breathe = () => Promise<void>;

/** Postings copied between two looks at the clock: some half a millisecond. */
const POSTINGS_PER_LOOK = 20_000;
/** What a term costs beside them. */
const POSTINGS_PER_TERM = 50;

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

  await breathe();
  const words = new Map<string, WordsField>();
  for (const [key, fields] of fieldsByKey(sources, rowMaps, 'words'))
    words.set(key, await mergeWords(fields, rowCount, breathe));
  const exact = new Map<string, ExactField>();
  for (const [key, fields] of fieldsByKey(sources, rowMaps, 'exact'))
    exact.set(key, await mergePostings(fields, null, breathe));
  const numeric = new Map<string, NumericField>();
  for (const [key, fields] of fieldsByKey(sources, rowMaps, 'numeric')) {
    numeric.set(key, await mergeNumeric(fields, breathe));
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
    await breathe();
  }
  const words = new WordWriter(sources);
  const postings = await mergePostings(sources, words, breathe);
  return { ...postings, ...words.result(), lengths, fieldRows, totalLength };
}

async function mergePostings(
  sources: readonly Source<ExactField>[],
  words: WordWriter | null,
  breathe: Breathe,
): Promise<ExactField> {
  const postings = new PostingWriter(sources);
  const next = sources.map(() => 0);
  let copied = 0;
  for (;;) {
    if (copied >= POSTINGS_PER_LOOK) {
      await breathe();
      copied = 0;
    }
    const term = smallestTerm(sources, next);
    if (term === null) return postings.result();
    copied += POSTINGS_PER_TERM;
    for (const [s, source] of sources.entries()) {
      const { field } = source;
      const ordinal = next[s]!;
      if (ordinal >= field.dictionary.size || field.dictionary.compareAt(ordinal, term) !== 0) continue;
      next[s] = ordinal + 1;
      const count = field.postingStarts[ordinal + 1]! - field.postingStarts[ordinal]!;
      const kept = postings.addRows(source, ordinal);
      words?.add(source as Source<WordsField>, ordinal, kept === count);
      copied += count;
    }
    if (postings.endTerm(term)) words?.endTerm();
  }
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

/** A k-way merge: the pairs of each source are in order, and stay so with its rows renumbered. */
async function mergeNumeric(sources: readonly Source<NumericField>[], breathe: Breathe): Promise<NumericField> {
  const room = sources.reduce((sum, { field }) => sum + field.rows.length, 0);
  const values = new Float64Array(room);
  const rows = new Uint32Array(room);
  let used = 0;
  const next = sources.map(() => 0);
  for (let step = 1; ; step++) {
    if (step % POSTINGS_PER_LOOK === 0) await breathe();
    let lowest = -1;
    for (let s = 0; s < sources.length; s++) {
      const at = next[s]!;
      if (at >= sources[s]!.field.rows.length) continue;
      // Rows of an earlier source come first anyway.
      if (lowest < 0 || sources[s]!.field.values[at]! < sources[lowest]!.field.values[next[lowest]!]!) lowest = s;
    }
    if (lowest < 0) return { values: values.slice(0, used), rows: rows.slice(0, used) };
    const { field, rowMap } = sources[lowest]!;
    const at = next[lowest]!++;
    const row = rowMap[field.rows[at]!]!;
    if (row < 0) continue;
    values[used] = field.values[at]!;
    rows[used++] = row;
  }
}
