import { fittingEnd } from '../../embed/fitting-end.js';
import { isGraphemeBoundary } from '../../embed/grapheme.js';
import { forEachSentenceStart } from '../../embed/sentence-ends.js';
import { TEXT_CLASS, textClasses } from '../../embed/text-class.js';
import type { TokenCounter } from '../../embed/token-counter.js';
import { halved } from './halving.js';
import { trimmedEnd } from './trim.js';

/** How good a place to cut is; the start of a unit has the level of the boundary before it. */
export const LEVEL = { GRAPHEME: 0, WORD: 1, SENTENCE: 2, LINE: 3, PARAGRAPH: 4, SECTION: 5 } as const;
export type Level = (typeof LEVEL)[keyof typeof LEVEL];

/**
 * The smallest pieces that packing keeps whole: unit `i` is `[starts[i], starts[i + 1])`, with the white space after it.
 * `tokens` counts the white space before a unit, not after it, as token vocabularies do.
 */
export interface Units {
  readonly starts: readonly number[];
  readonly tokens: readonly number[];
  readonly levels: readonly Level[];
  /** Where the last unit ends. */
  readonly end: number;
}

/** A longer piece is certainly over the limit: it is cut finer without being counted. */
const CHARACTERS_PER_TOKEN_LIMIT = 16;
/** Runs without white space are cut into this many units per limit, so that packing stays flexible. */
const RUN_PARTS_PER_LIMIT = 8;

/**
 * Units of `[start, end)` of at most `limit` tokens: as coarse as `coarsest` where that fits, finer only where it does
 * not. A single grapheme stays whole, whatever it counts.
 */
export function collectUnits(
  text: string,
  start: number,
  end: number,
  options: {
    limit: number;
    coarsest: Level;
    count: TokenCounter;
    /** Keep it in one unit when it fits (default). */
    whole?: boolean;
  },
): Units {
  const { limit, coarsest, count, whole = true } = options;
  const starts: number[] = [];
  const tokens: number[] = [];
  const levels: Level[] = [];
  let contentEnd = start;

  const add = (from: number, to: number, level: Level, finest: Level): void => {
    const last = trimmedEnd(text, from, to);
    if (to - from <= limit * CHARACTERS_PER_TOKEN_LIMIT || finest === LEVEL.GRAPHEME) {
      const size = count(text.slice(contentEnd, last));
      if (size <= limit || finest === LEVEL.GRAPHEME) {
        push(from, size, level);
        contentEnd = last;
        return;
      }
      // a paragraph, or a line that is one
      const pieces =
        finest >= LEVEL.LINE && finest <= LEVEL.PARAGRAPH ? halved(text, from, to, { size, limit, count }) : null;
      if (pieces) {
        for (const { start, tokens, by } of pieces) push(start, tokens, by === null ? level : PIECE_LEVELS[by]);
        contentEnd = last;
        return;
      }
    }
    split(from, to, level, (finest - 1) as Level);
  };

  const push = (from: number, size: number, level: Level): void => {
    starts.push(from);
    tokens.push(size);
    levels.push(level);
  };

  const split = (from: number, to: number, level: Level, at: Level): void => {
    let previous = from;
    let previousLevel = level;
    const found = (place: number) => {
      add(previous, place, previousLevel, at);
      previous = place;
      previousLevel = at;
    };
    if (at === LEVEL.GRAPHEME)
      forEachRunPart(text, from, to, Math.max(1, Math.ceil(limit / RUN_PARTS_PER_LIMIT)), count, found);
    else FINDERS[at](text, from, to, found);
    add(previous, to, previousLevel, at);
  };

  if (start < end && whole) add(start, end, coarsest, (coarsest + 1) as Level);
  else if (start < end) split(start, end, coarsest, coarsest);
  return { starts, tokens, levels, end };
}

const PIECE_LEVELS = { line: LEVEL.LINE, sentence: LEVEL.SENTENCE } as const;

type Finder = (text: string, start: number, end: number, found: (at: number) => void) => void;

const FINDERS: Record<Exclude<Level, typeof LEVEL.GRAPHEME>, Finder> = {
  [LEVEL.SECTION]: () => {},
  [LEVEL.PARAGRAPH]: forEachParagraphStart,
  [LEVEL.LINE]: forEachLineStart,
  [LEVEL.SENTENCE]: forEachSentenceStart,
  [LEVEL.WORD]: forEachWordStart,
};

/** Paragraphs are parted by empty lines; the next one begins with its line, indentation included. */
export function forEachParagraphStart(text: string, start: number, end: number, found: (at: number) => void): void {
  const classes = textClasses();
  let newline = text.indexOf('\n', start);
  while (newline >= 0 && newline < end) {
    let at = newline + 1;
    let lineStart = at;
    let newlines = 1;
    while (at < end && classes[text.charCodeAt(at)] === TEXT_CLASS.SPACE) {
      if (text.charCodeAt(at) === 10) {
        newlines++;
        lineStart = at + 1;
      }
      at++;
    }
    if (newlines > 1 && at < end && isGraphemeBoundary(text, at)) found(lineStart);
    newline = text.indexOf('\n', at);
  }
}

export function forEachLineStart(text: string, start: number, end: number, found: (at: number) => void): void {
  for (
    let newline = text.indexOf('\n', start);
    newline >= 0 && newline + 1 < end;
    newline = text.indexOf('\n', newline + 1)
  ) {
    found(newline + 1);
  }
}

function forEachWordStart(text: string, start: number, end: number, found: (at: number) => void): void {
  const classes = textClasses();
  let at = start;
  while (at < end && classes[text.charCodeAt(at)] === TEXT_CLASS.SPACE) at++;
  while (at < end) {
    while (at < end && classes[text.charCodeAt(at)] !== TEXT_CLASS.SPACE) at++;
    while (at < end && classes[text.charCodeAt(at)] === TEXT_CLASS.SPACE) at++;
    if (at < end && isGraphemeBoundary(text, at)) found(at);
  }
}

/** Cuts a run without white space into parts of about `limit` tokens, at grapheme boundaries. */
function forEachRunPart(
  text: string,
  start: number,
  end: number,
  limit: number,
  count: TokenCounter,
  found: (at: number) => void,
): void {
  let at = start;
  while (at < end) {
    at = fittingEnd(text, at, end, limit, count);
    if (at < end) found(at);
  }
}
