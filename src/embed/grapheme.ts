/**
 * Grapheme boundaries (Unicode Standard Annex 29) near one place of a text. `Intl.Segmenter` costs a microsecond a
 * character, so it is asked only where the two neighbouring characters leave a doubt, and then about a short region.
 */

const SEGMENTER = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** May continue the grapheme before it: marks, modifiers, joiners, flags' second halves, parts of Hangul syllables. */
const MAY_CONTINUE =
  /^(?:[\p{Grapheme_Extend}\p{M}\p{Emoji_Modifier}\p{RI}\u0e33\u0eb3\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]|\u200d)/u;
/** May be continued by what is not a mark: joiners, marks before Indic letters, flags' first halves, Hangul, Prepend. */
const MAY_BE_CONTINUED =
  /^(?:[\p{M}\p{RI}\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u0d4e\u1100-\u11ff\ua960-\ua97f\uac00-\ud7ff\u{11000}-\u{11fff}]|\u200d)/u;
/** Bound on the region before a doubtful place; a longer grapheme (hundreds of stacked marks) may be cut. */
const REGION_LIMIT = 1_024;
/** Read ahead of a doubtful place: the next doubt is often near. */
const REGION_AHEAD = 2_048;
/** Below: letters, digits, signs and controls that never join their neighbours, CR LF apart. */
const FIRST_COMBINING = 0x300;
const CR = 13;
const LF = 10;

/** Whether no grapheme is cut at `at`. The ends of the text are boundaries. */
export function isGraphemeBoundary(text: string, at: number): boolean {
  return graphemeFloor(text, at) === at;
}

/** The last grapheme boundary at or before `at`. */
export function graphemeFloor(text: string, at: number): number {
  if (at <= 0) return 0;
  if (at >= text.length) return text.length;
  if (isObviousBoundary(text, at)) return at;
  const { starts, isCut } = regionAround(text, at);
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle]! <= at) low = middle;
    else high = middle - 1;
  }
  const floor = starts[low]!;
  // a grapheme longer than the region is cut between code points
  return isCut && low === 0 && floor < at ? at - (isLowSurrogate(text.charCodeAt(at)) ? 1 : 0) : floor;
}

/** The first grapheme boundary at or after `at`. */
export function graphemeCeil(text: string, at: number): number {
  if (at <= 0) return 0;
  if (at >= text.length) return text.length;
  const limit = Math.min(text.length, at + REGION_LIMIT);
  for (let next = at; next < limit; next++) if (graphemeFloor(text, next) === next) return next;
  return limit === text.length ? limit : graphemeFloor(text, limit);
}

interface Region {
  readonly text: string;
  /** Where graphemes begin, ascending; the last one may go on after the region. */
  readonly starts: readonly number[];
  /** Whether the region begins inside a run that leaves no place without doubt. */
  readonly isCut: boolean;
}

/** The last region read: the places that are asked about follow one another. */
let latest: Region = { text: '', starts: [0], isCut: false };

function regionAround(text: string, at: number): Region {
  const { starts } = latest;
  if (latest.text === text && starts.length > 2 && starts[1]! <= at && at < starts.at(-1)!) return latest;
  let from = at - 1;
  while (from > 0 && at - from < REGION_LIMIT && !isObviousBoundary(text, from)) from--;
  if (from > 0 && isLowSurrogate(text.charCodeAt(from))) from--;
  const isCut = from > 0 && !isObviousBoundary(text, from);
  const region = text.slice(from, at + REGION_AHEAD);
  latest = { text, isCut, starts: Array.from(SEGMENTER.segment(region), ({ index }) => from + index) };
  return latest;
}

function isObviousBoundary(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  if (before < FIRST_COMBINING && after < FIRST_COMBINING) return !(before === CR && after === LF);
  if (isPlainEastAsian(before) && isPlainEastAsian(after)) return true;
  // inside a surrogate pair; a lone half is its own character
  if (isLowSurrogate(after) && isHighSurrogate(before)) return false;
  const previous = isLowSurrogate(before) && isHighSurrogate(text.charCodeAt(at - 2)) ? at - 2 : at - 1;
  return (
    (before < FIRST_COMBINING || !MAY_BE_CONTINUED.test(text.slice(previous, at))) &&
    (after < FIRST_COMBINING || !MAY_CONTINUE.test(text.slice(at, at + 2)))
  );
}

/** Kana, ideographs and precomposed Hangul, each a grapheme of its own beside one another. */
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

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
