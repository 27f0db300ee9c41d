import { createRequire } from 'node:module';
import { MODEL_PACKAGE } from './vocabulary.js';

/** The loaded network: token ids of one text to its unit vector. */
export interface Model {
  embed(tokens: Int32Array): Promise<Float32Array>;
}

/** The part of TensorFlow.js that is used; the packages are CommonJS without a type for it. */
interface Tensor {
  data(): Promise<Float32Array>;
  dispose(): void;
}
interface TensorFlow {
  ready(): Promise<void>;
  tensor1d(values: Int32Array, type: 'int32'): Tensor;
  tensor2d(values: Int32Array, shape: [number, number], type: 'int32'): Tensor;
}
interface GraphModel {
  executeAsync(inputs: Record<string, Tensor>): Promise<Tensor>;
}

/** Loads TensorFlow.js's WebAssembly backend and the weights (half a second, 27 MB); nothing leaves the machine. */
export async function loadModel(): Promise<Model> {
  const require = createRequire(import.meta.url);
  const tensorFlow = require('@energetic-ai/core') as TensorFlow;
  const { modelSource } = require(MODEL_PACKAGE) as { modelSource(): Promise<{ model: GraphModel }> };
  const [, { model }] = await Promise.all([tensorFlow.ready(), modelSource()]);
  return {
    async embed(tokens) {
      const places = Int32Array.from({ length: tokens.length * 2 }, (_, at) => (at % 2 === 0 ? 0 : at >> 1));
      const indices = tensorFlow.tensor2d(places, [tokens.length, 2], 'int32');
      const values = tensorFlow.tensor1d(tokens, 'int32');
      try {
        const output = await model.executeAsync({ indices, values });
        const vector = await output.data();
        output.dispose();
        return Float32Array.from(vector);
      } finally {
        indices.dispose();
        values.dispose();
      }
    },
  };
}
