import { createHash } from 'node:crypto';
import { setImmediate as yieldToOthers } from 'node:timers/promises';

/** Some milliseconds' work. */
const HASHED_AT_ONCE = 1024 * 1024;

/** SHA-256 of the text as UTF-8, hex. A part at a time: a copy of a large one would be as large again. */
export async function hashText(text: string): Promise<string> {
  const hash = createHash('sha256');
  for (let start = 0; start < text.length; ) {
    let end = Math.min(text.length, start + HASHED_AT_ONCE);
    // never between the halves of a pair, which UTF-8 has no form for
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end--;
    hash.update(text.slice(start, end));
    start = end;
    if (start < text.length) await yieldToOthers();
  }
  return hash.digest('hex');
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
