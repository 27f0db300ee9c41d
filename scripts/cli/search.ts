import type { Client } from './client.js';
import type { Output } from './output.js';

export interface SearchCommand {
  readonly query: string;
  readonly mode: string | null;
  readonly first: number;
  readonly filter: unknown;
  readonly json: boolean;
}

const SEARCH = `query Search($input: SearchInput!, $first: Int!) {
  search(input: $input, first: $first) {
    edges {
      rank score scores { similarity text fused } highlights { text }
      node { text page headings document { title } }
    }
    diagnostics { mode embeddingSpace degraded tookMs }
  }
}`;

interface Hit {
  readonly rank: number;
  readonly score: number;
  readonly highlights: readonly { readonly text: string }[];
  readonly node: {
    readonly text: string;
    readonly page: number | null;
    readonly headings: readonly string[];
    readonly document: { readonly title: string };
  };
}

export interface Found {
  readonly edges: readonly Hit[];
  readonly diagnostics: { readonly mode: string; readonly degraded: readonly string[]; readonly tookMs: number };
}

/** Prints the passages that answer a question best. */
export async function search(client: Client, command: SearchCommand, output: Output): Promise<void> {
  const found = await searchFor(client, command);
  if (command.json) return output.out(JSON.stringify(found, null, 2));
  if (found.edges.length === 0) output.out('No hits');
  for (const hit of found.edges) output.out(hitText(hit));
  const { mode, degraded, tookMs } = found.diagnostics;
  output.err(`${mode}, ${Math.round(tookMs)} ms${degraded.length > 0 ? `, without: ${degraded.join(', ')}` : ''}`);
}

export async function searchFor(client: Client, command: Omit<SearchCommand, 'json'>): Promise<Found> {
  const { query, mode, filter, first } = command;
  const input = { query, ...(mode && { mode }), ...(filter !== undefined && { filter }) };
  const data = await client.run<{ search: Found }>(SEARCH, { input, first });
  return data.search;
}

const MAX_SNIPPET_CHARACTERS = 240;

/** The place of a hit, and the pieces that matched or, where no words did, how the passage begins. */
export function hitText({ rank, score, node, highlights }: Hit): string {
  const place = [node.document.title, node.page === null ? '' : `p. ${node.page}`, ...node.headings]
    .filter((part) => part !== '')
    .join(' › ');
  const pieces = highlights.length > 0 ? highlights.map(({ text }) => text.trim()).join(' … ') : node.text;
  return `${String(rank).padStart(2)}. ${place}  (${score.toFixed(3)})\n    ${oneLine(pieces)}`;
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > MAX_SNIPPET_CHARACTERS ? `${line.slice(0, MAX_SNIPPET_CHARACTERS).toWellFormed()}…` : line;
}
