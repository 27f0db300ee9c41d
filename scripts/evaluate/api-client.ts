import type { EvaluatedSearch, EvaluationClient, FoundChunk } from '../../src/retrieve/evaluate/evaluation-client.js';
import type { Client } from '../cli/client.js';

const UPSERT = `mutation Upsert($input: UpsertDocumentInput!) {
  upsertDocument(input: $input) { searchable userErrors { code message } }
}`;

const SEARCH = `query Search($input: SearchInput!, $first: Int!) {
  search(input: $input, first: $first) {
    edges { score node { id start end document { title } } }
    diagnostics { degraded }
  }
}`;

const CHUNKS = `query Chunks($title: String!, $after: String) {
  document(by: { title: $title }) {
    chunks(first: 100, after: $after) { nodes { id start end document { title } } pageInfo { hasNextPage endCursor } }
  }
}`;

/** The index follows within seconds; a large ingest may keep it busy for longer. */
const SEARCHABLE_ATTEMPTS = 30;

interface Node {
  readonly id: string;
  readonly start: number;
  readonly end: number;
  readonly document: { readonly title: string };
}

/** An evaluation's client over the GraphQL API, as any other client uses it. */
export function apiEvaluationClient(client: Client): EvaluationClient {
  return {
    async upsert({ title, text, chunking }, isLast) {
      const input = { title, text, ...(chunking && { chunking }), waitUntil: isLast ? 'SEARCHABLE' : 'STORED' };
      for (let attempt = 1; ; attempt++) {
        const { upsertDocument } = await client.run<{
          upsertDocument: { searchable: boolean; userErrors: { code: string; message: string }[] };
        }>(UPSERT, { input });
        const [error] = upsertDocument.userErrors;
        if (error?.code === 'EMPTY_TEXT') return;
        if (error !== undefined) throw new Error(`Document ${title}: ${error.message} (${error.code})`);
        if (!isLast || upsertDocument.searchable) return;
        if (attempt === SEARCHABLE_ATTEMPTS) throw new Error(`Document ${title} did not become searchable`);
      }
    },

    async search({ query, configuration, first, exact, perDocument }: EvaluatedSearch) {
      const { mode, weights, rerank } = configuration;
      const input = {
        query,
        mode,
        ...(weights !== null && { weights }),
        ...(rerank && { rerank }),
        ...(exact && { exact }),
        ...(perDocument && { maxPerDocument: 1 }),
      };
      const started = performance.now();
      const { search } = await client.run<{
        search: { edges: { score: number; node: Node }[]; diagnostics: { degraded: string[] } };
      }>(SEARCH, { input, first });
      const tookMs = performance.now() - started;
      const failed = search.diagnostics.degraded.filter((what) => what !== 'OVERLAY_SKIPPED');
      if (failed.length > 0) throw new Error(`The search was not done as asked: ${failed.join(', ')}`);
      return { hits: search.edges.map(({ score, node }) => ({ ...found(node), score })), tookMs };
    },

    async chunks(title) {
      const all: FoundChunk[] = [];
      let after: string | null = null;
      do {
        const data: { document: { chunks: { nodes: Node[]; pageInfo: { hasNextPage: boolean; endCursor: string } } } } =
          await client.run(CHUNKS, { title, after });
        const { nodes, pageInfo } = data.document.chunks;
        all.push(...nodes.map(found));
        after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
      } while (after !== null);
      return all;
    },
  };
}

function found({ id, start, end, document }: Node): FoundChunk {
  return { id, start, end, title: document.title };
}
