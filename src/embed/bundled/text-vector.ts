import type { Encoder } from './encoder.js';
import { DIMENSIONS, MAX_TOKENS } from './weights.js';

/**
 * The vector of a text of any length. The network reads 128 tokens and ignores the rest, so a longer text is embedded as
 * windows of equal size whose vectors are averaged.
 */
export function embedTokens(encoder: Encoder, tokens: Int32Array): Float32Array {
  if (tokens.length <= MAX_TOKENS) return encoder.embed(tokens);
  const windows = Math.ceil(tokens.length / MAX_TOKENS);
  const sum = new Float32Array(DIMENSIONS);
  for (let window = 0; window < windows; window++) {
    const start = Math.round((window * tokens.length) / windows);
    const end = Math.round(((window + 1) * tokens.length) / windows);
    const vector = encoder.embed(tokens.subarray(start, end));
    for (let axis = 0; axis < DIMENSIONS; axis++) sum[axis]! += vector[axis]! * (end - start);
  }
  const length = Math.hypot(...sum);
  return sum.map((value) => value / length);
}
