import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer, upsert } from './server.js';

// A table that is far longer than a chunk: its header row counts for each of its rows, and is written in none of them.

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => server?.stop());

const HEADER = '| Valve | Opening pressure | Last overhaul |';
const ROWS = Array.from({ length: 120 }, (_, n) => `| VB-${100 + n} | ${3 + (n % 9)} bar | 2024-0${1 + (n % 9)}-11 |`);
const TEXT = `# Valve book\n\nAll valves of the works.\n\n${HEADER}\n|---|---|---|\n${ROWS.join('\n')}\n\nChecked.\n`;
const SEARCH = `query($input: SearchInput!) {
  search(input: $input, first: 5) {
    nodes { start end text document { title text } }
    edges { highlights { start end text } node { text } }
  }
}`;

describe.each([true, false])('rows of a long table, contextual: %s,', (contextual) => {
  const title = `valves ${contextual}`;
  beforeAll(async () => {
    const chunking = { strategy: 'STRUCTURE', maxTokens: 120, contextual };
    const input = { title, text: TEXT, mediaType: 'text/markdown', chunking, waitUntil: 'SEARCHABLE' };
    expect((await upsert(server, input)).userErrors).toEqual([]);
  });

  test.each(['HYBRID', 'TEXT'])('are found first by words of the header and their key, in %s', async (mode) => {
    for (const key of ['VB-117', 'VB-199']) {
      const input = { query: `${key} opening pressure`, mode, filter: { titles: [title] } };
      const { search } = await server.data(SEARCH, { input });
      expect(search.nodes[0].text).toContain(`| ${key} |`);
    }
  });

  test('have their own text and nothing else, and what is marked lies in it', async () => {
    const input = { query: 'VB-150 last overhaul pressure', mode: 'TEXT', filter: { titles: [title] } };
    const { search } = await server.data(SEARCH, { input });
    expect(search.nodes).toHaveLength(5);
    for (const { start, end, text, document } of search.nodes) expect(document.text.slice(start, end)).toBe(text);
    expect(search.edges.flatMap(({ highlights }: { highlights: object[] }) => highlights).length).toBeGreaterThan(0);
    for (const { highlights, node } of search.edges)
      for (const mark of highlights) expect(node.text.slice(mark.start, mark.end)).toBe(mark.text);
  });
});
