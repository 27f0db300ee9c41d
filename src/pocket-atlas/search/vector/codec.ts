import type { Comparison } from './code-memory.js';
import type { Quantization, Similarity } from './definition.js';
import { STEP_BYTES } from './kernel.js';
import {
  cosineScore,
  cosineTo,
  dotProduct,
  dotProductScore,
  euclideanScore,
  hammingScore,
  int8DotProductScore,
  squaredDistance,
} from './similarity.js';
import type { VectorKind, VectorValue } from './vector-value.js';

/**
 * How the vectors of a lane become codes that the kernel can compare, and what the kernel's sums say about similarity:
 * an estimate and how far off it can be. Similarity is the cosine, the dot product, minus the squared distance or minus
 * the differing bits: more is nearer.
 *
 * | vectors  | quantization | code                 | error                                               |
 * |----------|--------------|----------------------|-----------------------------------------------------|
 * | float32  | none, scalar | int8, scale per row  | bounded by the lengths of what rounding cut off     |
 * | float32  | binary       | signs                | unknown                                             |
 * | int8     | none         | the vector           | 0                                                   |
 * | packed   | none         | the vector           | 0                                                   |
 */
export interface Codec {
  readonly comparison: Comparison;
  /** Bytes of a code in files; in memory it is padded. */
  readonly codeBytes: number;
  readonly slotBytes: number;
  /** Numbers kept per row beside the code. */
  readonly scalarsPerRow: number;
  /** exact: nothing to rescore; bounded: what lies outside the bound need not be; unbounded: the best are rescored. */
  readonly accuracy: 'exact' | 'bounded' | 'unbounded';
  encode(vector: VectorValue['data']): { code: Uint8Array; scalars: readonly number[] };
  prepare(query: VectorValue['data']): PreparedQuery;
  /** A query for a graph of int8 vectors. */
  graphQuery(query: VectorValue['data']): Int8Array;
  scoreOf(similarity: number): number;
}

export interface PreparedQuery {
  /** As the kernel wants it. */
  readonly bytes: Uint8Array;
  /**
   * Similarities of rows from the kernel's sums: `estimates[i]`, and `errors[i]` that the true one is at most away. Scalars of
   * row r stand at r · scalarsPerRow.
   */
  estimate(
    sums: Int32Array,
    rows: Uint32Array,
    scalars: Float64Array,
    estimates: Float64Array,
    errors: Float64Array,
  ): void;
  /** The true similarity of a vector that a file kept. */
  similarityOf(vector: ArrayLike<number>): number;
}

export function createCodec(
  kind: VectorKind,
  dimensions: number,
  similarity: Similarity,
  quantization: Quantization,
): Codec {
  if (kind === 'packedBit') return packedBitCodec(dimensions);
  if (kind === 'int8') return int8Codec(dimensions, similarity);
  return quantization === 'binary' ? signCodec(dimensions, similarity) : scalarCodec(dimensions, similarity);
}

function padded(bytes: number): number {
  return Math.ceil(bytes / STEP_BYTES) * STEP_BYTES;
}

function floatScore(similarity: Similarity): (value: number) => number {
  if (similarity === 'cosine') return cosineScore;
  return similarity === 'dotProduct' ? dotProductScore : (value) => euclideanScore(-value);
}

/** Relative slack for what floating point itself loses on the way to an estimate. */
const FLOAT_SLACK = 1e-6;
/** Where the scalars of a row have the length of its vector, when they have it. */
export const NORM_AT = 2;
const INT8_MAX = 127;
const INT16_MAX = 32_767;
const INT32_MAX = 2 ** 31 - 1;

/**
 * v = s·c + e with an int8 vector c; q = t·k + f with an int16 vector k. Then q·v = s·t·(c·k) + f·(s·c) + q·e, so that the
 * first term is at most |f|·(|v| + |e|) + |q|·|e| away (Cauchy-Schwarz). The same idea as the VA-file: R. Weber et al., "A
 * Quantitative Analysis and Performance Study for Similarity-Search Methods in High-Dimensional Spaces", VLDB 1998.
 */
function scalarCodec(dimensions: number, similarity: Similarity): Codec {
  const slotBytes = padded(dimensions);
  return {
    comparison: 'dots',
    codeBytes: dimensions,
    slotBytes,
    scalarsPerRow: similarity === 'cosine' ? 2 : 3,
    accuracy: 'bounded',
    scoreOf: floatScore(similarity),
    graphQuery: int8Direction,
    encode(vector) {
      const code = new Int8Array(dimensions);
      const { scale, residual } = quantize(vector, code, INT8_MAX);
      const norm = Math.sqrt(dotProduct(vector, vector));
      const scalars = similarity === 'cosine' ? [scale / norm, residual / norm] : [scale, residual, norm];
      return { code: new Uint8Array(code.buffer), scalars };
    },
    prepare(query) {
      const key = new Int16Array(slotBytes);
      // The kernel adds up in int32.
      const largest = Math.min(INT16_MAX, Math.floor(INT32_MAX / (INT8_MAX * dimensions)));
      const { scale, residual } = quantize(query, key, largest);
      const quantized = { scale, residual, norm: Math.sqrt(dotProduct(query, query)) };
      return {
        bytes: new Uint8Array(key.buffer),
        similarityOf: floatSimilarity(similarity, query),
        estimate: similarity === 'cosine' ? cosineEstimate(quantized) : lengthEstimate(quantized, similarity),
      };
    },
  };
}

interface QuantizedQuery {
  readonly scale: number;
  readonly residual: number;
  readonly norm: number;
}

/** Scalars of a row are s and |e| for its vector divided by its length, so nothing has to be divided here. */
function cosineEstimate(query: QuantizedQuery): PreparedQuery['estimate'] {
  const scale = query.scale / query.norm;
  const residual = query.residual / query.norm;
  return (sums, rows, scalars, estimates, errors) => {
    for (let i = 0; i < sums.length; i++) {
      const at = (rows[i] as number) * 2;
      const rowResidual = scalars[at + 1] as number;
      estimates[i] = (scalars[at] as number) * scale * (sums[i] as number);
      errors[i] = residual * (1 + rowResidual) + rowResidual + FLOAT_SLACK;
    }
  };
}

/** Scalars of a row are s, |e| and |v|. */
function lengthEstimate(query: QuantizedQuery, similarity: 'dotProduct' | 'euclidean'): PreparedQuery['estimate'] {
  return (sums, rows, scalars, estimates, errors) => {
    for (let i = 0; i < sums.length; i++) {
      const at = (rows[i] as number) * 3;
      const rowResidual = scalars[at + 1] as number;
      const norm = scalars[at + NORM_AT] as number;
      const dot = (scalars[at] as number) * query.scale * (sums[i] as number);
      const slack = FLOAT_SLACK * query.norm * norm;
      const error = query.residual * (norm + rowResidual) + query.norm * rowResidual + slack;
      const squares = query.norm * query.norm + norm * norm;
      estimates[i] = similarity === 'dotProduct' ? dot : 2 * dot - squares;
      errors[i] = similarity === 'dotProduct' ? error : 2 * error + FLOAT_SLACK * squares;
    }
  };
}

/** The int8 vector that points most nearly where a float vector does; what graphs are built of. */
export function int8Direction(vector: ArrayLike<number>): Int8Array {
  const code = new Int8Array(vector.length);
  quantize(vector, code, INT8_MAX);
  return code;
}

/** Writes vector / scale, rounded, into `into`; returns the scale and the length of what rounding cut off. */
function quantize(
  vector: ArrayLike<number>,
  into: Int8Array | Int16Array,
  largest: number,
): { scale: number; residual: number } {
  let max = 0;
  for (let i = 0; i < vector.length; i++) max = Math.max(max, Math.abs(vector[i] as number));
  const scale = max === 0 ? 1 : max / largest;
  let squares = 0;
  for (let i = 0; i < vector.length; i++) {
    const value = vector[i] as number;
    const rounded = Math.max(-largest, Math.min(largest, Math.round(value / scale)));
    into[i] = rounded;
    const rest = value - rounded * scale;
    squares += rest * rest;
  }
  return { scale, residual: Math.sqrt(squares) };
}

/** One bit per dimension, set where the vector is positive. It ranks, but says nothing about how near. */
function signCodec(dimensions: number, similarity: Similarity): Codec {
  const codeBytes = Math.ceil(dimensions / 8);
  const signs = (vector: ArrayLike<number>, bytes: number) => {
    const code = new Uint8Array(bytes);
    for (let i = 0; i < vector.length; i++) {
      if ((vector[i] as number) > 0) code[i >> 3] = (code[i >> 3] as number) | (0x80 >> (i & 7));
    }
    return code;
  };
  return {
    comparison: 'hammings',
    codeBytes,
    slotBytes: padded(codeBytes),
    scalarsPerRow: 0,
    accuracy: 'unbounded',
    scoreOf: floatScore(similarity),
    graphQuery: int8Direction,
    encode: (vector) => ({ code: signs(vector, codeBytes), scalars: [] }),
    prepare: (query) => ({
      bytes: signs(query, padded(codeBytes)),
      estimate: minusDifferingBits,
      similarityOf: floatSimilarity(similarity, query),
    }),
  };
}

function floatSimilarity(similarity: Similarity, query: ArrayLike<number>): PreparedQuery['similarityOf'] {
  if (similarity === 'cosine') return cosineTo(query);
  return similarity === 'dotProduct'
    ? (vector) => dotProduct(query, vector)
    : (vector) => -squaredDistance(query, vector);
}

function needsNoVector(): number {
  throw new Error('Codes of this kind are the vectors: nothing is rescored');
}

function packedBitCodec(dimensions: number): Codec {
  const codeBytes = dimensions / 8;
  return {
    comparison: 'hammings',
    codeBytes,
    slotBytes: padded(codeBytes),
    scalarsPerRow: 0,
    accuracy: 'exact',
    scoreOf: (similarity) => hammingScore(-similarity, dimensions),
    graphQuery: () => {
      throw new Error('Bits are always scanned: they have no graph');
    },
    encode: (vector) => ({ code: vector as Uint8Array, scalars: [] }),
    prepare(query) {
      const bytes = new Uint8Array(padded(codeBytes));
      bytes.set(query as Uint8Array);
      return { bytes, estimate: minusDifferingBits, similarityOf: needsNoVector };
    },
  };
}

function minusDifferingBits(sums: Int32Array, _rows: unknown, _scalars: unknown, estimates: Float64Array): void {
  for (let i = 0; i < sums.length; i++) estimates[i] = -(sums[i] as number);
}

function int8Codec(dimensions: number, similarity: Similarity): Codec {
  const slotBytes = padded(dimensions);
  const scores: Readonly<Record<Similarity, (value: number) => number>> = {
    cosine: cosineScore,
    dotProduct: (dot) => int8DotProductScore(dot, dimensions),
    euclidean: (value) => euclideanScore(-value),
  };
  return {
    comparison: 'dots',
    codeBytes: dimensions,
    slotBytes,
    scalarsPerRow: 1,
    accuracy: 'exact',
    scoreOf: scores[similarity],
    graphQuery: (query) => query as Int8Array,
    encode: (vector) => ({
      code: new Uint8Array(vector.buffer, vector.byteOffset, vector.length),
      scalars: [dotProduct(vector, vector)],
    }),
    prepare(query) {
      const key = new Int16Array(slotBytes);
      key.set(query);
      const querySquares = dotProduct(query, query);
      return {
        bytes: new Uint8Array(key.buffer),
        similarityOf: needsNoVector,
        estimate(sums, rows, scalars, estimates) {
          for (let i = 0; i < sums.length; i++) {
            const dot = sums[i] as number;
            const squares = scalars[rows[i] as number] as number;
            if (similarity === 'cosine') estimates[i] = dot / Math.sqrt(squares * querySquares);
            else estimates[i] = similarity === 'dotProduct' ? dot : 2 * dot - squares - querySquares;
          }
        },
      };
    },
  };
}
