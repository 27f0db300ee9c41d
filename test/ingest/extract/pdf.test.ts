import { describe, expect, test } from 'vitest';
import { extractPdf } from '../../../src/ingest/extract/pdf.js';
import { makePdf, type Placed, stream } from './make-pdf.js';

const LEFT = [
  'The pump in the cellar lifts the water to',
  'the tower before the sun is up, so that the',
  'town has pressure when it wakes and washes',
  'and cooks, and nobody thinks of the pump.',
];
const RIGHT = [
  'A valve at the foot of the tower closes by',
  'itself when the pipe below it breaks, which',
  'happens in winter, and the water stays where',
  'it is until somebody has mended the pipe.',
];

function column(x: number, lines: readonly string[], top = 700): Placed[] {
  return lines.map((text, i) => ({ at: [x, top - 12 * i], text }));
}

const read = async (...args: Parameters<typeof makePdf>) => extractPdf(makePdf(...args));

describe('the order of reading', () => {
  test('columns are read one after another, also when they were painted line by line', async () => {
    const left = column(60, LEFT);
    const right = column(330, RIGHT);
    const { text } = await read([left.flatMap((line, i) => [line, right[i]!])]);
    expect(text).toBe(`${LEFT.join('\n')}\n\n${RIGHT.join('\n')}`);
  });

  test('what spans the columns comes before or after them', async () => {
    const title: Placed = {
      at: [60, 740],
      text: 'What happens with the water of a small town in the early morning hours',
    };
    const foot: Placed = {
      at: [60, 600],
      text: 'Printed for the members of the association of waterworks, second series',
    };
    const { text } = await read([[foot, ...column(330, RIGHT), ...column(60, LEFT), { ...title, size: 14 }]]);
    expect(text).toBe([title.text, LEFT.join('\n'), RIGHT.join('\n'), foot.text].join('\n\n'));
  });

  test('tables are read row by row', async () => {
    const rows = [
      ['Pump', 'Year', 'Litres'],
      ['PX-1', '1990', '4000'],
      ['PX-2', '2004', '6000'],
      ['PX-3', '2019', '7000'],
    ];
    const cells = rows[0]!.flatMap((_, x) =>
      rows.map((row, y): Placed => ({ at: [60 + 150 * x, 700 - 14 * y], text: row[x]! })),
    );
    const { text } = await read([cells]);
    expect(text.split('\n').map((line) => line.split(/\s+/))).toEqual(rows);
  });

  test('a word that a line end cut is whole, a compound keeps its hyphen', async () => {
    const { text } = await read([
      column(60, ['Before the winter the main-', 'tenance of a self-', 'Employed plumber']),
    ]);
    expect(text).toBe('Before the winter the maintenance of a self-\nEmployed plumber');
  });

  test('paragraphs are told by the distance of their lines', async () => {
    const { text } = await read([[...column(60, LEFT, 700), ...column(60, RIGHT, 630)]]);
    expect(text).toBe(`${LEFT.join('\n')}\n\n${RIGHT.join('\n')}`);
  });
});

describe('pages', () => {
  test('each begins where `pageStarts` says, and those without text are warned about', async () => {
    const { text, pageStarts, warnings } = await read([column(60, ['One.']), [], column(60, ['Three.'])]);
    expect(text).toBe('One.\n\nThree.');
    expect(pageStarts).toEqual([0, 4, 6]);
    expect(warnings).toEqual([expect.stringMatching(/^1 of 3 pages have no text.*: 2$/)]);
  });

  test('a file of pictures only is refused as empty', async () => {
    await expect(read([[], []])).rejects.toMatchObject({ name: 'NotExtractable', kind: 'empty' });
  });

  test('a file that is cut off before its first page is refused as corrupt', async () => {
    await expect(extractPdf(Buffer.from('%PDF-1.7\n1 0 obj\n<< /Type /Cat'))).rejects.toMatchObject({
      kind: 'corrupt',
    });
  });
});

describe('glyphs without a meaning', () => {
  const map = (codes: string) =>
    stream(
      `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def
1 begincodespacerange <00> <FF> endcodespacerange
1 beginbfrange <20> <7E> <0020> endbfrange
${codes}
endcmap CMapName currentdict /CMap defineresource pop end end`,
    );
  const encoding = (differences: string) =>
    `/Encoding << /Type /Encoding /BaseEncoding /WinAnsiEncoding /Differences [${differences}] >> /ToUnicode 4 0 R`;
  const page: Placed[] = [{ at: [60, 700], text: 'The o\x02ce is \x03ne.' }];

  test('are the letters that they are named after', async () => {
    const extra = [map('2 beginbfchar <02> <0000> <03> <0000> endbfchar')];
    const { text, warnings } = await read([page], { font: encoding('2 /ff_i 3 /fi'), extra });
    expect(text).toBe('The office is fine.');
    expect(warnings).toEqual([]);
  });

  test('are counted in a warning with their page where the name says nothing, and no NUL stays', async () => {
    const extra = [map('2 beginbfchar <02> <0000> <03> <0000> endbfchar')];
    const { text, warnings } = await read([[], page], { font: encoding('2 /g17 3 /g18'), extra });
    // how wide a nameless glyph is nobody knows
    expect(text.replaceAll(' ', '')).toBe('Theo\ufffdceis\ufffdne.');
    expect(warnings).toContainEqual(expect.stringMatching(/^2 places show characters .* on page 2/));
  });
});

test('what was typed into a form stands beside its label', async () => {
  const bytes = makePdf([
    [
      { at: [60, 700], text: 'Name:' },
      { at: [60, 660], text: 'Number:' },
    ],
  ]).toString('latin1');
  const field = (number: number, name: string, value: string, y: number) =>
    `${number} 0 obj\n<< /Type /Annot /Subtype /Widget /FT /Tx /T (${name}) /V (${value}) /Rect [120 ${y} 300 ${y + 16}] /P 10 0 R >>\nendobj\n`;
  // objects after the table of places: the reader finds them when it mends the file
  const form = bytes
    .replace('/Type /Catalog', '/Type /Catalog /AcroForm << /Fields [6 0 R 7 0 R] >>')
    .replace('/Contents', '/Annots [6 0 R 7 0 R] /Contents')
    .replace('xref\n', `${field(6, 'n', 'Ada Example', 696)}${field(7, 'z', 'GZ-9', 656)}xref\n`)
    .replace(/startxref\n\d+/, 'startxref\n0');
  const { text } = await extractPdf(Buffer.from(form, 'latin1'));
  expect(text.split(/\n+/).map((line) => line.replace(/\s+/g, ' '))).toEqual(['Name: Ada Example', 'Number: GZ-9']);
});

test('who waits for a long file hears of its pages', async () => {
  const told: number[][] = [];
  const page = (text: string): Placed[] => [{ at: [72, 700], text }];
  await extractPdf(makePdf([page('one'), page('two'), page('three')]), (...far) => told.push(far));
  expect(told).toEqual([
    [1, 3],
    [2, 3],
    [3, 3],
  ]);
});
