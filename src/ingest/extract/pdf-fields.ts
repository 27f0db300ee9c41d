import type { PdfItem } from './pdf-runs.js';

/** What is used of an annotation as pdf.js gives it. */
interface Annotation {
  readonly subtype?: string;
  readonly fieldValue?: unknown;
  readonly rect?: readonly number[];
  readonly checkBox?: boolean;
  readonly radioButton?: boolean;
  readonly hidden?: boolean;
}

/** Points: forms are filled in at about this size, however large the field is. */
const FIELD_TEXT_HEIGHT = 10;

/** The filled-in fields of a page's form as runs that stand where the fields are. */
export function fieldItems(annotations: readonly Annotation[], printed: readonly PdfItem[]): PdfItem[] {
  return annotations.flatMap(({ subtype, fieldValue, rect, checkBox, radioButton, hidden }) => {
    if (subtype !== 'Widget' || checkBox || radioButton || hidden || rect === undefined) return [];
    const values = (Array.isArray(fieldValue) ? fieldValue : [fieldValue]).filter(
      (value): value is string => typeof value === 'string' && value.trim() !== '',
    );
    const [left = 0, bottom = 0, right = 0, top = 0] = rect;
    const room = Math.max(1, top - bottom);
    const height = Math.min(FIELD_TEXT_HEIGHT, room);
    return values.flatMap((value) =>
      value.split(/\r\n?|\n/).map((str, i): PdfItem => {
        // in the middle of a field of one line, from the top of a larger one; on the line of its label, if one is beside it
        const middle = room < 3 * height ? bottom + (room - height) / 2 : top - height;
        const base = i === 0 ? labelBase(printed, left, middle, height) : middle - i * height * 1.2;
        return { str, dir: 'ltr', transform: [height, 0, 0, height, left, base], width: right - left, height };
      }),
    );
  });
}

function labelBase(printed: readonly PdfItem[], left: number, base: number, height: number): number {
  const label = printed.find(
    ({ str, transform: [, , , , x = 0, y = 0] }) => str.trim() !== '' && x < left && Math.abs(y - base) < height,
  );
  return label?.transform[5] ?? base;
}
