import { isBlank } from '../embed/text-class.js';
import { Refusal } from '../errors.js';

/** UTF-8 bytes of a canonical text. */
export const MAX_TEXT_BYTES = 50 * 1024 * 1024;

/**
 * The form in which a text is stored and chunk spans point into it: without byte-order mark and NUL, lone surrogates as
 * U+FFFD (UTF-8 has no other way), CRLF and CR as LF. Throws `Refusal` EMPTY_TEXT or TOO_LARGE.
 */
export function canonicalText(given: string, path: readonly string[] = ['input', 'text']): string {
  // A UTF-16 unit takes at least a byte, so this much is certain before anything is copied.
  if (given.length > 2 * MAX_TEXT_BYTES) throw tooLarge(`more than ${given.length}`, path);
  const text = normalizeLineEnds(given.replace(/^\uFEFF/, '').replaceAll('\0', '')).toWellFormed();
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_TEXT_BYTES) throw tooLarge(String(bytes), path);
  if (isBlank(text))
    throw new Refusal('EMPTY_TEXT', 'The text is empty: nothing but white space or invisible characters', path);
  return text;
}

function normalizeLineEnds(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

function tooLarge(bytes: string, path: readonly string[]): Refusal {
  return new Refusal(
    'TOO_LARGE',
    `The text takes ${bytes} bytes as UTF-8, at most ${MAX_TEXT_BYTES} are allowed`,
    path,
  );
}
