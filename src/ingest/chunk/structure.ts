import type { Budget } from './budget.js';
import type { ChunkSpan } from './chunker.js';
import { DELIMITED_TYPES, forEachRecordStart } from './delimited-rows.js';
import { type Block, markdownBlocks } from './markdown-blocks.js';
import { overlapped, piecesOf, type Section } from './recursive.js';
import { stableCuts } from './stable-cuts.js';
import { trimSpan } from './trim.js';
import { collectUnits, forEachLineStart, LEVEL, type Level, type Units } from './units.js';

/** A heading with what follows it up to the next; headings without text of their own begin the section after them. */
interface StructuredSection extends Section {
  readonly blocks: readonly Block[];
}

/** A table's header may take this much of a chunk; a longer one is left out. */
const HEADER_SHARE = 0.25;

/** STRUCTURE: sections by heading, each cut like RECURSIVE when it is too long, tables and code whole when they fit. */
export function chunkByStructure(budget: Budget, mediaType: string): ChunkSpan[] {
  return sectionsOf(budget.text, mediaType).flatMap((section) => chunkSection(budget, section));
}

export function sectionsOf(text: string, mediaType: string): StructuredSection[] {
  const sections: { start: number; end: number; headings: string[]; blocks: Block[]; hasBody: boolean }[] = [];
  let path: { level: number; title: string }[] = [];
  for (const block of blocksOf(text, mediaType)) {
    const last = sections.at(-1);
    if (block.kind === 'heading') path = [...path.filter(({ level }) => level < block.level), block];
    const headings = path.map(({ title }) => title).filter((title) => title !== '');
    const hasBody = block.kind !== 'heading' && trimSpan(text, block.start, block.end) !== null;
    if (last && (block.kind !== 'heading' || !last.hasBody)) {
      last.blocks.push(block);
      last.end = block.end;
      last.hasBody ||= hasBody;
      if (block.kind === 'heading') last.headings = headings;
    } else {
      sections.push({ start: block.start, end: block.end, headings, blocks: [block], hasBody });
    }
  }
  return sections;
}

function blocksOf(text: string, mediaType: string): Block[] {
  if (!(mediaType in DELIMITED_TYPES)) return markdownBlocks(text);
  let headerEnd = text.length;
  forEachRecordStart(text, 0, text.length, (at) => {
    headerEnd = Math.min(headerEnd, at);
  });
  return text === ''
    ? []
    : [{ kind: 'table', start: 0, end: text.length, header: text.slice(0, headerEnd).trim(), isDelimited: true }];
}

function chunkSection(budget: Budget, section: StructuredSection): ChunkSpan[] {
  const { text, count } = budget;
  const span = trimSpan(text, section.start, section.end);
  if (!span) return [];
  const whole = span.end - span.start <= budget.limit * 16 ? budget.fit(span, section.headings) : null;
  if (whole) return [whole];
  const room = budget.room(section.headings);
  const overlap = Math.min(budget.overlap, Math.floor(room / 2));
  const headers = new Map(
    section.blocks.flatMap((block) => (block.kind === 'table' ? [[block, headerOf(block, room, count)]] : [])),
  );
  const longestHeader = Math.max(
    0,
    ...[...headers.values()].map((header) => (header === '' ? 0 : count(`${header}\n`))),
  );
  const limits = { whole: room, own: Math.max(1, room - Math.max(overlap, longestHeader)) };
  const units = unitsOf(budget, section, limits);
  const pieces = piecesOf(text, units, stableCuts(text, units, limits.own));
  const blockAt = blockFinder(section.blocks);
  return overlapped(budget, pieces, section.headings, {
    overlap,
    // a row or a line of code repeated in half is worse than none
    mayOverlap: (piece) => blockAt(piece.start).kind === 'text' && blockAt(piece.start - 1).kind === 'text',
    contextOf: (piece) => {
      const block = blockAt(piece.start);
      return block.kind === 'table' && piece.start >= block.start + block.header.length ? headers.get(block)! : '';
    },
  });
}

function headerOf({ header }: Block & { kind: 'table' }, room: number, count: Budget['count']): string {
  return count(header) <= room * HEADER_SHARE ? header : '';
}

function unitsOf(budget: Budget, section: StructuredSection, limits: { whole: number; own: number }): Units {
  const { text, count } = budget;
  const starts: number[] = [];
  const tokens: number[] = [];
  const levels: Level[] = [];
  const push = (start: number, size: number, level: Level) => {
    starts.push(start);
    tokens.push(size);
    levels.push(level);
  };
  const pushAll = (units: Units, first: Level) => {
    for (const [index, start] of units.starts.entries())
      push(start, units.tokens[index]!, index === 0 ? first : units.levels[index]!);
  };

  for (const block of section.blocks) {
    const span = trimSpan(text, block.start, block.end);
    if (!span) continue;
    const level = block.kind === 'heading' ? LEVEL.SECTION : LEVEL.PARAGRAPH;
    if (block.kind === 'text') {
      pushAll(
        collectUnits(text, block.start, block.end, {
          limit: limits.own,
          coarsest: LEVEL.PARAGRAPH,
          count,
          whole: false,
        }),
        level,
      );
      continue;
    }
    const size = count(text.slice(span.start, span.end));
    if (size <= limits.whole) {
      push(block.start, size, level);
      continue;
    }
    let from = block.start;
    // a table's header is worth nothing by itself: it stays with the row after it
    let skipped = block.kind !== 'table' ? 0 : block.isDelimited ? 1 : 2;
    const next = (to: number) => {
      if (skipped > 0 && to < block.end) {
        skipped--;
        return;
      }
      pushAll(
        collectUnits(text, from, to, { limit: limits.own, coarsest: LEVEL.LINE, count }),
        from === block.start ? level : LEVEL.LINE,
      );
      from = to;
    };
    if (block.kind === 'table' && block.isDelimited) forEachRecordStart(text, block.start, block.end, next);
    else forEachLineStart(text, block.start, block.end, next);
    next(block.end);
  }
  return withHeadingsAttached(section, { starts, tokens, levels, end: section.end }, limits.own);
}

/** A heading and the first unit under it are one, so that no chunk ends with a heading. */
function withHeadingsAttached(section: StructuredSection, units: Units, limit: number): Units {
  const headingStarts = new Set(section.blocks.flatMap(({ kind, start }) => (kind === 'heading' ? [start] : [])));
  const starts: number[] = [];
  const tokens: number[] = [];
  const levels: Level[] = [];
  let isAfterHeading = false;
  for (const [index, start] of units.starts.entries()) {
    const size = units.tokens[index]!;
    if (isAfterHeading && tokens.at(-1)! + size <= limit) {
      tokens.push(tokens.pop()! + size);
    } else {
      starts.push(start);
      tokens.push(size);
      levels.push(units.levels[index]!);
    }
    isAfterHeading = headingStarts.has(start);
  }
  return { starts, tokens, levels, end: units.end };
}

/** The block at a place, by bisection. */
function blockFinder(blocks: readonly Block[]): (at: number) => Block {
  return (at) => {
    let low = 0;
    let high = blocks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (blocks[middle]!.start <= at) low = middle;
      else high = middle - 1;
    }
    return blocks[low]!;
  };
}
