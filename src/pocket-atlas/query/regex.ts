import { BSONRegExp, BSONSymbol } from 'bson';
import { regexParts } from '../bson/type.js';
import type { BsonValue } from '../bson/values.js';
import { location } from './errors.js';

/**
 * Regular expressions of users run on the event loop, by backtracking: the length of a pattern is bounded as on the
 * server, its running time is not. A pattern such as `(a+)+$` over a long string of one user's own data can stall the
 * process; a linear-time engine would be the cure.
 */
export const PATTERN_LENGTH_MAX = 32_764;

export function isRegex(value: BsonValue): value is RegExp | BSONRegExp {
  return value instanceof BSONRegExp || value instanceof RegExp;
}

/** Codes that differ between `$regex` in a filter and the `$regexMatch` family. */
export interface RegexCodes {
  readonly option: number;
  readonly pattern: number;
}

const FILTER_CODES: RegexCodes = { option: 51108, pattern: 51091 };

/**
 * A PCRE pattern with MongoDB's options (i, m, s, x, u) as a JavaScript one. Patterns that only PCRE knows (atomic
 * groups, possessive quantifiers, conditionals, recursion) are refused as invalid.
 */
export function compileRegex(pattern: string, options: string, codes: RegexCodes = FILTER_CODES): RegExp {
  if (pattern.length > PATTERN_LENGTH_MAX) {
    throw location(codes.pattern, `Regular expression is invalid: pattern string is longer than the limit set`);
  }
  if (pattern.includes('\0')) {
    throw location(codes.pattern, `Regular expression cannot contain an embedded null byte`);
  }
  let source = pattern;
  const flags = new Set<string>();
  for (const option of options) {
    if (!'imsxu'.includes(option)) throw location(codes.option, `invalid flag in regex options: ${option}`);
    flags.add(option);
  }
  // options for the whole pattern, as PCRE spells them at its start
  for (let inline = /^\(\?([imsx]+)\)/.exec(source); inline !== null; inline = /^\(\?([imsx]+)\)/.exec(source)) {
    for (const option of inline[1]!) flags.add(option);
    source = source.slice(inline[0].length);
  }
  if (flags.delete('x')) source = withoutExtendedSyntax(source);
  flags.delete('u');
  const others = [...flags].join('');
  try {
    // unicode mode first: '.' is one code point, as in PCRE's UTF mode
    return new RegExp(source, `${others}u`);
  } catch {
    // PCRE accepts needless escapes such as `\_`, which unicode mode does not
  }
  try {
    return new RegExp(source, others);
  } catch (cause) {
    throw location(codes.pattern, `Regular expression is invalid: ${reasonOf(cause)}`);
  }
}

function reasonOf(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : '';
  return message.slice(message.lastIndexOf(':') + 1).trim() || 'syntax error';
}

/** PCRE's option x: white space and #-comments outside character classes do not count. */
function withoutExtendedSyntax(pattern: string): string {
  return pattern.replace(/\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|\s+|#[^\n]*/g, (token) =>
    token.startsWith('\\') || token.startsWith('[') ? token : '',
  );
}

export function regexOf(value: RegExp | BSONRegExp): RegExp {
  const { pattern, options } = regexParts(value);
  return compileRegex(pattern, options);
}

/** Matches strings and symbols, and a stored regular expression that is the same. */
export function regexTest(pattern: RegExp): (value: BsonValue) => boolean {
  return (value) => {
    if (typeof value === 'string') return pattern.test(value);
    return value instanceof BSONSymbol && pattern.test(value.value);
  };
}
