import { TEXT_CLASS, textClasses } from '../../embed/text-class.js';

export const CONTENT_HASH_BITS = 26;
const HASHED_UNITS = 32;

/** FNV-1a over the first visible characters of a unit, mixed, so that editing the rest of it moves nothing. */
export function contentHash(text: string, start: number, end: number): number {
  const classes = textClasses();
  let hash = 0x811c9dc5;
  const last = Math.min(end, start + HASHED_UNITS);
  for (let at = start; at < last; at++) {
    const unit = text.charCodeAt(at);
    if (classes[unit] !== TEXT_CLASS.SPACE) hash = Math.imul(hash ^ unit, 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> (32 - CONTENT_HASH_BITS);
}
