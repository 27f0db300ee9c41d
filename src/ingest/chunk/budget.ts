import type { TokenCounter } from '../../embed/token-counter.js';
import { Refusal } from '../../errors.js';
import type { ChunkContext, ChunkSpan, Span } from './chunker.js';
import { embeddedText } from './embedded-text.js';

export const DEFAULT_MAX_TOKENS = 400;
/** The prefix may take this much of a chunk; more would leave no room for the text. */
const PREFIX_SHARE = 0.75;

/** What a chunk may count, and whether a span does; one for a text. */
export interface Budget {
  readonly text: string;
  readonly count: TokenCounter;
  /** Tokens of the embedded string, prefix included. */
  readonly limit: number;
  /** Tokens shared with the chunk before, as asked for. */
  readonly overlap: number;
  readonly prefix: (headings: readonly string[]) => string;
  /** Tokens left for the text under these headings. */
  room(headings: readonly string[]): number;
  /** The chunk, when what the embedder would be given fits; else null. */
  fit(span: Span, headings: readonly string[], context?: string): ChunkSpan | null;
}

export function budgetOf(text: string, context: ChunkContext): Budget {
  const { countTokens: count, chunking, prefix } = context;
  const limit = Math.min(chunking.maxTokens ?? DEFAULT_MAX_TOKENS, context.maxInputTokens);
  return {
    text,
    count,
    limit,
    overlap: chunking.overlap,
    prefix,
    room(headings) {
      const words = prefix(headings);
      const used = words === '' ? 0 : count(words);
      if (used > limit * PREFIX_SHARE) {
        throw new Refusal(
          'INVALID',
          `Expected a title and headings of at most ${Math.floor(limit * PREFIX_SHARE)} tokens before a contextual chunk of ${limit}, got ${used}: shorten them, raise maxTokens, or leave contextual out`,
          ['input', 'chunking', 'contextual'],
        );
      }
      return limit - used;
    },
    fit({ start, end }, headings, words = '') {
      const piece = text.slice(start, end);
      const tokenCount = count(piece);
      if (tokenCount > limit) return null;
      const embedded = embeddedText(prefix(headings), words, piece);
      if (embedded.length !== piece.length && count(embedded) > limit) return null;
      return { start, end, headings, parent: null, context: words, tokenCount };
    },
  };
}
