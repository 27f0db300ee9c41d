/**
 * The exact string that the embedder is given for a chunk: the contextual prefix, the words that the chunk lost by being
 * cut (a table's header row), then the chunk. Only this is counted against limits and hashed; `text` is what is stored.
 */
export function embeddedText(prefix: string, context: string, text: string): string {
  return context === '' ? prefix + text : `${prefix}${context}\n${text}`;
}

/** The contextual prefix: title and headings on a line of their own. Without a title there is none. */
export function contextualPrefix(title: string | null): (headings: readonly string[]) => string {
  if (title === null) return () => '';
  return (headings) => `${[title, ...headings].join(' > ')}\n\n`;
}
