/** A text on a page of US letter size: where it begins, in points from the lower left corner. */
export interface Placed {
  readonly at: readonly [x: number, y: number];
  readonly text: string;
  readonly size?: number;
}

/** A PDF in Helvetica with these texts on each of its pages, painted in the order given. */
export function makePdf(
  pages: readonly (readonly Placed[])[],
  { font = '', extra = [] as readonly string[] } = {},
): Buffer {
  const kids = pages.map((_, i) => `${10 + 2 * i} 0 R`).join(' ');
  const objects = new Map<number, string>([
    [1, '<< /Type /Catalog /Pages 2 0 R >>'],
    [2, `<< /Type /Pages /Count ${pages.length} /Kids [${kids}] >>`],
    [3, `<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica ${font || '/Encoding /WinAnsiEncoding'} >>`],
    ...extra.map((object, i): [number, string] => [4 + i, object]),
  ]);
  for (const [i, placed] of pages.entries()) {
    const content = placed
      .map(({ at: [x, y], text, size = 10 }) => `BT /F1 ${size} Tf 1 0 0 1 ${x} ${y} Tm (${escaped(text)}) Tj ET`)
      .join('\n');
    objects.set(
      10 + 2 * i,
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${11 + 2 * i} 0 R >>`,
    );
    objects.set(11 + 2 * i, stream(content));
  }
  return assembled(objects);
}

export function stream(content: string): string {
  return `<< /Length ${content.length} >>\nstream\n${content}\nendstream`;
}

function escaped(text: string): string {
  return text.replace(/[\\()]/g, '\\$&');
}

function assembled(objects: ReadonlyMap<number, string>): Buffer {
  let file = '%PDF-1.4\n';
  const places = new Map<number, number>();
  for (const [number, object] of objects) {
    places.set(number, file.length);
    file += `${number} 0 obj\n${object}\nendobj\n`;
  }
  const size = Math.max(...objects.keys()) + 1;
  const rows = Array.from({ length: size }, (_, i) =>
    places.has(i) ? `${String(places.get(i)).padStart(10, '0')} 00000 n \n` : '0000000000 65535 f \n',
  );
  const xref = file.length;
  return Buffer.from(
    `${file}xref\n0 ${size}\n${rows.join('')}trailer << /Size ${size} /Root 1 0 R >>\nstartxref\n${xref}\n%%EOF`,
    'latin1',
  );
}
