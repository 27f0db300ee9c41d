/**
 * The exact string that the embedder is given for a chunk: the contextual prefix, the words that the chunk lost by being
 * cut (a table's header row), then the chunk. Only this is counted against limits and hashed; `text` is what is stored.
 */
export function embeddedText(prefix: string, context: string, text: string): string {
  return context === '' ? prefix + text : `${prefix}${context}\n${text}`;
}
