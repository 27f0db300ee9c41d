/** A word of a text as an analyzer sees it. Offsets are UTF-16 code units into the analysed string. */
export interface Token {
  readonly term: string;
  /** Counts words from 0; a removed stop word leaves a gap, so that phrases do not close over it. */
  readonly position: number;
  readonly start: number;
  readonly end: number;
}

/** Receives tokens in order. A callback instead of an array: indexing 100 000 texts makes millions of tokens. */
export type Emit = (term: string, position: number, start: number, end: number) => void;

export type Analyze = (text: string, emit: Emit) => void;

/** Lucene's longest token; longer runs are cut there. Source: Lucene StandardAnalyzer.DEFAULT_MAX_TOKEN_LENGTH. */
export const MAX_TOKEN_LENGTH = 255;
