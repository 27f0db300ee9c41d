import { Bitmap } from '../bitmap.js';
import type { CodeStore } from './code-store.js';
import type { Codec } from './codec.js';
import { type Columns, readColumns } from './columns.js';
import { DamagedIndex } from './damaged-index.js';
import { openGraph } from './graph.js';
import { keepsVectors, type LaneSpec } from './lane.js';
import { SealedSegment, type SegmentMark } from './sealed-segment.js';
import { readVerified, segmentPath, VectorFile, verified } from './segment-files.js';

/** Where the segments of a lane lie, and how to read them. */
export interface LaneFiles {
  readonly directory: string;
  readonly spec: LaneSpec;
  readonly codec: Codec;
}

/** A segment that a former run left: everything is compared with its mark. @throws DamagedIndex */
export async function openSegment(
  files: LaneFiles,
  mark: SegmentMark,
  store: CodeStore,
  deadWords: Uint32Array | undefined,
): Promise<SealedSegment> {
  const { directory, spec, codec } = files;
  const file = await readVerified(segmentPath(directory, mark.id, 'columns'), mark.columns);
  const columns = readColumns(file, spec.filterPaths.length);
  const size = columns.recordIds.length;
  const addresses = await loadCodes(segmentPath(directory, mark.id, 'codes'), mark, size, codec.codeBytes, store);
  const dead = deadWords === undefined ? new Bitmap(size) : new Bitmap(size, deadWords);
  const segment = await sealedSegment(files, mark, columns, addresses, dead);
  if (mark.graph === undefined) return segment;
  try {
    segment.graph = await openGraph(segmentPath(directory, mark.id, 'graph'), mark.graph, spec);
  } catch (error) {
    // Only a cache is lost: searches are exact until it is built again.
    if (!(error instanceof DamagedIndex)) throw error;
    delete segment.mark.graph;
  }
  return segment;
}

/** A segment whose files were just written, or verified. */
export async function sealedSegment(
  { directory, spec }: LaneFiles,
  mark: SegmentMark,
  columns: Columns,
  addresses: Uint32Array,
  dead: Bitmap,
): Promise<SealedSegment> {
  const path = segmentPath(directory, mark.id, 'vectors');
  const vectors = keepsVectors(spec) ? await VectorFile.open(path, spec.dimensions, columns.checksums) : undefined;
  return new SealedSegment({ mark, columns, filterPaths: spec.filterPaths, addresses, vectors, dead });
}

/** Streams the codes of a file into slots; returns the address of each. */
async function loadCodes(
  path: string,
  mark: SegmentMark,
  size: number,
  codeBytes: number,
  store: CodeStore,
): Promise<Uint32Array> {
  if (mark.codes.length !== size * codeBytes) throw new DamagedIndex(`${path} does not have the length of its rows`);
  const addresses = new Uint32Array(size);
  const code = new Uint8Array(codeBytes);
  let row = 0;
  let filled = 0;
  await verified(path, mark.codes, (chunk) => {
    for (let at = 0; at < chunk.length; ) {
      const part = chunk.subarray(at, at + codeBytes - filled);
      code.set(part, filled);
      filled += part.length;
      at += part.length;
      if (filled < codeBytes) break;
      addresses[row++] = store.put(code);
      filled = 0;
    }
  });
  return addresses;
}
