import type OpenAI from 'openai';
import { AppError } from '../../errors.js';
import { SYSTEM_CLOCK } from '../clock.js';
import type { Embedder, EmbedOptions } from '../embedder.js';
import { providerFailure } from '../provider-failure.js';
import { type RateBudget, UNLIMITED } from '../rate-budget.js';
import { type Clock, type RetryPolicy, retry } from '../retry.js';
import { createSlots } from '../slots.js';
import { vectorsOf } from './answer.js';
import { batchesOf } from './batches.js';
import { countOpenaiTokens } from './count-tokens.js';
import { endpointOf, OPENAI_BASE_URL } from './endpoint.js';
import { DEFAULT_OPENAI_MODEL, openaiModel } from './model-space.js';
import { type RequestFailure, RequestTimeout, requestFailure } from './request-failure.js';

export interface OpenaiSettings {
  readonly model?: string | null;
  readonly dimensions?: number | null;
  readonly apiKey?: string | null;
  readonly baseUrl?: string | null;
  /** Pieces of one document go together, with `late_chunking`, as Jina's API has it. */
  readonly lateChunking?: boolean;
  /** Shared by all embedders of the account. */
  readonly budget?: RateBudget;
  readonly limits?: Partial<Record<EmbedOptions['kind'], RequestLimits>>;
  readonly clock?: Clock;
}

export interface RequestLimits extends RetryPolicy {
  /** Of one request, from sending it to its last byte. */
  readonly timeoutMs: number;
}

type Deliver = (from: number, vectors: readonly Float32Array[]) => void;

/** What the batches of one call have in common. */
interface Call {
  readonly kind: EmbedOptions['kind'];
  readonly together: boolean;
  readonly signal: AbortSignal;
  readonly deliver: Deliver;
}

/** Somebody waits for a query; a document's batch may sit out a rate limit. */
export const REQUEST_LIMITS: Record<EmbedOptions['kind'], RequestLimits> = {
  query: { timeoutMs: 10_000, attempts: 3, deadlineMs: 20_000, firstWaitMs: 250, longestWaitMs: 4_000 },
  document: { timeoutMs: 60_000, attempts: 6, deadlineMs: 180_000, firstWaitMs: 500, longestWaitMs: 20_000 },
};
/** Requests under way at once for documents; queries do not wait for them. */
const CONCURRENCY = 4;
/** Halvings of a batch that a server calls too large: 2 048 texts come down to one. */
const HALVINGS = 11;
/** Jina's models from the third on have an adapter for each side of a search, and without one are tuned for neither. */
const JINA_TASKS = /^jina-embeddings-v[3-9]/;
const TASKS = { document: 'retrieval.passage', query: 'retrieval.query' } as const;
/** An answer is at most this long: 2 048 vectors of 3 072 numbers as decimal text. */
const ANSWER_LIMIT_CHARACTERS = 200_000_000;

/**
 * Embeddings over OpenAI's HTTP API, from OpenAI or any compatible server (Ollama, vLLM, LM Studio, TEI, Azure).
 *
 * @throws AppError PROVIDER_UNAVAILABLE with `details.reason` (see PROVIDER_FAILURES), DEADLINE_EXCEEDED, and
 *   BAD_USER_INPUT for settings that cannot work. When a batch fails, those under way finish first (their vectors reach
 *   `onVector`), unless the signal aborts: then all end at once.
 */
export function createOpenaiEmbedder(settings: OpenaiSettings): Embedder {
  const model = settings.model ?? DEFAULT_OPENAI_MODEL;
  const { space, requestedDimensions } = openaiModel(model, settings.dimensions ?? null);
  const endpoint = endpointOf(settings.baseUrl || OPENAI_BASE_URL);
  const apiKey = settings.apiKey || null;
  const clock = settings.clock ?? SYSTEM_CLOCK;
  const slots = createSlots(CONCURRENCY);
  const budget = settings.budget ?? UNLIMITED;
  const tokenLimit = Number.isFinite(budget.tokensPerRequest)
    ? { tokens: budget.tokensPerRequest, count: countOpenaiTokens }
    : null;
  const limitsOf = (kind: EmbedOptions['kind']) => settings.limits?.[kind] ?? REQUEST_LIMITS[kind];
  const tasks = JINA_TASKS.test(model) && endpoint.isJina ? TASKS : null;
  let client: Promise<OpenAI> | undefined;

  async function request(
    texts: readonly string[],
    timeoutMs: number,
    { kind, together, signal }: Call,
  ): Promise<Float32Array[]> {
    client ??= clientFor(endpoint, apiKey);
    const { embeddings } = await client;
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const response = await embeddings
        .create(
          {
            model,
            input: texts as string[],
            // named explicitly, or the SDK decodes the answer itself and turns plain numbers into garbage; base64 is a
            // quarter of the bytes, but not every other server knows it
            encoding_format: endpoint.isOpenai || endpoint.isAzure ? 'base64' : 'float',
            ...(requestedDimensions !== null && { dimensions: requestedDimensions }),
            ...(tasks !== null && { task: tasks[kind] }),
            ...(together && { late_chunking: true }),
          },
          { signal: AbortSignal.any([signal, timeout]), timeout: timeoutMs * 2, maxRetries: 0 },
        )
        .asResponse();
      const body = await response.text();
      return vectorsOf(body.length > ANSWER_LIMIT_CHARACTERS ? '' : body, texts.length);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (timeout.aborted) throw new RequestTimeout(`No complete answer within ${timeoutMs / 1_000} s`);
      throw error;
    }
  }

  /** Delivers the vectors of `texts`, which stand at `from` in the request; halves a batch that the server calls too large. */
  async function embedBatch(
    texts: readonly string[],
    from: number,
    call: Call,
    halvings = call.together ? 0 : HALVINGS,
  ): Promise<void> {
    const { kind, signal, deliver } = call;
    const limits = limitsOf(kind);
    const classify = (thrown: unknown): RequestFailure =>
      thrown instanceof AppError
        ? { error: thrown, isRetryable: false, retryAfterMs: null, isTooLarge: false }
        : requestFailure(thrown, { model, url: endpoint.shown, now: clock.now(), texts: texts.length });
    try {
      const pay = payFor(texts, call);
      // a document may wait for its share of the budget longer than it may be tried
      await pay(kind === 'query' ? clock.now() + limits.deadlineMs : null);
      let isPaid = true;
      const attempt = async (remainingMs: number) => {
        if (!isPaid) await pay(clock.now() + remainingMs);
        isPaid = false;
        return await request(texts, Math.min(limits.timeoutMs, remainingMs), call);
      };
      deliver(from, await retry(attempt, classify, limits, clock, signal));
    } catch (thrown) {
      if (signal.aborted) throw thrown;
      const { error, isTooLarge } = classify(thrown);
      if (!isTooLarge || halvings === 0) throw error;
      const middle = Math.ceil(texts.length / 2);
      await embedBatch(texts.slice(0, middle), from, call, halvings - 1);
      await embedBatch(texts.slice(middle), from + middle, call, halvings - 1);
    }
  }

  /** Waits until the budget has room for one request with the texts. */
  function payFor(texts: readonly string[], { kind, signal }: Call): (deadline: number | null) => Promise<void> {
    const tokens = tokenLimit === null ? 0 : texts.reduce((sum, text) => sum + tokenLimit.count(text), 0);
    return (deadline) => budget.take(tokens, { kind, signal, deadline });
  }

  return {
    space,
    ...(settings.lateChunking && { lateChunking: { maxTokens: space.maxInputTokens } }),
    countTokens: countOpenaiTokens,
    async embed(texts, { kind, signal = new AbortController().signal, onVector, together = false }) {
      if (apiKey === null && (endpoint.isOpenai || /\.azure\.com$/.test(new URL(endpoint.baseUrl).hostname))) {
        throw providerFailure('openai', 'MISSING_KEY', `${endpoint.shown} needs a key and none is configured`);
      }
      const vectors = new Array<Float32Array>(texts.length);
      const deliver: Deliver = (from, batch) => {
        for (const [at, vector] of batch.entries()) {
          vectors[from + at] = vector;
          onVector?.(from + at, vector);
        }
      };
      const call: Call = { kind, together, signal, deliver };
      const batches = together ? [{ from: 0, to: texts.length }] : batchesOf(texts, CONCURRENCY, tokenLimit);
      let next = 0;
      let failed: unknown;
      // so many wait for a slot at once; more would only wait
      const lane = async (): Promise<void> => {
        while (next < batches.length && failed === undefined) {
          const { from, to } = batches[next++]!;
          let release: (() => void) | undefined;
          try {
            if (kind === 'document') release = await slots.take(call, signal);
            if (failed === undefined) await embedBatch(texts.slice(from, to), from, call);
          } catch (error) {
            failed ??= error;
          } finally {
            release?.();
          }
        }
      };
      await Promise.all(Array.from({ length: CONCURRENCY }, lane));
      if (failed !== undefined) throw failed;
      return vectors;
    },
  };
}

async function clientFor(endpoint: ReturnType<typeof endpointOf>, apiKey: string | null): Promise<OpenAI> {
  const { OpenAI } = await import('openai');
  const isAzureHost = endpoint.isAzure && new URL(endpoint.baseUrl).hostname.endsWith('.azure.com');
  return new OpenAI({
    // the SDK insists on a key; without one the header is taken out again
    apiKey: apiKey ?? 'none',
    baseURL: endpoint.baseUrl,
    defaultQuery: { ...endpoint.query },
    defaultHeaders: {
      ...(endpoint.isAzure && apiKey !== null && { 'api-key': apiKey }),
      ...((apiKey === null || isAzureHost) && { authorization: null }),
    },
    maxRetries: 0,
    // it would print requests, texts included, when OPENAI_LOG says so
    logLevel: 'off',
  });
}
