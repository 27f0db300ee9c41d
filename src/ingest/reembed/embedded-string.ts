import type { LackingChunk } from '../../store/store.js';
import { embeddedText } from '../chunk/embedded-text.js';
import { contextualPrefix } from '../cut-text.js';
import { embedHash } from '../embed-strings.js';

type EmbeddedChunk = Pick<LackingChunk, 'text' | 'embedPrefix' | 'embedHash' | 'headings'> & {
  readonly document: Pick<LackingChunk['document'], 'title' | 'contextual'>;
};

/**
 * What a stored chunk's embedder was given, so that another model is given the same. Rows from before the prefix was kept
 * are tried as what their hash says; where that fits nothing (the title has changed since), as what an upsert now gives.
 * Pure.
 */
export function embeddedString({ text, embedPrefix, embedHash: hash, headings, document }: EmbeddedChunk): string {
  if (embedPrefix !== null) return embedPrefix + text;
  if (!document.contextual || embedHash(text) === hash) return text;
  return embeddedText(contextualPrefix(document, document.title)(headings), '', text);
}
