import { AppError } from '../../errors.js';
import { createChatReranker } from './chat-reranker.js';
import { createHttpReranker, RERANK_DIALECTS } from './http-reranker.js';
import type { Reranker } from './reranker.js';

/** `chat`: any OpenAI-compatible chat model; the others: a `/rerank` endpoint of that kind. */
export const RERANK_PROVIDERS = [...RERANK_DIALECTS, 'chat'] as const;
export type RerankProvider = (typeof RERANK_PROVIDERS)[number];

export interface RerankSettings {
  readonly provider: RerankProvider;
  readonly url: string | null;
  readonly model: string | null;
  /** Never logged, never in a message. */
  readonly apiKey: string | null;
}

/** The reranker for `settings`. Throws `AppError` BAD_USER_INPUT where a provider needs a URL or a model and has none. */
export function createReranker({ provider, url, model, apiKey }: RerankSettings): Reranker {
  const key = apiKey === null ? {} : { apiKey };
  if (provider !== 'chat') {
    return createHttpReranker({
      dialect: provider,
      ...(url !== null && { url }),
      ...(model !== null && { model }),
      ...key,
    });
  }
  if (url === null || model === null)
    throw new AppError('BAD_USER_INPUT', 'A chat model as reranker needs its base URL and its name');
  return createChatReranker({ url, model, ...key });
}
