import { closeSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { Bitmap } from '../bitmap.js';
import { mergePostings, SealedPostings } from '../filter/sealed-postings.js';
import { type Columns, columnSections, readColumns } from './columns.js';
import { DamagedIndex } from './damaged-index.js';
import { keepsVectors, type LaneSpec } from './lane.js';
import type { SegmentMark } from './sealed-segment.js';
import { encodeSections } from './sections.js';
import { type FileMark, readVerified, segmentPath, syncDirectory, writeFileDurably } from './segment-files.js';

/**
 * Several sealed segments become one without their dead rows, file by file: nothing but the columns is in memory. Runs in a
 * worker. Rows are in ascending order of their records again.
 */
export interface MergeJob {
  readonly type: 'merge';
  readonly directory: string;
  readonly spec: LaneSpec;
  readonly codeBytes: number;
  readonly scalarsPerRow: number;
  readonly sources: readonly { readonly mark: SegmentMark; readonly deadWords: Uint32Array }[];
  readonly targetId: string;
}

export interface MergeResult {
  readonly columns: FileMark;
  readonly codes: FileMark;
  /** Of each new row: which source it comes from, and which row it was there. */
  readonly sourceOf: Uint8Array;
  readonly rowOf: Uint32Array;
}

export async function mergeSegments(job: MergeJob): Promise<MergeResult> {
  const { directory, spec, targetId, scalarsPerRow } = job;
  const fieldCount = spec.filterPaths.length;
  const sources: Columns[] = [];
  for (const { mark } of job.sources) {
    const file = await readVerified(segmentPath(directory, mark.id, 'columns'), mark.columns);
    sources.push(readColumns(file, fieldCount));
  }
  const { sourceOf, rowOf, newRows } = order(
    sources,
    job.sources.map(({ deadWords }) => deadWords),
  );

  const size = rowOf.length;
  const recordIds = new Float64Array(size);
  const scalars = new Float64Array(size * scalarsPerRow);
  const checksums = new Uint32Array(keepsVectors(spec) ? size : 0);
  for (let row = 0; row < size; row++) {
    const source = sources[sourceOf[row] as number] as Columns;
    const old = rowOf[row] as number;
    recordIds[row] = source.recordIds[old] as number;
    scalars.set(source.scalars.subarray(old * scalarsPerRow, (old + 1) * scalarsPerRow), row * scalarsPerRow);
    if (checksums.length > 0) checksums[row] = source.checksums[old] as number;
  }
  const postings = spec.filterPaths.map((_, field) => {
    const parts = sources.map((source, i) => ({
      postings: source.postings[field] as SealedPostings,
      newRow: newRows[i] as Int32Array,
    }));
    return new SealedPostings(mergePostings(parts, size));
  });

  const target = (file: 'columns' | 'codes' | 'vectors') => segmentPath(directory, targetId, file);
  const copy = (file: 'codes' | 'vectors', rowBytes: number, check?: Uint32Array) => {
    const paths = job.sources.map(({ mark }) => segmentPath(directory, mark.id, file));
    return writeFileDurably(target(file), copiedRows(paths, rowBytes, sourceOf, rowOf, check));
  };
  const codes = await copy('codes', job.codeBytes);
  if (keepsVectors(spec)) await copy('vectors', spec.dimensions * Float32Array.BYTES_PER_ELEMENT, checksums);
  const columns = await writeFileDurably(
    target('columns'),
    encodeSections(columnSections({ recordIds, scalars, checksums, postings })),
  );
  await syncDirectory(directory);
  return { columns, codes, sourceOf, rowOf };
}

/** A k-way merge by record of the rows that are alive. */
function order(sources: readonly Columns[], deadWords: readonly Uint32Array[]) {
  const dead = sources.map(({ recordIds }, i) => new Bitmap(recordIds.length, deadWords[i]));
  const size = dead.reduce((sum, rows) => sum + rows.size - rows.count(), 0);
  const sourceOf = new Uint8Array(size);
  const rowOf = new Uint32Array(size);
  const newRows = sources.map(({ recordIds }) => new Int32Array(recordIds.length).fill(-1));
  const heads = sources.map(() => -1);
  const advance = (source: number) => {
    const rows = dead[source] as Bitmap;
    let row = (heads[source] as number) + 1;
    while (row < rows.size && rows.has(row)) row++;
    heads[source] = row;
  };
  for (const source of sources.keys()) advance(source);
  for (let row = 0; row < size; row++) {
    let lowest = -1;
    let lowestId = Number.POSITIVE_INFINITY;
    for (const [source, { recordIds }] of sources.entries()) {
      const recordId = recordIds[heads[source] as number];
      if (recordId !== undefined && recordId < lowestId) [lowest, lowestId] = [source, recordId];
    }
    const old = heads[lowest] as number;
    sourceOf[row] = lowest;
    rowOf[row] = old;
    (newRows[lowest] as Int32Array)[old] = row;
    advance(lowest);
  }
  return { sourceOf, rowOf, newRows };
}

const COPY_BYTES = 1 << 20;

/** Rows of several files in a new order, a megabyte at a time, each compared with its checksum where there is one. */
function* copiedRows(
  paths: readonly string[],
  rowBytes: number,
  sourceOf: Uint8Array,
  rowOf: Uint32Array,
  checksums?: Uint32Array,
): Generator<Uint8Array> {
  const files = paths.map((path) => openSync(path, 'r'));
  try {
    const rowsPerChunk = Math.max(1, Math.floor(COPY_BYTES / rowBytes));
    for (let from = 0; from < rowOf.length; from += rowsPerChunk) {
      const rows = Math.min(rowsPerChunk, rowOf.length - from);
      const chunk = Buffer.allocUnsafe(rows * rowBytes);
      for (let i = 0; i < rows; i++) {
        const source = sourceOf[from + i] as number;
        const position = (rowOf[from + i] as number) * rowBytes;
        const got = readSync(files[source] as number, chunk, i * rowBytes, rowBytes, position);
        const row = chunk.subarray(i * rowBytes, i * rowBytes + got);
        if (got !== rowBytes || (checksums !== undefined && crc32(row) !== checksums[from + i])) {
          throw new DamagedIndex(`row ${rowOf[from + i]} of ${paths[source]} does not match its checksum`);
        }
      }
      yield chunk;
    }
  } finally {
    for (const file of files) closeSync(file);
  }
}
