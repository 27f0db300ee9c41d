import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PANEL } from './matrix-kernel.js';
import { modelDirectory } from './vocabulary.js';

/**
 * Where everything lies in the shared memory, in float32 numbers: first the weights, then one scratch area for each thread.
 */

/** The network ends a longer text here (`ClipToMaxLength` in its graph). */
export const MAX_TOKENS = 128;
export const DIMENSIONS = 512;
const EMBEDDING_WIDTH = 256;
export const FEED_FORWARD_WIDTH = 1_536;

export interface LayerShape {
  readonly input: number;
  /** Width of one head; there are four. */
  readonly head: number;
}
export const HEADS = 4;
export const LAYERS: readonly LayerShape[] = [
  { input: EMBEDDING_WIDTH, head: 64 },
  { input: DIMENSIONS, head: 128 },
];

/** A tensor of the model file; matrices are stored in panels (see matrix-kernel.ts). */
interface Tensor {
  readonly name: string;
  readonly rows: number;
  readonly columns: number;
  readonly isPacked: boolean;
}

const ENCODE = 'Encoder_en/KonaTransformer/Encode';
const vector = (name: string, columns: number): Tensor => ({
  name: `module_apply_default/${name}`,
  rows: 1,
  columns,
  isPacked: false,
});
const bias = (name: string, columns: number): Tensor => vector(`${ENCODE}/${name}/ConcatPartitions/concat`, columns);
const matrix = (name: string, rows: number, columns: number): Tensor => ({ name, rows, columns, isPacked: true });

function layerTensors({ input, head }: LayerShape, index: number) {
  const layer = `Layer_${index}/TransformerLayer`;
  const stack = `module_apply_default/${ENCODE}/TransformerStack/${layer}`;
  const width = HEADS * head;
  return {
    normScale: bias(`${layer}/layer_prepostprocess/layer_norm/layer_norm_scale`, input),
    normBias: bias(`${layer}/layer_prepostprocess/layer_norm/layer_norm_bias`, input),
    attend: matrix(`module/${ENCODE}/${layer}/MultiheadAttention/qkv_transform_single/kernel/part_0`, input, 3 * width),
    attendBias: bias(`${layer}/MultiheadAttention/qkv_transform_single/bias`, 3 * width),
    combine: matrix(
      `module/${ENCODE}/${layer}/MultiheadAttention/output_transform_single/kernel/part_0`,
      width,
      DIMENSIONS,
    ),
    combineBias: bias(`${layer}/MultiheadAttention/output_transform_single/bias`, DIMENSIONS),
    forwardScale: bias(`${layer}/FFN/layer_prepostprocess/layer_norm/layer_norm_scale`, DIMENSIONS),
    forwardBias: bias(`${layer}/FFN/layer_prepostprocess/layer_norm/layer_norm_bias`, DIMENSIONS),
    widen: matrix(`${stack}/FFN/conv1/Tensordot/Reshape_1`, DIMENSIONS, FEED_FORWARD_WIDTH),
    widenBias: bias(`${layer}/FFN/conv1/bias`, FEED_FORWARD_WIDTH),
    narrow: matrix(`${stack}/FFN/conv2/Tensordot/Reshape_1`, FEED_FORWARD_WIDTH, DIMENSIONS),
    narrowBias: bias(`${layer}/FFN/conv2/bias`, DIMENSIONS),
  };
}

const TENSORS = {
  embeddings: { name: 'module/Embeddings_en', rows: 8_002, columns: EMBEDDING_WIDTH, isPacked: false },
  frequencies: vector(
    `${ENCODE}/TransformerStack/Layer_0/AddTimingSignal/TimingSignal/ExpandDims_1`,
    EMBEDDING_WIDTH / 2,
  ),
  residual: matrix(
    `module_apply_default/${ENCODE}/Layer_0/TransformerLayer/dense/kernel/ConcatPartitions/concat`,
    EMBEDDING_WIDTH,
    DIMENSIONS,
  ),
  residualBias: bias('Layer_0/TransformerLayer/dense/bias', DIMENSIONS),
  hidden: matrix('module/Encoder_en/hidden_layers/tanh_layer_0/weights', DIMENSIONS, DIMENSIONS),
  hiddenBias: {
    name: 'module/Encoder_en/hidden_layers/tanh_layer_0/bias',
    rows: 1,
    columns: DIMENSIONS,
    isPacked: false,
  },
};

type Offsets<T> = { readonly [Key in keyof T]: number };
export interface WeightLayout extends Offsets<typeof TENSORS> {
  readonly layers: readonly Offsets<ReturnType<typeof layerTensors>>[];
  /** Zeros, for products without a bias. */
  readonly zeros: number;
  readonly end: number;
}

const placed: { readonly tensor: Tensor; readonly at: number }[] = [];
export const WEIGHTS: WeightLayout = layOut();

function layOut(): WeightLayout {
  let end = 0;
  const placeAll = <T extends Record<string, Tensor>>(tensors: T): Offsets<T> =>
    Object.fromEntries(
      Object.entries(tensors).map(([key, tensor]) => {
        placed.push({ tensor, at: end });
        end += tensor.rows * tensor.columns;
        return [key, placed.at(-1)!.at];
      }),
    ) as Offsets<T>;
  const offsets = placeAll(TENSORS);
  const layers = LAYERS.map((shape, index) => placeAll(layerTensors(shape, index)));
  const zeros = end;
  return { ...offsets, layers, zeros, end: zeros + FEED_FORWARD_WIDTH };
}

/** One thread's intermediate results. */
export const SCRATCH = scratchLayout();

function scratchLayout() {
  const sizes = {
    input: MAX_TOKENS * DIMENSIONS,
    stream: MAX_TOKENS * DIMENSIONS,
    normed: MAX_TOKENS * DIMENSIONS,
    // queries, keys and values, then the widened rows
    wide: MAX_TOKENS * FEED_FORWARD_WIDTH,
    attended: MAX_TOKENS * DIMENSIONS,
    packed: MAX_TOKENS * MAX_TOKENS,
    weights: MAX_TOKENS * MAX_TOKENS,
    pooled: DIMENSIONS,
  };
  let end = 0;
  const offsets = Object.fromEntries(
    Object.entries(sizes).map(([key, size]) => {
      const at = end;
      end += size;
      return [key, at];
    }),
  ) as Offsets<typeof sizes>;
  return { ...offsets, end };
}

interface ManifestEntry {
  readonly name: string;
  readonly shape: readonly number[];
  readonly dtype: string;
}

/**
 * Reads the model package's files (27 MB) into `memory`.
 *
 * @throws Error when a tensor is missing or has another shape than the network here was written for.
 */
export function loadWeights(memory: Float32Array): void {
  const directory = modelDirectory();
  const { weightsManifest } = JSON.parse(readFileSync(path.join(directory, 'model.json'), 'utf8')) as {
    weightsManifest: readonly { paths: readonly string[]; weights: readonly ManifestEntry[] }[];
  };
  const targets = new Map(placed.map((place) => [place.tensor.name, place]));
  for (const { paths, weights } of weightsManifest) {
    const file = Buffer.concat(paths.map((part) => readFileSync(path.join(directory, part))));
    let at = 0;
    for (const { name, shape, dtype } of weights) {
      const size = shape.reduce((product, length) => product * length, 1);
      const target = targets.get(name);
      if (target) {
        const { rows, columns } = target.tensor;
        if (size !== rows * columns || dtype !== 'float32') {
          throw new Error(`Expected ${rows} × ${columns} float32 for ${name}, got ${shape.join(' × ')} ${dtype}`);
        }
        copyTensor(file, at, memory, target);
        targets.delete(name);
      }
      at += size * 4;
    }
  }
  if (targets.size > 0) throw new Error(`Expected all tensors of the model, missing ${[...targets.keys()].join(', ')}`);
}

function copyTensor(file: Buffer, from: number, memory: Float32Array, { tensor, at }: (typeof placed)[number]): void {
  const { rows, columns, isPacked } = tensor;
  // a copy is aligned, a slice of the file need not be
  const values = new Float32Array(
    file.buffer.slice(file.byteOffset + from, file.byteOffset + from + rows * columns * 4),
  );
  if (!isPacked) memory.set(values, at);
  else packPanels(values, 0, columns, 1, memory, at, rows, columns);
}

/**
 * Writes the matrix `source[from + row · rowStep + column · columnStep]` in panels of eight columns and `depth` rows, zeros
 * where a panel is larger than the matrix.
 */
export function packPanels(
  source: Float32Array,
  from: number,
  rowStep: number,
  columnStep: number,
  target: Float32Array,
  at: number,
  rows: number,
  columns: number,
  depth = rows,
): void {
  let write = at;
  for (let first = 0; first < columns; first += PANEL) {
    for (let row = 0; row < rows; row++) {
      const read = from + row * rowStep;
      for (let column = first; column < first + PANEL; column++) {
        target[write++] = column < columns ? source[read + column * columnStep]! : 0;
      }
    }
    target.fill(0, write, write + (depth - rows) * PANEL);
    write += (depth - rows) * PANEL;
  }
}
