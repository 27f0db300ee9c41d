import { AppError } from '../../errors.js';
import { LIMITS, limitExceeded } from '../limits.js';
import { exactInteger } from '../scalars/json.js';

/**
 * JSON.parse with two differences. Integers beyond ±(2^53 − 1) become bigints: rounded to a neighbour, a filter would
 * find another record. And nesting is limited: GraphQL's coercion recurses. (Node 20's JSON.parse has no access to the
 * source text of numbers.) Throws `AppError` BAD_USER_INPUT.
 */
export function parseExactJson(source: string): unknown {
  checkNesting(source);
  // 16 digits in a row are what the shortest unsafe integer has; most bodies have none, and are done here
  if (!/\d{16}/.test(source)) return parsed(source);
  const { text, marker } = markUnsafeIntegers(source);
  const value = parsed(text);
  return marker === null ? value : withBigInts(value, marker);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // the engine's message quotes the text around the fault
    throw new AppError('BAD_USER_INPUT', 'The request body is not valid JSON');
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

function checkNesting(source: string): void {
  let depth = 0;
  for (let i = 0; i < source.length; i += 1) {
    const unit = source.charCodeAt(i);
    if (unit === QUOTE) i = endOfString(source, i);
    else if (unit === 0x5b || unit === 0x7b) {
      depth += 1;
      if (depth > LIMITS.jsonNesting.maximum) throw limitExceeded('jsonNesting', 'more');
    } else if (unit === 0x5d || unit === 0x7d) depth -= 1;
  }
}

/** Index of the closing quote, or of the end. `indexOf` makes long strings, the usual bulk of a body, cheap. */
function endOfString(source: string, start: number): number {
  let end = source.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(source, end)) end = source.indexOf('"', end + 1);
  return end === -1 ? source.length : end;
}

function isEscaped(source: string, index: number): boolean {
  let backslashes = 0;
  while (source.charCodeAt(index - 1 - backslashes) === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
}

/** Replaces each unsafe integer by `{"<marker>":"<digits>"}`, with a marker that occurs nowhere else. */
function markUnsafeIntegers(source: string): { text: string; marker: string | null } {
  const marker = `bigint ${crypto.randomUUID()}`;
  const pieces: string[] = [];
  let copied = 0;
  for (let i = 0; i < source.length; i += 1) {
    const unit = source.charCodeAt(i);
    if (unit === QUOTE) {
      i = endOfString(source, i);
      continue;
    }
    if (unit !== 0x2d && (unit < 0x30 || unit > 0x39)) continue;
    const token = NUMBER.exec(source.slice(i, i + LONGEST_NUMBER))?.[0] ?? '-';
    if (/^-?[1-9]\d+$/.test(token) && typeof exactInteger(token) === 'bigint') {
      pieces.push(source.slice(copied, i), `{"${marker}":"${token}"}`);
      copied = i + token.length;
    }
    i += token.length - 1;
  }
  if (pieces.length === 0) return { text: source, marker: null };
  return { text: pieces.join('') + source.slice(copied), marker };
}

const NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d+)?/;
/** Digits beyond these make no number that anybody means. */
const LONGEST_NUMBER = 1_000;

function withBigInts(value: unknown, marker: string): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withBigInts(item, marker));
  const digits = (value as Record<string, unknown>)[marker];
  if (typeof digits === 'string') return BigInt(digits);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withBigInts(item, marker)]));
}

export function holdsBigInt(value: unknown): boolean {
  if (typeof value === 'bigint') return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsBigInt);
}
