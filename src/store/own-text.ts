import type { NewChunk } from './records.js';
import type { ChunkRow } from './rows.js';

/**
 * Words are searched in the string that the embedder was given: the header row of a table, the title and the headings of a
 * contextual chunk count for a question in words as they do for its meaning, and words that all chunks of a table share weigh
 * as little as they should. So a row's `text` is that string, of which the chunk's own begins at `text_start`.
 */
export function searchedText({ text, embedPrefix = '' }: Pick<NewChunk, 'text' | 'embedPrefix'>): OwnTextRow {
  return embedPrefix === '' ? { text } : { text: embedPrefix + text, text_start: embedPrefix.length };
}

export type OwnTextRow = Pick<ChunkRow, 'text' | 'text_start'>;
export const OWN_TEXT_FIELDS = { text: 1, text_start: 1 } as const;

/** The chunk's own text. Rows from before hold it alone. */
export function ownText({ text, text_start = 0 }: OwnTextRow): string {
  return text_start === 0 ? text : text.slice(text_start);
}
