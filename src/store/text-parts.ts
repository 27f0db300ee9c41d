/** UTF-8 bytes in a part. A document row stays small, and a text of any allowed size fits MongoDB's 16 MB per document. */
export const MAX_PART_BYTES = 1024 * 1024;

/**
 * Cuts a text into parts of at most `maxBytes` of UTF-8; together they are the text. Never inside a surrogate pair,
 * whose halves UTF-8 cannot hold. [] for ''.
 */
export function textParts(text: string, maxBytes = MAX_PART_BYTES): string[] {
  const parts: string[] = [];
  let start = 0;
  while (start < text.length) {
    // A UTF-16 unit takes at most three bytes; most texts take one, so look further only as long as it pays.
    let end = Math.min(text.length, start + Math.floor(maxBytes / 3));
    let bytes = Buffer.byteLength(text.slice(start, end));
    while (end < text.length) {
      const step = Math.floor((maxBytes - bytes) / 3);
      if (step < 64) break;
      const next = Math.min(text.length, end + step);
      bytes += Buffer.byteLength(text.slice(end, next));
      end = next;
    }
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1)) && end - start > 1) end--;
    parts.push(text.slice(start, end));
    start = end;
  }
  return parts;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
