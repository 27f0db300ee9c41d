import { createMatrixKernel, type MatrixKernel, PANEL, UNROLLED } from './matrix-kernel.js';
import {
  DIMENSIONS,
  FEED_FORWARD_WIDTH,
  HEADS,
  LAYERS,
  type LayerShape,
  MAX_TOKENS,
  packPanels,
  SCRATCH,
  WEIGHTS,
} from './weights.js';

/** Added to a variance before its root is taken. */
const EPSILON = 1e-6;

/**
 * The forward pass of Universal Sentence Encoder Lite for one text: two transformer layers (Vaswani et al., "Attention Is
 * All You Need", 2017; layer norm before each step), the mean over tokens, one dense layer with tanh, scaled to length 1.
 * Written after the operations in the package's model.json; its test compares it with TensorFlow.js running that file.
 */
export class Encoder {
  readonly #floats: Float32Array;
  readonly #kernel: MatrixKernel;
  /** Start of this thread's scratch area. */
  readonly #scratch: number;

  /** `slot` is this thread's own among those that share `memory`. */
  constructor(memory: WebAssembly.Memory, slot: number) {
    this.#floats = new Float32Array(memory.buffer);
    this.#kernel = createMatrixKernel(memory);
    this.#scratch = WEIGHTS.end + slot * SCRATCH.end;
  }

  /** The unit vector of at least one token; tokens after the 128th are not read. */
  embed(tokens: Int32Array): Float32Array {
    const count = Math.min(tokens.length, MAX_TOKENS);
    const floats = this.#floats;
    const stream = this.#scratch + SCRATCH.stream;
    this.#readTokens(tokens, count);
    for (const [index, shape] of LAYERS.entries()) this.#layer(shape, index, count);

    const pooled = floats.subarray(this.#scratch + SCRATCH.pooled, this.#scratch + SCRATCH.pooled + DIMENSIONS).fill(0);
    for (let row = 0; row < count; row++) {
      for (let at = 0; at < DIMENSIONS; at++) pooled[at]! += floats[stream + row * DIMENSIONS + at]!;
    }
    for (let at = 0; at < DIMENSIONS; at++) pooled[at]! /= count;
    const output = this.#scratch + SCRATCH.normed;
    this.#product(
      this.#scratch + SCRATCH.pooled,
      DIMENSIONS,
      WEIGHTS.hidden,
      WEIGHTS.hiddenBias,
      output,
      DIMENSIONS,
      1,
      DIMENSIONS,
      DIMENSIONS,
    );
    const vector = Float32Array.from({ length: DIMENSIONS }, (_, at) => Math.tanh(floats[output + at]!));
    let squares = 0;
    for (const value of vector) squares += value * value;
    return vector.map((value) => value / Math.sqrt(squares));
  }

  /** Twice each token's embedding (the network adds it to itself) and its position's signal. */
  #readTokens(tokens: Int32Array, count: number): void {
    const floats = this.#floats;
    const { input } = LAYERS[0]!;
    const half = input / 2;
    for (let row = 0; row < count; row++) {
      const embedding = WEIGHTS.embeddings + tokens[row]! * input;
      const target = this.#scratch + SCRATCH.input + row * input;
      for (let at = 0; at < half; at++) {
        const angle = row * floats[WEIGHTS.frequencies + at]!;
        floats[target + at] = 2 * floats[embedding + at]! + Math.sin(angle);
        floats[target + half + at] = 2 * floats[embedding + half + at]! + Math.cos(angle);
      }
    }
  }

  #layer(shape: LayerShape, index: number, count: number): void {
    const weights = WEIGHTS.layers[index]!;
    const input = this.#scratch + (index === 0 ? SCRATCH.input : SCRATCH.stream);
    const stream = this.#scratch + SCRATCH.stream;
    const normed = this.#scratch + SCRATCH.normed;
    const wide = this.#scratch + SCRATCH.wide;
    const attended = this.#scratch + SCRATCH.attended;
    const width = HEADS * shape.head;

    this.#norm(input, shape.input, weights.normScale, weights.normBias, normed, count);
    this.#product(
      normed,
      shape.input,
      weights.attend,
      weights.attendBias,
      wide,
      3 * width,
      count,
      3 * width,
      shape.input,
    );
    for (let head = 0; head < HEADS; head++)
      this.#attend(wide + head * shape.head, width, shape.head, count, attended + head * shape.head);
    this.#product(attended, width, weights.combine, weights.combineBias, normed, DIMENSIONS, count, DIMENSIONS, width);
    // the first layer widens what it adds its result to
    if (index === 0)
      this.#product(
        input,
        shape.input,
        WEIGHTS.residual,
        WEIGHTS.residualBias,
        stream,
        DIMENSIONS,
        count,
        DIMENSIONS,
        shape.input,
      );
    this.#add(stream, normed, count * DIMENSIONS);

    this.#norm(stream, DIMENSIONS, weights.forwardScale, weights.forwardBias, normed, count);
    this.#product(
      normed,
      DIMENSIONS,
      weights.widen,
      weights.widenBias,
      wide,
      FEED_FORWARD_WIDTH,
      count,
      FEED_FORWARD_WIDTH,
      DIMENSIONS,
      1,
    );
    this.#product(
      wide,
      FEED_FORWARD_WIDTH,
      weights.narrow,
      weights.narrowBias,
      attended,
      DIMENSIONS,
      count,
      DIMENSIONS,
      FEED_FORWARD_WIDTH,
    );
    this.#add(stream, attended, count * DIMENSIONS);
  }

  /** One head: queries at `at`, keys a `width` further, values another; rows of three widths. */
  #attend(at: number, width: number, head: number, count: number, output: number): void {
    const floats = this.#floats;
    const packed = this.#scratch + SCRATCH.packed;
    const weights = this.#scratch + SCRATCH.weights;
    const row = 3 * width;
    const columns = roundedUp(count, PANEL);
    const depth = roundedUp(count, UNROLLED);
    // keys are the columns of the first product, values the rows of the second
    packPanels(floats, at + width, 1, row, floats, packed, head, count);
    this.#product(at, row, packed, WEIGHTS.zeros, weights, columns, count, columns, head);
    const scale = 1 / Math.sqrt(head);
    for (let query = 0; query < count; query++) softmax(floats, weights + query * columns, count, depth, scale);
    packPanels(floats, at + 2 * width, row, 1, floats, packed, count, head, depth);
    this.#product(weights, columns, packed, WEIGHTS.zeros, output, width, count, head, depth);
  }

  #norm(from: number, width: number, scale: number, bias: number, to: number, count: number): void {
    const floats = this.#floats;
    for (let row = 0; row < count; row++) {
      const source = from + row * width;
      const target = to + row * width;
      let sum = 0;
      for (let at = 0; at < width; at++) sum += floats[source + at]!;
      const mean = sum / width;
      let squares = 0;
      for (let at = 0; at < width; at++) squares += (floats[source + at]! - mean) ** 2;
      const factor = 1 / Math.sqrt(squares / width + EPSILON);
      for (let at = 0; at < width; at++) {
        floats[target + at] = (floats[source + at]! - mean) * factor * floats[scale + at]! + floats[bias + at]!;
      }
    }
  }

  #add(target: number, source: number, size: number): void {
    const floats = this.#floats;
    for (let at = 0; at < size; at++) floats[target + at]! += floats[source + at]!;
  }

  /** Places in numbers; the kernel takes bytes. */
  #product(
    a: number,
    lda: number,
    b: number,
    bias: number,
    c: number,
    ldc: number,
    m: number,
    n: number,
    k: number,
    relu: 0 | 1 = 0,
  ): void {
    this.#kernel.product(a * 4, lda, b * 4, bias * 4, c * 4, ldc, m, n, k, relu);
  }
}

function softmax(floats: Float32Array, at: number, count: number, depth: number, scale: number): void {
  let largest = Number.NEGATIVE_INFINITY;
  for (let key = at; key < at + count; key++) largest = Math.max(largest, floats[key]!);
  let sum = 0;
  for (let key = at; key < at + count; key++) {
    const weight = Math.exp((floats[key]! - largest) * scale);
    floats[key] = weight;
    sum += weight;
  }
  for (let key = at; key < at + count; key++) floats[key]! /= sum;
  floats.fill(0, at + count, at + depth);
}

function roundedUp(value: number, step: number): number {
  return Math.ceil(value / step) * step;
}
