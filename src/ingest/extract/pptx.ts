import { type ExtractedFile, unreadable } from './extracted-file.js';
import { elementsOf, type MarkupElement, parseXml } from './markup.js';
import { type ZipParts, zipParts } from './zip-parts.js';

const SLIDE = /^ppt\/slides\/slide(\d+)\.xml$/;
const NOTES = /^ppt\/notesSlides\/notesSlide\d+\.xml$/;
const RELATIONS = /^ppt\/(slides\/)?_rels\/[^/]+\.rels$/;
const SLIDE_BREAK = '\n\n';

/** The slides of a presentation, each a page: its title a heading, its other texts, its notes. */
export function extractPptx(bytes: Uint8Array): ExtractedFile {
  const parts = zipParts(
    bytes,
    (name) => SLIDE.test(name) || NOTES.test(name) || RELATIONS.test(name) || name === 'ppt/presentation.xml',
  );
  const names = slideNames(parts);
  if (names.length === 0) throw unreadable('corrupt');
  const pageStarts: number[] = [];
  let text = '';
  for (const name of names) {
    const slide = slideText(parts, name);
    if (text !== '' && slide !== '') text += SLIDE_BREAK;
    pageStarts.push(text.length);
    text += slide;
  }
  const mediaType = 'application/vnd.openxmlformats-officedocument.presentationml.presentation';
  return { text, mediaType, pageStarts, warnings: [] };
}

/** In the order of the show, which is not that of the numbers. */
function slideNames(parts: ZipParts): string[] {
  const targets = relations(parts, 'ppt/_rels/presentation.xml.rels');
  const presentation = parts['ppt/presentation.xml'];
  const shown = presentation
    ? [...elementsOf(xmlOf(presentation), 'p:sldId')].flatMap((slide) => {
        const target = targets.get(slide.getAttribute('r:id') ?? '');
        return target === undefined ? [] : [`ppt/${target.replace(/^\/?(ppt\/)?/, '')}`];
      })
    : [];
  const known = shown.filter((name) => name in parts);
  if (known.length > 0) return known;
  const number = (name: string) => Number(SLIDE.exec(name)![1]);
  return Object.keys(parts)
    .filter((name) => SLIDE.test(name))
    .sort((a, b) => number(a) - number(b));
}

function slideText(parts: ZipParts, name: string): string {
  const blocks = shapesOf(xmlOf(parts[name]!));
  const rels = relations(parts, name.replace(/slides\/(.+)$/, 'slides/_rels/$1.rels'));
  for (const target of rels.values()) {
    const notes = parts[`ppt/${target.replace('../', '')}`];
    if (NOTES.test(`ppt/${target.replace('../', '')}`) && notes) blocks.push(...shapesOf(xmlOf(notes)));
  }
  return blocks.join('\n\n').replaceAll('\0', '').replace(/\r\n?/g, '\n');
}

/** Numbers of slides and dates at their edges. */
const FURNITURE = new Set(['sldNum', 'dt', 'ftr', 'hdr', 'sldImg']);

function shapesOf(slide: MarkupElement): string[] {
  const blocks: string[] = [];
  for (const shape of elementsOf(slide, 'p:sp')) {
    const [place] = elementsOf(shape, 'p:ph');
    const type = place?.getAttribute('type') ?? '';
    const lines = [...elementsOf(shape, 'a:p')].map(paragraphText).filter((line) => line !== '');
    if (lines.length === 0 || FURNITURE.has(type)) continue;
    blocks.push(type === 'title' || type === 'ctrTitle' ? `# ${lines.join(' ')}` : lines.join('\n'));
  }
  for (const table of elementsOf(slide, 'a:tbl')) {
    const rows = [...elementsOf(table, 'a:tr')].map((row) =>
      [...elementsOf(row, 'a:tc')].map((cell) => [...elementsOf(cell, 'a:p')].map(paragraphText).join(' ').trim()),
    );
    const lines = rows.map((row) => `| ${row.join(' | ')} |`);
    if (lines.length > 0) blocks.push([lines[0], `|${' --- |'.repeat(rows[0]!.length)}`, ...lines.slice(1)].join('\n'));
  }
  return blocks;
}

function paragraphText(paragraph: MarkupElement): string {
  return [...elementsOf(paragraph, 'a:t')]
    .map((run) => run.textContent ?? '')
    .join('')
    .trim();
}

function relations(parts: ZipParts, name: string): Map<string, string> {
  const part = parts[name];
  const targets = new Map<string, string>();
  if (part)
    for (const relation of elementsOf(xmlOf(part), 'Relationship'))
      targets.set(relation.getAttribute('Id') ?? '', relation.getAttribute('Target') ?? '');
  return targets;
}

function xmlOf(part: Uint8Array): MarkupElement {
  return parseXml(Buffer.from(part.buffer, part.byteOffset, part.byteLength).toString('utf8'));
}
