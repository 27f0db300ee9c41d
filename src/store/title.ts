/** Longest title key, in UTF-16 code units. */
export const MAX_TITLE_LENGTH = 512;

/**
 * The form in which titles are compared: NFC, trimmed, inner white space folded to one space. Zero-width characters at
 * the edges are no title either. '' for a blank title.
 */
export function normalizeTitle(title: string): string {
  return title.toWellFormed().normalize('NFC').replace(/\s+/gu, ' ').replace(EDGES, '');
}

// White space, and characters that show nothing: soft hyphen, zero-width space, (non-)joiners, word joiner, BOM.
const BLANK = '(?:\\s|\u00ad|\u200b|\u200c|\u200d|\u2060|\ufeff)+';
const EDGES = new RegExp(`^${BLANK}|${BLANK}$`, 'gu');
