import { forEachSentenceStart } from '../sentence-ends.js';
import type { Encoder } from './encoder.js';
import { bundledTokens } from './tokenizer.js';
import { DIMENSIONS, MAX_TOKENS } from './weights.js';

/**
 * The network was trained on sentences and reads 128 tokens, so a text is embedded as groups of whole sentences up to
 * this many tokens, whose vectors are averaged. nDCG@10 on parts of scifact / xquad-en / cranfield (150, 149 and 113
 * queries): first 128 tokens only 0.488 / 0.821 / 0.279, even windows of 128 0.541 / 0.847 / 0.267, single sentences 0.549
 * / 0.852 / 0.270, groups of 64 weighted by tokens 0.556 / 0.853 / 0.270, by their square root 0.565 / 0.852 / 0.270.
 */
const GROUP_TOKENS = 64;

/** The unit vector of a text of any length with at least one token. */
export function textVector(encoder: Encoder, text: string): Float32Array {
  const groups = sentenceGroups(text);
  if (groups.length === 1) return encoder.embed(groups[0]!);
  const sum = new Float32Array(DIMENSIONS);
  for (const tokens of groups) {
    const vector = encoder.embed(tokens);
    const weight = Math.sqrt(tokens.length);
    for (let axis = 0; axis < DIMENSIONS; axis++) sum[axis]! += vector[axis]! * weight;
  }
  const length = Math.hypot(...sum);
  return sum.map((value) => value / length);
}

/** Token ids of consecutive sentences, as many together as fit; a sentence too long for the network in equal parts. */
export function sentenceGroups(text: string): Int32Array[] {
  const starts = [0];
  forEachSentenceStart(text, 0, text.length, (at) => starts.push(at));
  const groups: Int32Array[] = [];
  let group: Int32Array[] = [];
  let size = 0;
  const close = () => {
    if (size > 0) groups.push(Int32Array.from(group.flatMap((tokens) => [...tokens])));
    group = [];
    size = 0;
  };
  for (const [index, start] of starts.entries()) {
    const tokens = bundledTokens(text.slice(start, starts[index + 1]));
    if (size + tokens.length > GROUP_TOKENS) close();
    if (tokens.length > MAX_TOKENS) groups.push(...equalParts(tokens));
    else {
      group.push(tokens);
      size += tokens.length;
    }
  }
  close();
  return groups;
}

function equalParts(tokens: Int32Array): Int32Array[] {
  const parts = Math.ceil(tokens.length / MAX_TOKENS);
  return Array.from({ length: parts }, (_, part) =>
    tokens.subarray(Math.round((part * tokens.length) / parts), Math.round(((part + 1) * tokens.length) / parts)),
  );
}
