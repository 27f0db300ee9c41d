/**
 * Grapheme boundaries (Unicode Standard Annex 29) near one place of a text. `Intl.Segmenter` costs a microsecond a
 * character, so it is asked only where the two neighbouring characters leave a doubt, and then about a short region.
 */

const SEGMENTER = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** Continues the grapheme before it. */
const EXTENDS = /^(?:[\p{Grapheme_Extend}\p{M}\p{Emoji_Modifier}\u0e33\u0eb3]|\u200d)/u;
/** Bound on the region around a doubtful place; a longer grapheme (hundreds of stacked marks) may be cut. */
const REGION_LIMIT = 2_048;
/** Below: letters, digits, signs and controls that never join their neighbours, CR LF apart. */
const FIRST_COMBINING = 0x300;
const CR = 13;
const LF = 10;
const ZWJ = 0x200d;

/** Whether no grapheme is cut at `at`. The ends of the text are boundaries. */
export function isGraphemeBoundary(text: string, at: number): boolean {
  return graphemeFloor(text, at) === at;
}

/** The last grapheme boundary at or before `at`. */
export function graphemeFloor(text: string, at: number): number {
  if (at <= 0) return 0;
  if (at >= text.length) return text.length;
  if (isObviousBoundary(text, at)) return at;
  let from = at;
  while (from > 0 && at - from < REGION_LIMIT && !(from < at && isSafeStart(text, from))) from--;
  if (isLowSurrogate(text.charCodeAt(from)) && from > 0) from--;
  let floor = from;
  for (const { index, segment } of SEGMENTER.segment(text.slice(from, Math.min(text.length, at + 2)))) {
    if (from + index > at) break;
    floor = from + index;
    if (from + index + segment.length > at) break;
  }
  // a grapheme longer than the region is cut between code points
  if (floor === from && from > 0 && at - from >= REGION_LIMIT) return isLowSurrogate(text.charCodeAt(at)) ? at - 1 : at;
  return floor;
}

/** The first grapheme boundary at or after `at`. */
export function graphemeCeil(text: string, at: number): number {
  if (at <= 0) return 0;
  if (at >= text.length) return text.length;
  const limit = Math.min(text.length, at + REGION_LIMIT);
  for (let next = at; next < limit; next++) if (graphemeFloor(text, next) === next) return next;
  return limit === text.length ? limit : graphemeFloor(text, limit);
}

function isObviousBoundary(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  if (after < FIRST_COMBINING) {
    if (before < FIRST_COMBINING) return !(before === CR && after === LF);
    return isSafeStart(text, at);
  }
  if (isPlainEastAsian(before) && isPlainEastAsian(after)) return true;
  // nothing below U+0300 joins what follows, unless that extends it
  if (before < FIRST_COMBINING) return !EXTENDS.test(text.slice(at, at + 2)) && !isLowSurrogate(after);
  return false;
}

/** A place before a plain character that nothing joins to what precedes, whatever that is. */
function isSafeStart(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  if (after >= FIRST_COMBINING || (before === CR && after === LF)) return false;
  return (
    before !== ZWJ && !isPrepend(before) && !(isLowSurrogate(before) && isPrependSurrogate(text.charCodeAt(at - 2)))
  );
}

/** Kana, ideographs and precomposed Hangul: each a grapheme of its own beside one another. */
function isPlainEastAsian(unit: number): boolean {
  return (
    (unit >= 0x3400 && unit <= 0x9fff) ||
    (unit >= 0x3041 && unit <= 0x3096) ||
    (unit >= 0x30a1 && unit <= 0x30fa) ||
    (unit >= 0xac00 && unit <= 0xd7a3) ||
    unit === 0x3001 ||
    unit === 0x3002
  );
}

/** Grapheme_Cluster_Break=Prepend of the basic plane (Unicode 16). */
function isPrepend(unit: number): boolean {
  return (
    (unit >= 0x600 && unit <= 0x605) ||
    unit === 0x6dd ||
    unit === 0x70f ||
    unit === 0x890 ||
    unit === 0x891 ||
    unit === 0x8e2 ||
    unit === 0xd4e
  );
}

/** High surrogates of U+11000 to U+11FFF, where the other Prepend characters are. */
function isPrependSurrogate(unit: number): boolean {
  return unit >= 0xd804 && unit <= 0xd807;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
