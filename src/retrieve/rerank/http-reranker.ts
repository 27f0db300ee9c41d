import { AppError } from '../../errors.js';
import { postJson } from './post-json.js';
import type { Reranker } from './reranker.js';

/** The `/rerank` endpoints differ in a few names; what they mean is the same. */
export interface HttpRerankerOptions {
  readonly dialect: RerankDialect;
  /** The whole URL, or up to the version: `/rerank` is added where it is missing. Default: the provider's own. */
  readonly url?: string;
  readonly model?: string;
  /** Sent as a bearer token. Never in a message. */
  readonly apiKey?: string;
  readonly fetch?: typeof fetch;
}

export const RERANK_DIALECTS = ['cohere', 'voyage', 'jina', 'tei', 'vllm'] as const;
export type RerankDialect = (typeof RERANK_DIALECTS)[number];

interface Dialect {
  readonly url: string | null;
  readonly model: string | null;
  readonly body: (query: string, texts: readonly string[], model: string | undefined) => Record<string, unknown>;
}

const documents: Dialect['body'] = (query, texts, model) => ({ model, query, documents: texts });

/**
 * Cohere v2: https://docs.cohere.com/reference/rerank. Voyage: https://docs.voyageai.com/reference/reranker-api. Jina:
 * https://api.jina.ai/redoc. TEI: https://huggingface.github.io/text-embeddings-inference/ (POST /rerank). vLLM speaks
 * Jina's and Cohere's: https://docs.vllm.ai, "Re-rank API".
 */
const DIALECTS: Readonly<Record<RerankDialect, Dialect>> = {
  cohere: { url: 'https://api.cohere.com/v2/rerank', model: 'rerank-v3.5', body: documents },
  voyage: { url: 'https://api.voyageai.com/v1/rerank', model: 'rerank-2.5', body: documents },
  jina: {
    url: 'https://api.jina.ai/v1/rerank',
    model: 'jina-reranker-v2-base-multilingual',
    body: (query, texts, model) => ({ model, query, documents: texts, return_documents: false }),
  },
  // Longer passages than the model takes are cut there instead of refused.
  tei: { url: null, model: null, body: (query, texts) => ({ query, texts, raw_scores: true, truncate: true }) },
  vllm: { url: null, model: null, body: documents },
};

/** Throws `AppError` BAD_USER_INPUT for a dialect that needs a URL without one. */
export function createHttpReranker(options: HttpRerankerOptions): Reranker {
  const { url, model, body } = DIALECTS[options.dialect];
  const endpoint = options.url ?? url;
  if (endpoint === null) throw new AppError('BAD_USER_INPUT', `A reranker of kind ${options.dialect} needs a URL`);
  const target = { url: withPath(endpoint), apiKey: options.apiKey, fetch: options.fetch };
  return {
    async rerank(query, texts, signal) {
      if (texts.length === 0) return [];
      const answer = await postJson(target, body(query, texts, options.model ?? model ?? undefined), signal);
      return scoresOf(answer, texts.length);
    },
  };
}

function withPath(url: string): string {
  const parsed = new URL(url);
  const path = parsed.pathname.replace(/\/+$/, '');
  parsed.pathname = path.endsWith('/rerank') ? path : `${path}/rerank`;
  return parsed.href;
}

/** `results` (Cohere, Jina, vLLM), `data` (Voyage), or the bare list (TEI). Pure. */
export function scoresOf(answer: unknown, count: number): number[] {
  const lists = [answer, ...['results', 'data'].map((name) => (answer as Record<string, unknown> | null)?.[name])];
  const rows = lists.find(Array.isArray) as readonly Record<string, unknown>[] | undefined;
  if (rows === undefined) throw badAnswer('a list of scores', typeof answer);
  const scores = new Map<number, number>();
  for (const row of rows) {
    const index = row?.index;
    const score = row?.relevance_score ?? row?.score;
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= count)
      throw badAnswer(`an index from 0 to ${count - 1}`, JSON.stringify(index));
    if (typeof score !== 'number' || !Number.isFinite(score)) throw badAnswer('a finite score', JSON.stringify(score));
    if (scores.has(index)) throw badAnswer('each index once', `${index} twice`);
    scores.set(index, score);
  }
  if (scores.size !== count) throw badAnswer(`${count} scores`, String(scores.size));
  return Array.from({ length: count }, (_, index) => scores.get(index)!);
}

function badAnswer(expected: string, got: string): AppError {
  return new AppError('PROVIDER_UNAVAILABLE', `The reranker's answer is not usable: expected ${expected}, got ${got}`, {
    details: { provider: 'reranker', reason: 'BAD_ANSWER', retryable: false },
  });
}
