import { crc32 } from 'node:zlib';
import { Bitmap } from '../bitmap.js';
import type { LivePostings } from '../filter/live-postings.js';
import { type PostingsSections, SealedPostings, sealPostings } from '../filter/sealed-postings.js';
import { backgroundPacer } from '../pace.js';
import type { ActiveSegment } from './active-segment.js';
import type { CodeMemory } from './code-memory.js';
import type { Codec } from './codec.js';
import { type Columns, columnSections } from './columns.js';
import { keepsVectors, type LaneSpec } from './lane.js';
import { encodeSections } from './sections.js';
import { type FileMark, segmentPath, syncDirectory, writeFileDurably } from './segment-files.js';

/** Writes the live rows of an active segment as a sealed one. The rows go on being searched where they are meanwhile. */
export async function writeSegment(options: {
  readonly directory: string;
  readonly segmentId: string;
  readonly spec: LaneSpec;
  readonly codec: Codec;
  readonly memory: CodeMemory;
  readonly active: ActiveSegment;
  /** Rows to write, in ascending order of their records. */
  readonly rows: readonly number[];
}): Promise<{ columns: Columns; marks: { columns: FileMark; codes: FileMark } }> {
  const { directory, segmentId, spec, codec, memory, active, rows } = options;
  const { scalarsPerRow, codeBytes } = codec;
  const scalars = new Float64Array(rows.length * scalarsPerRow);
  const checksums = new Uint32Array(keepsVectors(spec) ? rows.length : 0);
  const codes = new Uint8Array(rows.length * codeBytes);
  const vectorBytes = keepsVectors(spec) ? spec.dimensions * Float32Array.BYTES_PER_ELEMENT : 0;
  const vectors = new Uint8Array(rows.length * vectorBytes);
  for (const [to, row] of rows.entries()) {
    const { vector } = active.row(row);
    scalars.set(active.scalars.subarray(row * scalarsPerRow, (row + 1) * scalarsPerRow), to * scalarsPerRow);
    const address = active.addresses[row] as number;
    codes.set(memory.bytes.subarray(address, address + codeBytes), to * codeBytes);
    if (vectorBytes > 0) {
      const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vectorBytes);
      vectors.set(bytes, to * vectorBytes);
      checksums[to] = crc32(bytes);
    }
    await backgroundPacer.pause();
  }

  const newRow = new Int32Array(active.size).fill(-1);
  for (const [to, row] of rows.entries()) newRow[row] = to;
  const postings: SealedPostings[] = [];
  for (const path of spec.filterPaths) {
    postings.push(new SealedPostings(sealedField(active.postings.get(path) as LivePostings, newRow, rows.length)));
    await backgroundPacer.pause();
  }

  const recordIds = Float64Array.from(rows, (row) => active.recordIdOf(row));
  const columns: Columns = { recordIds, scalars, checksums, postings };
  const path = (file: 'columns' | 'codes' | 'vectors') => segmentPath(directory, segmentId, file);
  const marks = {
    columns: await writeFileDurably(path('columns'), encodeSections(columnSections(columns))),
    codes: await writeFileDurably(path('codes'), [codes]),
  };
  if (vectorBytes > 0) await writeFileDurably(path('vectors'), [vectors]);
  await syncDirectory(directory);
  return { columns, marks };
}

function sealedField(postings: LivePostings, newRow: Int32Array, size: number): PostingsSections {
  const kept = (rows: readonly number[]) => rows.map((row) => newRow[row] as number).filter((row) => row >= 0);
  const existing = new Bitmap(size);
  for (const row of kept(postings.existing)) existing.add(row);
  const entries = postings
    .entries()
    .map(([key, rows]) => [Buffer.from(key, 'latin1'), kept(rows).sort((a, b) => a - b)] as const);
  return sealPostings(entries, existing);
}
