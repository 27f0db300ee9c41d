import { isGraphemeBoundary } from './grapheme.js';
import { TEXT_CLASS, textClasses } from './text-class.js';

/**
 * Where sentences end. A full-width or script-specific stop always ends one; a Latin stop only before white space and
 * something that can begin a sentence, so that decimals, abbreviations and initials stay whole. An empty line always ends.
 */

/** End a sentence wherever they stand. */
const FULL_STOPS = '。！？｡।॥။۔؟܀܁܂።፧፨។៕';
/** End a sentence when not between digits (a full-width decimal point). */
const WIDE_POINT = '．';
/** End a sentence before white space. */
const SPACED_STOPS = '.!?…‼⁇⁈⁉';
/** At the start of a line: a list item, heading, quotation or table row, so the line before has ended. */
const LINE_MARKERS = '#|>-*+•';
const CLOSERS = '"\'”’»)]}」』）】》〉›“*_';

const KIND = { NONE: 0, FULL: 1, WIDE: 2, SPACED: 3, CLOSER: 4, NEWLINE: 5 } as const;

/**
 * Every stop, and a few characters between them. Passes over the rest three times faster than a loop, as long as the class
 * has few ranges: with eighteen V8 (Node 20) becomes ten times slower, so scripts with few readers here have no stop.
 */
const STOP =
  /[\n!.?\u061f\u06d4\u0700-\u0702\u0964\u0965\u104b\u1362-\u1368\u17d4\u17d5\u2026\u203c-\u2049\u3002\uff01-\uff1f\uff61]/g;

/** Words whose point does not end a sentence, in lower case without it. */
const ABBREVIATIONS = new Set(
  (
    'mr mrs ms dr prof st sr jr vs e.g i.e eg ie cf al etc approx ca resp viz fig figs eq eqs sec ch vol vols ed eds pp p no nos nr art ' +
    'dept univ inc ltd co corp est gen col lt sgt capt rev hon gov sen rep u.s u.k u.n a.m p.m ph.d b.sc m.sc jan feb mar apr jun jul ' +
    'aug sep sept oct nov dec mon tue wed thu fri sat sun bzw usw z.b d.h u.a ggf vgl bspw evtl inkl abs hr fr str tel max min'
  ).split(' '),
);
/** Of those, the ones that end a sentence all the same when a capital follows. */
const MAY_END = new Set(
  'etc a.m p.m u.s u.k u.n inc ltd co corp usw al jr sr max min no art sun sat mar dec sec ed'.split(' '),
);
const ABBREVIATION_LIMIT = 8;

let kinds: Uint8Array | undefined;

function kindsTable(): Uint8Array {
  if (kinds) return kinds;
  kinds = new Uint8Array(0x10000);
  const fill = (characters: string, kind: number) => {
    for (const character of characters) kinds![character.charCodeAt(0)] = kind;
  };
  fill(FULL_STOPS, KIND.FULL);
  fill(WIDE_POINT, KIND.WIDE);
  fill(SPACED_STOPS, KIND.SPACED);
  fill(CLOSERS, KIND.CLOSER);
  fill('\n', KIND.NEWLINE);
  return kinds;
}

/** Calls `found` with the start of every sentence after the first in `[start, end)`; white space belongs to the one before. */
export function forEachSentenceStart(text: string, start: number, end: number, found: (at: number) => void): void {
  const table = kindsTable();
  const classes = textClasses();
  // a slice, or every search would run on to the next stop of the whole text
  const piece = text.slice(start, end);
  STOP.lastIndex = 0;
  while (STOP.test(piece)) {
    const stop = start + STOP.lastIndex - 1;
    const kind = table[text.charCodeAt(stop)]!;
    if (kind === KIND.NONE || kind === KIND.CLOSER) continue;
    let at = stop + 1;
    if (kind !== KIND.NEWLINE) while (at < end && isStopOrCloser(table[text.charCodeAt(at)]!)) at++;
    else at = stop;
    const after = at;
    let newlines = 0;
    while (at < end && classes[text.charCodeAt(at)] === TEXT_CLASS.SPACE) {
      if (text.charCodeAt(at) === 10) newlines++;
      at++;
    }
    if (at >= end) return;
    const ends =
      newlines > 1 ||
      kind === KIND.FULL ||
      (newlines === 1 && LINE_MARKERS.includes(text[at]!)) ||
      (kind === KIND.WIDE && !isBetweenDigits(text, stop)) ||
      (kind === KIND.SPACED && at > after && endsBefore(text, start, stop, at));
    // `found` may search as well
    if (ends && isGraphemeBoundary(text, at)) found(at);
    STOP.lastIndex = at - start;
  }
}

function isStopOrCloser(kind: number): boolean {
  return kind !== KIND.NONE && kind !== KIND.NEWLINE;
}

function isBetweenDigits(text: string, at: number): boolean {
  return isDigit(text.charCodeAt(at - 1)) && isDigit(text.charCodeAt(at + 1));
}

function isDigit(unit: number): boolean {
  return (unit >= 48 && unit <= 57) || (unit >= 0xff10 && unit <= 0xff19);
}

/** Whether the Latin stop at `stop` ends a sentence when `next` is the first visible character after it. */
function endsBefore(text: string, start: number, stop: number, next: number): boolean {
  if (isLowerCase(text, next)) return false;
  if (text.charCodeAt(stop) !== POINT) return true;
  let wordStart = stop;
  while (wordStart > start && stop - wordStart <= ABBREVIATION_LIMIT && isLetterOrPoint(text.charCodeAt(wordStart - 1)))
    wordStart--;
  const length = stop - wordStart;
  if (length === 0 || length > ABBREVIATION_LIMIT) return true;
  const given = text.slice(wordStart, stop);
  const word = given.toLowerCase();
  // an initial: "J. Smith"; "Plan B. Then" is rare enough to lose
  if (length === 1 && given !== word && word !== 'i') return false;
  if (!ABBREVIATIONS.has(word)) return true;
  return MAY_END.has(word) && /^\p{Lu}/u.test(text.slice(next, next + 2));
}

const POINT = 46;

function isLowerCase(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit < 0x80 ? unit >= 97 && unit <= 122 : /^\p{Ll}/u.test(text.slice(at, at + 2));
}

function isLetterOrPoint(unit: number): boolean {
  if (unit < 0x80) return (unit | 32) >= 97 ? (unit | 32) <= 122 : unit === POINT;
  return textClasses()[unit] === TEXT_CLASS.WORD;
}
