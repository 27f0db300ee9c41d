/**
 * What a UTF-16 code unit is to the chunkers and token counters, read from one table of 65 536 bytes.
 *
 * People paste NBSP, zero-width and other invisible characters, and a provider answers 400 to a text of nothing else: so
 * "blank" means SPACE and INVISIBLE here. Only SPACE may be trimmed: the INVISIBLE ones belong to the character before.
 */
export const TEXT_CLASS = { OTHER: 0, SPACE: 1, INVISIBLE: 2, WORD: 3, IDEOGRAPH: 4, SURROGATE: 5 } as const;

/** Invisible and a grapheme of their own: zero-width space, byte-order mark, direction marks, invisible operators. */
const ZERO_WIDTH = [
  [0x00, 0x00],
  [0xad, 0xad],
  [0x061c, 0x061c],
  [0x180e, 0x180e],
  [0x200b, 0x200b],
  [0x200e, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0xfeff, 0xfeff],
] as const;
/** Invisible, joined to what precedes: joiners, variation selectors, fillers; and the two blank letters. */
const INVISIBLE = [
  [0x034f, 0x034f],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180d],
  [0x180f, 0x180f],
  [0x200c, 0x200d],
  [0x2800, 0x2800],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xffa0, 0xffa0],
] as const;
/** Written without spaces between words: one character is about one token. */
const IDEOGRAPH =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]/u;
const WORD = /[\p{L}\p{N}\p{M}_]/u;
const SPACE = /[\s\p{White_Space}]/u;

let table: Uint8Array | undefined;

/** The class of every UTF-16 code unit; built at first use (some 10 ms). */
export function textClasses(): Uint8Array {
  table ??= buildTable();
  return table;
}

function buildTable(): Uint8Array {
  const classes = new Uint8Array(0x10000);
  for (let unit = 0; unit < 0x10000; unit++) {
    if (unit >= 0xd800 && unit <= 0xdfff) {
      classes[unit] = TEXT_CLASS.SURROGATE;
      continue;
    }
    const character = String.fromCharCode(unit);
    if (SPACE.test(character)) classes[unit] = TEXT_CLASS.SPACE;
    else if (IDEOGRAPH.test(character)) classes[unit] = TEXT_CLASS.IDEOGRAPH;
    else if (WORD.test(character)) classes[unit] = TEXT_CLASS.WORD;
  }
  for (const [first, last] of ZERO_WIDTH) classes.fill(TEXT_CLASS.SPACE, first, last + 1);
  for (const [first, last] of INVISIBLE) classes.fill(TEXT_CLASS.INVISIBLE, first, last + 1);
  return classes;
}

/** Whether `text` has nothing to embed between `start` and `end`: white space and invisible characters only. */
export function isBlank(text: string, start = 0, end = text.length): boolean {
  const classes = textClasses();
  for (let at = start; at < end; at++) {
    const kind = classes[text.charCodeAt(at)];
    if (kind !== TEXT_CLASS.SPACE && kind !== TEXT_CLASS.INVISIBLE) return false;
  }
  return true;
}
