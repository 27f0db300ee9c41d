import type { SearchMode } from '../retrieve.js';
import type { Weights } from '../weights.js';

/** One way to search that is measured. Written `TEXT`, `HYBRID`, `HYBRID@0.2:1` (vector : text), `HYBRID+rerank`. */
export interface Configuration {
  readonly name: string;
  readonly mode: SearchMode;
  readonly weights: Weights | null;
  readonly rerank: boolean;
}

const SYNTAX = /^(VECTOR|TEXT|HYBRID)(?:@(\d+(?:\.\d+)?):(\d+(?:\.\d+)?))?(\+rerank)?$/i;

/** Throws `Error` for anything that is not written so. */
export function parseConfiguration(text: string): Configuration {
  const match = SYNTAX.exec(text);
  if (match === null)
    throw new Error(`Expected VECTOR, TEXT, HYBRID, HYBRID@0.2:1 or one of them with +rerank, got ${text}`);
  const [, mode, vector, textWeight, rerank] = match;
  return {
    name: text,
    mode: mode!.toUpperCase() as SearchMode,
    weights: vector === undefined ? null : { vector: Number(vector), text: Number(textWeight) },
    rerank: rerank !== undefined,
  };
}
