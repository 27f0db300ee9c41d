const CONTENT_HASH_BITS = 26;
/** Above every content hash: what a level is multiplied by to rank before it. */
export const CONTENT_HASH_RANGE = 2 ** CONTENT_HASH_BITS;
const HASHED_UNITS = 24;
/** Spaces, tabs and line feeds are not hashed; the rarer blanks may be. */
const SPACE = 0x20;

/** FNV-1a over the first visible characters of a unit, mixed, so that editing the rest of it moves nothing. */
export function contentHash(text: string, start: number, end: number): number {
  let hash = 0x811c9dc5;
  const last = Math.min(end, start + HASHED_UNITS);
  for (let at = start; at < last; at++) {
    const unit = text.charCodeAt(at);
    if (unit > SPACE) hash = Math.imul(hash ^ unit, 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> (32 - CONTENT_HASH_BITS);
}
