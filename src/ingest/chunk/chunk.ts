import { isBlank } from '../../embed/text-class.js';
import { Refusal } from '../../errors.js';
import { budgetOf, DEFAULT_MAX_TOKENS } from './budget.js';
import type { Chunk, ChunkContext, ChunkSpan, Span } from './chunker.js';
import { DELIMITED_TYPES } from './delimited-rows.js';
import { chunkWithParents } from './parent-child.js';
import { chunkRecursively } from './recursive.js';
import { chunkBySemantics } from './semantic.js';
import { chunkBySentences } from './sentence.js';
import { assertWindow, slidingWindow } from './sliding-window.js';
import { chunkByStructure } from './structure.js';
import { chunkByTokens } from './token-window.js';
import { trimSpan } from './trim.js';

const DEFAULT_MAX_CHARACTERS = 1_000;
const PARENT_FACTOR = 4;

/** @throws Refusal INVALID for sizes that cannot work; see the strategies. */
export const chunk: Chunk = async (text, context) => {
  const { chunking } = context;
  if (chunking.strategy !== 'SLIDING_WINDOW' && chunking.strategy !== 'NONE') {
    assertWindow(chunking.maxTokens ?? DEFAULT_MAX_TOKENS, chunking.overlap, 'maxTokens');
  }
  switch (chunking.strategy) {
    case 'RECURSIVE':
      // records of a table are what its paragraphs are
      if (context.mediaType in DELIMITED_TYPES) return chunkByStructure(budgetOf(text, context), context.mediaType);
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
      return chunkByStructure(budgetOf(text, context), context.mediaType);
    case 'PARENT_CHILD': {
      const maxTokens = chunking.maxTokens ?? DEFAULT_MAX_TOKENS;
      const parentMaxTokens = chunking.parentMaxTokens ?? PARENT_FACTOR * maxTokens;
      if (parentMaxTokens < maxTokens) {
        throw new Refusal('INVALID', `Expected parents of at least ${maxTokens} tokens, got ${parentMaxTokens}`, [
          'input',
          'chunking',
          'parentMaxTokens',
        ]);
      }
      return chunkWithParents(budgetOf(text, context), context.mediaType, parentMaxTokens);
    }
    case 'SEMANTIC':
      if (!context.embed) throw new TypeError('SEMANTIC chunking needs an embedder');
      return chunkBySemantics(budgetOf(text, context), context.embed);
  }
};

/** A chunk whose size is not the model's business: the embedder averages windows of it. */
function bare(text: string, span: Span | null, { countTokens }: ChunkContext): ChunkSpan[] {
  if (!span) return [];
  return [
    { ...span, headings: [], parent: null, context: '', tokenCount: countTokens(text.slice(span.start, span.end)) },
  ];
}
