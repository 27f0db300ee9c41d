/**
 * A `$search` operator after parsing: which rows match, and what they score. Field keys are the segment's
 * (index/segment.ts). Operators over several paths become `any` of one node per path, whose scores add.
 */
export type Node =
  | WordsNode
  | PhraseNode
  | PatternNode
  | { readonly kind: 'exact'; readonly key: string; readonly values: readonly string[] }
  | ExactRangeNode
  | NumericRangeNode
  | { readonly kind: 'near'; readonly key: string; readonly origin: number; readonly pivot: number }
  | { readonly kind: 'exists'; readonly path: string }
  | { readonly kind: 'any'; readonly children: readonly Node[] }
  | CompoundNode
  | { readonly kind: 'boost'; readonly child: Node; readonly factor: number }
  | { readonly kind: 'constant'; readonly child: Node; readonly value: number }
  | { readonly kind: 'all' }
  | { readonly kind: 'none' };

/** Terms of one field that a pattern fits; all of them begin with `prefix`. */
export interface PatternNode {
  readonly kind: 'pattern';
  readonly key: string;
  readonly prefix: string;
  readonly pattern: RegExp;
}

/** Words of one field. Each query word is looked up by itself; with `all` every one must be there. */
export interface WordsNode {
  readonly kind: 'words';
  readonly key: string;
  readonly words: readonly string[];
  readonly require: 'any' | 'all';
  readonly fuzzy: Fuzzy | null;
}

export interface Fuzzy {
  readonly maxEdits: 1 | 2;
  /** Leading characters that must agree. */
  readonly prefixLength: number;
  /** At most this many index terms stand in for one query word. */
  readonly maxExpansions: number;
}

export interface PhraseNode {
  readonly kind: 'phrase';
  readonly key: string;
  /** Positions relative to each other: a removed stop word leaves a gap. */
  readonly words: readonly { readonly term: string; readonly position: number }[];
  readonly slop: number;
}

export interface ExactRangeNode {
  readonly kind: 'exactRange';
  readonly key: string;
  /** Keys as in exact-key.ts; null: unbounded within strings. */
  readonly lower: { readonly value: string; readonly inclusive: boolean } | null;
  readonly upper: { readonly value: string; readonly inclusive: boolean } | null;
}

export interface NumericRangeNode {
  readonly kind: 'range';
  readonly key: string;
  readonly lower: number;
  readonly lowerInclusive: boolean;
  readonly upper: number;
  readonly upperInclusive: boolean;
}

export interface CompoundNode {
  readonly kind: 'compound';
  readonly must: readonly Node[];
  readonly mustNot: readonly Node[];
  readonly should: readonly Node[];
  readonly filter: readonly Node[];
  readonly minimumShouldMatch: number;
}
