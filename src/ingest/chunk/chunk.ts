import { isBlank } from '../../embed/text-class.js';
import { AppError } from '../../errors.js';
import { budgetOf, DEFAULT_MAX_TOKENS } from './budget.js';
import type { Chunk, ChunkContext, ChunkSpan, Span } from './chunker.js';
import { chunkRecursively } from './recursive.js';
import { chunkBySentences } from './sentence.js';
import { assertWindow, slidingWindow } from './sliding-window.js';
import { chunkByTokens } from './token-window.js';
import { trimSpan } from './trim.js';

const DEFAULT_MAX_CHARACTERS = 1_000;

/** @throws Refusal INVALID for sizes that cannot work; see the strategies. */
export const chunk: Chunk = async (text, context) => {
  const { chunking } = context;
  if (chunking.strategy !== 'SLIDING_WINDOW' && chunking.strategy !== 'NONE') {
    assertWindow(chunking.maxTokens ?? DEFAULT_MAX_TOKENS, chunking.overlap, 'maxTokens');
  }
  switch (chunking.strategy) {
    case 'RECURSIVE':
      return chunkRecursively(budgetOf(text, context), { start: 0, end: text.length, headings: [] });
    case 'SLIDING_WINDOW':
      return slidingWindow(text, {
        size: chunking.maxCharacters ?? DEFAULT_MAX_CHARACTERS,
        overlap: chunking.overlap,
        strip: false,
        tail: 'stop',
      }).flatMap((window) => bare(text, isBlank(text, window.start, window.end) ? null : window, context));
    case 'TOKEN':
      return chunkByTokens(budgetOf(text, context));
    case 'SENTENCE':
      return chunkBySentences(budgetOf(text, context));
    case 'NONE':
      return bare(text, trimSpan(text, 0, text.length), context);
    case 'STRUCTURE':
    case 'SEMANTIC':
    case 'PARENT_CHILD':
      throw new AppError('NOT_IMPLEMENTED', `Chunking ${chunking.strategy} is not built yet: use RECURSIVE`);
  }
};

/** A chunk whose size is not the model's business: the embedder averages windows of it. */
function bare(text: string, span: Span | null, { countTokens }: ChunkContext): ChunkSpan[] {
  if (!span) return [];
  return [
    { ...span, headings: [], parent: null, context: '', tokenCount: countTokens(text.slice(span.start, span.end)) },
  ];
}
