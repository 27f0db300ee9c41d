import { Refusal } from '../errors.js';
import type { Embedder } from './embedder.js';
import { isBlank } from './text-class.js';
import { windowEnd } from './window-end.js';

/** A longer text is refused: its average would say nothing. */
export const WINDOW_LIMIT = 16;
/** No vocabulary in use makes more tokens of a UTF-16 code unit (a byte-level one makes three). */
const TOKENS_PER_UNIT = 3;

/**
 * Embeds texts that are longer than the model's input as windows whose vectors are averaged by token count. A query is
 * cut off after the sixteenth window.
 *
 * @throws Refusal TOO_LARGE for a document's text of more than sixteen windows.
 */
export function windowedEmbedder(inner: Embedder): Embedder {
  const { maxInputTokens } = inner.space;
  return {
    ...inner,
    countTokens: (text) => inner.countTokens(text),
    async embed(texts, options) {
      const parts: string[] = [];
      const owners: number[] = [];
      const weights: number[] = [];
      const remaining = texts.map((text, index) => {
        const windows =
          text.length * TOKENS_PER_UNIT <= maxInputTokens || inner.countTokens(text) <= maxInputTokens
            ? [text]
            : windowsOf(text, inner, options.kind === 'query');
        for (const window of windows) {
          parts.push(window);
          owners.push(index);
          weights.push(windows.length === 1 ? 1 : inner.countTokens(window));
        }
        return windows.length;
      });
      if (parts.length === texts.length) return inner.embed(texts, options);

      const sums = texts.map(() => new Float32Array(inner.space.dimensions));
      const seen = new Set<number>();
      const take = (part: number, vector: Float32Array) => {
        if (seen.has(part)) return;
        seen.add(part);
        const owner = owners[part]!;
        const sum = sums[owner]!;
        for (let axis = 0; axis < sum.length; axis++) sum[axis]! += vector[axis]! * weights[part]!;
        remaining[owner]!--;
        if (remaining[owner] !== 0) return;
        if (parts[part] === texts[owner]) sum.set(vector);
        else scaleToUnit(sum);
        options.onVector?.(owner, sum);
      };
      const vectors = await inner.embed(parts, { ...options, onVector: take });
      for (const [part, vector] of vectors.entries()) take(part, vector);
      return sums;
    },
  };
}

function windowsOf(text: string, { space, countTokens }: Embedder, cutsOff: boolean): string[] {
  const windows: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = windowEnd(text, start, space.maxInputTokens, countTokens);
    if (!isBlank(text, start, end)) {
      if (windows.length === WINDOW_LIMIT) {
        if (cutsOff) break;
        throw new Refusal(
          'TOO_LARGE',
          `Expected at most ${WINDOW_LIMIT * space.maxInputTokens} tokens in one chunk (${WINDOW_LIMIT} windows of ${space.model}), got more: choose a chunking that cuts the text`,
          ['input', 'chunking'],
        );
      }
      windows.push(text.slice(start, end));
    }
    start = end;
  }
  return windows;
}

/** The mean of unit vectors is shorter than 1; a mean of nothing in any direction stays zero and fails the contract. */
function scaleToUnit(vector: Float32Array): void {
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (squares > 0) for (let axis = 0; axis < vector.length; axis++) vector[axis]! /= Math.sqrt(squares);
}
