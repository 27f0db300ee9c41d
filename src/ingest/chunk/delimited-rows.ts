/** Media types whose text is one table, and what parts its cells. */
export const DELIMITED_TYPES: Readonly<Record<string, string>> = {
  'text/csv': ',',
  'text/tab-separated-values': '\t',
};

/** Calls `found` with the start of every record after the first: a line feed inside quotes ends none (RFC 4180). */
export function forEachRecordStart(text: string, start: number, end: number, found: (at: number) => void): void {
  let isQuoted = false;
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 34) isQuoted = !isQuoted;
    else if (unit === 10 && !isQuoted && at + 1 < end) found(at + 1);
  }
}
