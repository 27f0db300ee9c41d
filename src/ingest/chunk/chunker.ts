import type { Chunking } from '../../store/records.js';

/**
 * A piece of a text: `text.slice(start, end)`, offsets in UTF-16 code units. Starts strictly increase; a piece is never
 * blank, never cut inside a grapheme; all pieces together, minus overlap, cover the text except white space at edges.
 */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface ChunkSpan extends Span {
  /** Headings above the passage, outermost first. */
  readonly headings: readonly string[];
  /** PARENT_CHILD: the larger passage around it, else null. */
  readonly parent: Span | null;
  /** Words for the embedder only, never stored as text (the header row of a cut table); '' for none. */
  readonly context: string;
  /** Tokens of the piece alone, without prefix and context. */
  readonly tokenCount: number;
}

export interface ChunkContext {
  readonly mediaType: string;
  readonly chunking: Chunking;
  /** Tokens of a string as the space's model counts them. */
  readonly countTokens: (text: string) => number;
  /** The space's limit. What the embedder is given (`embeddedText`) counts at most min(`chunking.maxTokens`, this). */
  readonly maxInputTokens: number;
  /** The prefix given to the embedder before a chunk under these headings ('' when not contextual): its tokens count. */
  readonly prefix: (headings: readonly string[]) => string;
  /** SEMANTIC: embeds sentences. */
  readonly embed?: (texts: readonly string[]) => Promise<Float32Array[]>;
}

/** Cuts a canonical text. Pure, except that SEMANTIC awaits `context.embed`. Dispatches on `chunking.strategy`. */
export type Chunk = (text: string, context: ChunkContext) => Promise<readonly ChunkSpan[]>;
