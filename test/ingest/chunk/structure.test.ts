import { describe, expect, it } from 'vitest';
import { chunk } from '../../../src/ingest/chunk/chunk.js';
import { markdownBlocks } from '../../../src/ingest/chunk/markdown-blocks.js';
import { contextOf, expectSound, expectWithin } from './texts.js';

async function cut(text: string, maxTokens = 400, overlap = 0, mediaType = 'text/markdown') {
  const context = contextOf({ strategy: 'STRUCTURE', maxTokens, overlap }, { mediaType });
  const chunks = await chunk(text, context);
  expectSound(text, chunks, context);
  expectWithin(text, chunks, context);
  return chunks.map(({ start, end, headings, context: words }) => ({ text: text.slice(start, end), headings, words }));
}

describe('Markdown blocks', () => {
  const kindsOf = (text: string) =>
    markdownBlocks(text).map((block) => (block.kind === 'heading' ? `h${block.level} ${block.title}` : block.kind));

  it.each([
    ['# One\ntext\n## Two ##\n', ['h1 One', 'text', 'h2 Two']],
    ['#hashtag\n', ['text']],
    ['####### seven\n', ['text']],
    ['    # indented code\n', ['text']],
    ['   ### three spaces\n', ['h3 three spaces']],
    ['Title\n=====\nText\n', ['h1 Title', 'text']],
    ['para\n\nTitle\n---\n', ['text', 'h2 Title']],
    ['line one\nline two\n---\n', ['text']],
    ['- item\n---\n', ['text']],
    ['a\n\n---\n\nb\n', ['text']],
    ['---\ntitle: x\n---\n# One\n', ['text', 'h1 One']],
    ['```sh\n# comment\n```\n# Real\n', ['code', 'h1 Real']],
    ['~~~\n# comment\n```\n~~~\ntext', ['code', 'text']],
    ['````\n```\n# still code\n````\n# Real', ['code', 'h1 Real']],
    ['```\n# never closed', ['code']],
    ['`` `inline` ``\n# Real', ['text', 'h1 Real']],
    ['| a | b |\n|---|---|\n| 1 | 2 |\n\ntext', ['table', 'text']],
    ['intro\na | b\n--- | ---\n1 | 2\n', ['text', 'table']],
    ['a | b\nno delimiter\n', ['text']],
    ['# A [link](http://x) with `code` and **bold** snake_case_name', ['h1 A link with code and bold snake_case_name']],
    ['', []],
  ])('of %j are %j', (text, kinds) => {
    expect(kindsOf(text)).toEqual(kinds);
  });

  it('cover the text without gaps', () => {
    const text = 'x\n# One\n\n```\ncode\n```\n| a |\n|---|\n| 1 |\ny\n';
    const blocks = markdownBlocks(text);
    expect(blocks.map(({ start }) => start)).toEqual([0, ...blocks.slice(0, -1).map(({ end }) => end)]);
    expect(blocks.at(-1)!.end).toBe(text.length);
  });
});

describe('STRUCTURE', () => {
  it('gives every section its path of headings, outermost first', async () => {
    const chunks = await cut('Preface.\n\n# One\n\nA.\n\n## Deep\n\nB.\n\n# Two\n\nC.\n');
    expect(chunks).toEqual([
      { text: 'Preface.', headings: [], words: '' },
      { text: '# One\n\nA.', headings: ['One'], words: '' },
      { text: '## Deep\n\nB.', headings: ['One', 'Deep'], words: '' },
      { text: '# Two\n\nC.', headings: ['Two'], words: '' },
    ]);
  });

  it('begins a section with the headings that have no text of their own', async () => {
    expect(await cut('# One\n\n## Deep\n\nB.\n')).toEqual([
      { text: '# One\n\n## Deep\n\nB.', headings: ['One', 'Deep'], words: '' },
    ]);
  });

  it.each(['```', '~~~', '`````'])('sees no heading in a fence of %s and cuts none that fits', async (marks) => {
    const fence = `${marks}sh\n${'# a comment\nrun --this\n\n'.repeat(6)}${marks}`;
    const text = `# Real Title\n\n${'Words before it. '.repeat(20)}\n\n${fence}\n\n${'Words after it. '.repeat(20)}`;
    const chunks = await cut(text, 100, 10);
    expect(chunks.every(({ headings }) => headings.join() === 'Real Title')).toBe(true);
    expect(chunks.filter(({ text: piece }) => piece.includes(fence))).toHaveLength(1);
  });

  it('cuts a table at row ends and gives the embedder its header row', async () => {
    const rows = Array.from({ length: 60 }, (_, at) => `| PX-${at} | ${at * 3} h | note ${at} |\n`);
    const header = '| Part | Running time | Note |';
    const text = `# Maintenance\n\nSee below.\n\n${header}\n|---|---|---|\n${rows.join('')}\nDone.`;
    const chunks = await cut(text, 120, 20);
    expect(chunks.length).toBeGreaterThan(4);
    for (const { text: piece, words } of chunks) {
      const lines = piece.split('\n').filter((line) => line.includes('|'));
      for (const line of lines)
        expect(`${line}\n`).toSatisfy(
          (row: string) => rows.includes(row) || row.startsWith(header) || row.startsWith('|---'),
        );
      expect(words).toBe(piece.startsWith('| PX') ? header : '');
    }
  });

  it('never parts a table’s header from its first row', async () => {
    const text = `${'Before the table. '.repeat(12)}\n\n| Head | Er |\n|---|---|\n${'| some cell | another cell |\n'.repeat(20)}`;
    for (const { text: piece } of await cut(text, 60)) {
      if (piece.includes('| Head')) expect(piece).toContain('| some cell');
    }
  });

  it('ends no chunk with a heading', async () => {
    const text = Array.from(
      { length: 12 },
      (_, at) => `## Part ${at}\n\n${'Words and words. '.repeat(at * 4)}\n\n`,
    ).join('');
    for (const { text: piece } of await cut(text, 80, 10)) expect(piece).not.toMatch(/\n## Part \d+$/);
  });

  it.each([
    ['text/csv', ','],
    ['text/tab-separated-values', '\t'],
  ])('takes %s as one table whose records may hold line feeds in quotes', async (mediaType, comma) => {
    const records = Array.from({ length: 40 }, (_, at) =>
      [`Name ${at}`, `"first line\nsecond line ""${at}"""`, `${at}`].join(comma),
    );
    const text = [['name', 'note', 'number'].join(comma), ...records].join('\n');
    const chunks = await cut(text, 80, 10, mediaType);
    expect(chunks.length).toBeGreaterThan(5);
    for (const { text: piece } of chunks) expect(piece.split('"').length % 2).toBe(1);
    expect(chunks.slice(1).every(({ words }) => words === ['name', 'note', 'number'].join(comma))).toBe(true);
  });

  it('reserves room for the title and headings that a contextual chunk is embedded behind', async () => {
    const text = `# ${'A long heading of many words '.repeat(3)}\n\n${'And then the text goes on. '.repeat(60)}`;
    const context = contextOf(
      { strategy: 'STRUCTURE', maxTokens: 100, contextual: true },
      { prefix: (headings) => `Title > ${headings.join(' > ')}\n\n` },
    );
    const chunks = await chunk(text, context);
    expectWithin(text, chunks, context);
    expect(chunks.length).toBeGreaterThan(4);
  });

  it('refuses a prefix that leaves no room, saying what to do', async () => {
    const context = contextOf(
      { strategy: 'STRUCTURE', maxTokens: 20, contextual: true },
      { prefix: () => 'a title of far too many words to leave any room at all for what it is the title of' },
    );
    await expect(chunk('word '.repeat(50), context)).rejects.toMatchObject({
      code: 'INVALID',
      message: expect.stringContaining('maxTokens'),
    });
  });
});

describe('PARENT_CHILD', () => {
  it('puts every child inside its parent, and parents one after another within their sections', async () => {
    const text = Array.from(
      { length: 6 },
      (_, at) => `## Part ${at}\n\n${`Sentence ${at} of many words. `.repeat(40)}\n\n`,
    ).join('');
    const context = contextOf(
      { strategy: 'PARENT_CHILD', maxTokens: 40, parentMaxTokens: 160, overlap: 5 },
      { mediaType: 'text/markdown' },
    );
    const chunks = await chunk(text, context);
    expectSound(text, chunks, context);
    for (const { start, end, parent } of chunks) {
      expect(parent!.start).toBeLessThanOrEqual(start);
      expect(parent!.end).toBeGreaterThanOrEqual(end);
      expect(context.countTokens(text.slice(parent!.start, parent!.end))).toBeLessThanOrEqual(160);
    }
    const parents = [...new Map(chunks.map(({ parent }) => [parent!.start, parent!])).values()];
    for (const [at, parent] of parents.entries())
      if (at > 0) expect(parent.start).toBeGreaterThanOrEqual(parents[at - 1]!.end);
    expect(chunks.length).toBeGreaterThan(2 * parents.length);
    expect(chunks[0]!.headings).toEqual(['Part 0']);
  });

  it('refuses parents smaller than their children', async () => {
    const context = contextOf({ strategy: 'PARENT_CHILD', maxTokens: 40, parentMaxTokens: 39 });
    await expect(chunk('text', context)).rejects.toMatchObject({
      code: 'INVALID',
      path: ['input', 'chunking', 'parentMaxTokens'],
    });
  });
});

describe('SEMANTIC', () => {
  it('cuts where the topic shifts', async () => {
    const cats = 'The cat chased a mouse over the cat mat. The cat sleeps with a cat. A mouse fears the cat. ';
    const ships =
      'The ship left its harbour with cargo. Cargo ships need a harbour. The harbour loads ship after ship. ';
    const text = (cats + cats + ships + ships).trim();
    const chunks = await chunk(text, contextOf({ strategy: 'SEMANTIC', maxTokens: 110 }));
    expect(chunks.map(({ start }) => start)).toContain(text.indexOf('The ship left'));
  });

  it('embeds every sentence once and no blank one', async () => {
    const asked: string[] = [];
    const text = `One sentence. ${'Two sentences and more. '.repeat(20)}\n\n\u200b\n\nThe last one.`;
    await chunk(
      text,
      contextOf(
        { strategy: 'SEMANTIC', maxTokens: 40 },
        {
          embed: async (texts) => {
            asked.push(...texts);
            return texts.map(() => Float32Array.of(1, 0));
          },
        },
      ),
    );
    expect(asked.join(' ')).toBe(text.replace(/\s+\u200b\s+/, ' '));
  });
});
