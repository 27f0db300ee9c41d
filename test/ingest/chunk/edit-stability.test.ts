import { describe, expect, it } from 'vitest';
import { chunk } from '../../../src/ingest/chunk/chunk.js';
import { contextOf } from './texts.js';

/**
 * Goal: re-uploading an edited text embeds little again. Method: many seeded random edits, each of one paragraph, counting
 * the chunks whose text did not exist before. Cuts depend on the content near them only, which leaves a thin tail: up to 8
 * edits in 10 000 change four. So one in a table may, and none may change more; greedy packing changes dozens.
 */
const EDITS_PER_TEXT = 20;
const TEXTS = 6;

function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}

const SYLLABLES = 'ka lo mi ter an ve sto ri pu den os ba li quen ar ti'.split(' ');

function paragraphFrom(random: () => number, fewest: number, most: number): string {
  const words = fewest + Math.floor(random() * (most - fewest + 1));
  let text = '';
  for (let word = 0; word < words; word++) {
    for (let syllable = 0; syllable <= random() * 3; syllable++)
      text += SYLLABLES[Math.floor(random() * SYLLABLES.length)];
    text += random() < 0.1 ? '. Then ' : ' ';
  }
  return `${text.trim()}.`;
}

function edited(paragraphs: readonly string[], random: () => number, fewest: number, most: number): string[] {
  const edit = [...paragraphs];
  let at = Math.floor(random() * edit.length);
  // of one paragraph: without its heading a section is another
  while (edit[at]!.startsWith('#')) at = Math.floor(random() * edit.length);
  const kind = random();
  if (kind < 0.4) edit[at] = paragraphFrom(random, fewest, most);
  else if (kind < 0.8) edit.splice(at, 0, paragraphFrom(random, fewest, most));
  else if (kind < 0.9) edit.splice(at, 1);
  else edit[at] = edit[at]!.replace(/\w+/, 'edited');
  return edit;
}

/** Chunks changed by each edit, most first. */
async function changedByEdits(
  chunking: { strategy: 'RECURSIVE' | 'STRUCTURE'; maxTokens: number; overlap: number },
  shape: { paragraphs: number; fewest: number; most: number; heading?: number },
): Promise<number[]> {
  const context = contextOf(chunking, { mediaType: 'text/markdown' });
  const textsOf = async (paragraphs: readonly string[]) => {
    const text = paragraphs.join('\n\n');
    return (await chunk(text, context)).map(({ start, end }) => text.slice(start, end));
  };
  const random = randomFrom(7);
  const changed: number[] = [];
  for (let round = 0; round < TEXTS; round++) {
    const paragraphs = Array.from({ length: shape.paragraphs }, (_, index) =>
      shape.heading && index % shape.heading === 0
        ? `## Part ${index}`
        : paragraphFrom(random, shape.fewest, shape.most),
    );
    const before = new Set(await textsOf(paragraphs));
    for (let edit = 0; edit < EDITS_PER_TEXT; edit++) {
      const after = await textsOf(edited(paragraphs, random, shape.fewest, shape.most));
      changed.push(after.filter((text) => !before.has(text)).length);
    }
  }
  return changed.sort((a, b) => b - a);
}

describe.each([
  ['few', { paragraphs: 5, fewest: 20, most: 60 }],
  ['many', { paragraphs: 120, fewest: 15, most: 60 }],
  ['short', { paragraphs: 60, fewest: 3, most: 20 }],
  ['long', { paragraphs: 20, fewest: 80, most: 150 }],
] as const)('changing, inserting or deleting one of %s paragraphs', (_, shape) => {
  it.each([
    [400, 50],
    [256, 50],
    [400, 0],
  ])('changes at most three chunks of RECURSIVE %i / %i', async (maxTokens, overlap) => {
    const [most, second] = await changedByEdits({ strategy: 'RECURSIVE', maxTokens, overlap }, shape);
    expect(most).toBeLessThanOrEqual(4);
    expect(second).toBeLessThanOrEqual(3);
  });
});

it('moves no cut when one word of a very long paragraph changes', async () => {
  const text = paragraphFrom(randomFrom(3), 3_000, 3_000);
  const context = contextOf({ strategy: 'RECURSIVE', maxTokens: 400, overlap: 50 });
  const textsOf = async (whole: string) =>
    (await chunk(whole, context)).map(({ start, end }) => whole.slice(start, end));
  const before = new Set(await textsOf(text));
  const at = text.indexOf(' ', text.length / 2);
  const after = await textsOf(`${text.slice(0, at)} edited${text.slice(at)}`);
  expect(before.size).toBeGreaterThan(10);
  expect(after.filter((piece) => !before.has(piece)).length).toBeLessThanOrEqual(3);
});

it('holds for STRUCTURE, sections and all', async () => {
  const shape = { paragraphs: 80, fewest: 15, most: 60, heading: 9 };
  const [most, second] = await changedByEdits({ strategy: 'STRUCTURE', maxTokens: 400, overlap: 50 }, shape);
  expect(most).toBeLessThanOrEqual(4);
  expect(second).toBeLessThanOrEqual(3);
});
