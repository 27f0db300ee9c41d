import { closeSync, openSync, readSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { int8Direction } from './codec.js';
import { DamagedIndex } from './damaged-index.js';
import { newNativeIndex } from './graph.js';
import type { LaneSpec } from './lane.js';
import type { GraphMark, GraphShape } from './sealed-segment.js';
import { adoptFile, segmentPath, TEMPORARY } from './segment-files.js';
import { usearch } from './usearch.js';

/** Builds the graph of one sealed segment from its files, and saves it beside them. Runs in a worker. */
export interface GraphJob {
  readonly type: 'graph';
  readonly directory: string;
  readonly spec: LaneSpec;
  readonly segmentId: string;
  readonly rows: number;
  readonly shape: GraphShape;
}

/** Rows added in one call. */
const ADD_ROWS = 1_024;

export async function buildGraph(job: GraphJob): Promise<GraphMark> {
  const { directory, spec, segmentId, rows, shape } = job;
  const library = usearch();
  if (library === undefined) throw new Error('usearch is not installed');
  const index = newNativeIndex(library, spec, shape);
  // One processor stays free for the server.
  const threads = Math.max(1, availableParallelism() - 1);
  const isFloat = spec.kind === 'float32';
  const file = openSync(segmentPath(directory, segmentId, isFloat ? 'vectors' : 'codes'), 'r');
  try {
    for (let from = 0; from < rows; from += ADD_ROWS) {
      const count = Math.min(ADD_ROWS, rows - from);
      const keys = BigUint64Array.from({ length: count }, (_, i) => BigInt(from + i));
      const vectors = isFloat ? new Float32Array(count * spec.dimensions) : new Int8Array(count * spec.dimensions);
      const position = from * spec.dimensions * vectors.BYTES_PER_ELEMENT;
      const got = readSync(file, new Uint8Array(vectors.buffer), 0, vectors.byteLength, position);
      if (got !== vectors.byteLength) throw new DamagedIndex(`segment ${segmentId} is shorter than its rows`);
      const isQuantized = isFloat && shape.scalar === 'i8';
      index.add(keys, isQuantized ? directions(vectors as Float32Array, spec.dimensions) : vectors, threads);
    }
  } finally {
    closeSync(file);
  }
  const path = segmentPath(directory, segmentId, 'graph');
  index.save(path + TEMPORARY);
  return { ...(await adoptFile(path)), shape };
}

function directions(vectors: Float32Array, dimensions: number): Int8Array {
  const codes = new Int8Array(vectors.length);
  for (let at = 0; at < vectors.length; at += dimensions) {
    codes.set(int8Direction(vectors.subarray(at, at + dimensions)), at);
  }
  return codes;
}
