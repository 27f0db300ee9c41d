import type { PdfItem } from './pdf-runs.js';

/** What is used of a page's operators as pdf.js lists them. */
interface OperatorList {
  readonly argsArray: readonly unknown[];
}

interface Glyph {
  readonly unicode: string;
  readonly originalCharCode: number;
}

/**
 * For each glyph of a page whose meaning is given as U+0000, in the order of painting: the letters that its name in the
 * font's encoding stands for, or null. Ligatures are mapped to nothing by some typesetters, and still named `ffi`.
 */
export function glyphNameLetters(operators: OperatorList, fontOf: (name: string) => unknown): (string | null)[] {
  const letters: (string | null)[] = [];
  let names: readonly (string | undefined)[] = [];
  for (const args of operators.argsArray) {
    if (!Array.isArray(args)) continue;
    const [first, second] = args as unknown[];
    // `setFont` is told by its arguments: the name under which the font was loaded, and a size
    if (typeof first === 'string' && typeof second === 'number') names = namesOf(first, fontOf);
    else if (Array.isArray(first))
      for (const glyph of first)
        if (isGlyph(glyph) && glyph.unicode === '\0') letters.push(lettersOf(names[glyph.originalCharCode]));
  }
  return letters;
}

/** Puts the letters in the places of U+0000, as long as there are as many of them. */
export function withNamedGlyphs<Item extends Pick<PdfItem, 'str'>>(
  items: readonly Item[],
  letters: readonly (string | null)[],
): Item[] {
  const places = items.reduce((sum, { str }) => sum + str.split('\0').length - 1, 0);
  if (places !== letters.length) return [...items];
  let next = 0;
  return items.map((item) => ({ ...item, str: item.str.replace(/\0/g, () => letters[next++] ?? '\0') }));
}

function namesOf(font: string, fontOf: (name: string) => unknown): readonly (string | undefined)[] {
  try {
    const { differences } = fontOf(font) as { differences?: readonly (string | undefined)[] };
    return differences ?? [];
  } catch {
    // the library throws for a font that it did not load
    return [];
  }
}

function isGlyph(value: unknown): value is Glyph {
  return typeof value === 'object' && value !== null && 'unicode' in value && 'originalCharCode' in value;
}

/** "ffi", "f_f_i" and "uni0066" by the rules of the Adobe Glyph List; other names are not letters. */
function lettersOf(name: string | undefined): string | null {
  const base = name?.split('.', 1)[0] ?? '';
  const parts = base.split('_').map((part) => {
    const code = /^(?:uni|u)([0-9A-F]{4,6})$/.exec(part)?.[1];
    if (code !== undefined) return String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10ffff));
    return /^([A-Za-z]|ff|fi|fl|ffi|ffl|ft|fj|st|ct|Th)$/.test(part) ? part : null;
  });
  return parts.includes(null) ? null : parts.join('');
}
