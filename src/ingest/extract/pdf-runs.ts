/** A run of text as pdf.js gives it: `transform` ends with x and y of its beginning, y growing upwards. */
export interface PdfItem {
  readonly str: string;
  readonly dir: string;
  readonly transform: readonly number[];
  readonly width: number;
  readonly height: number;
}

/** A run with its place on the page, turned so that its line runs to the right. Units are the page's points. */
export interface Run {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  /** Of the line that it stands on; larger is higher. */
  readonly base: number;
  readonly height: number;
  /** White space followed it where it was painted. */
  readonly isSpaced: boolean;
}

/** Runs by the direction of their lines, the one with the most text first. */
export function runsByDirection(items: readonly PdfItem[]): Run[][] {
  const groups = new Map<number, { runs: Run[]; length: number }>();
  for (const [i, item] of items.entries()) {
    if (item.str.trim() === '') continue;
    const quarter = quarterOf(item);
    const group = groups.get(quarter) ?? { runs: [], length: 0 };
    groups.set(quarter, group);
    group.runs.push(toRun(item, quarter, /^\s+$/.test(items[i + 1]?.str ?? '')));
    group.length += item.str.length;
  }
  return [...groups.values()].sort((a, b) => b.length - a.length).map(({ runs }) => runs);
}

/** Quarters of a turn against the clock; slanted text counts to the nearest. */
function quarterOf({ transform }: PdfItem): number {
  const [a = 0, b = 0] = transform;
  return (Math.round(Math.atan2(b, a) / (Math.PI / 2)) + 4) % 4;
}

function toRun(item: PdfItem, quarter: number, isSpaced: boolean): Run {
  const [a = 0, b = 0, c = 0, d = 0, x = 0, y = 0] = item.transform;
  const height = item.height || Math.hypot(c, d) || Math.hypot(a, b) || 1;
  const [along, up] = [
    [x, y],
    [y, -x],
    [-x, -y],
    [-y, x],
  ][quarter]!;
  return { text: item.str, left: along!, right: along! + Math.abs(item.width), base: up!, height, isSpaced };
}
