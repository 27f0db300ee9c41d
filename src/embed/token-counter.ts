import { countBundledTokens } from './bundled/tokenizer.js';
import type { EmbedderSpace } from './embedder.js';
import { countHashTokens } from './hash.js';
import { countOpenaiTokens } from './openai/count-tokens.js';

/** Tokens of a text as a model counts them, special tokens included. */
export type TokenCounter = (text: string) => number;

/** The counter of a space, from its plain values alone: a worker thread that is told the space can build it too. */
export function tokenCounterFor(space: Pick<EmbedderSpace, 'provider' | 'model'>): TokenCounter {
  switch (space.provider) {
    case 'hash':
      return countHashTokens;
    case 'openai':
      return countOpenaiTokens;
    case 'bundled':
      return countBundledTokens;
  }
}
