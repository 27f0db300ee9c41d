import type OpenAI from 'openai';
import { SYSTEM_CLOCK } from '../clock.js';
import type { Embedder, EmbedOptions } from '../embedder.js';
import { providerFailure } from '../provider-failure.js';
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
  readonly limits?: Partial<Record<EmbedOptions['kind'], RequestLimits>>;
  readonly clock?: Clock;
}

export interface RequestLimits extends RetryPolicy {
  /** Of one request, from sending it to its last byte. */
  readonly timeoutMs: number;
}

type Deliver = (from: number, vectors: readonly Float32Array[]) => void;

/** Somebody waits for a query; a document's batch may sit out a rate limit. */
export const REQUEST_LIMITS: Record<EmbedOptions['kind'], RequestLimits> = {
  query: { timeoutMs: 10_000, attempts: 3, deadlineMs: 20_000, firstWaitMs: 250, longestWaitMs: 4_000 },
  document: { timeoutMs: 60_000, attempts: 6, deadlineMs: 180_000, firstWaitMs: 500, longestWaitMs: 20_000 },
};
/** Requests under way at once for documents; queries do not wait for them. */
const CONCURRENCY = 4;
/** Halvings of a batch that a server calls too large: 2 048 texts come down to one. */
const HALVINGS = 11;
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
  let client: Promise<OpenAI> | undefined;

  async function request(texts: readonly string[], timeoutMs: number, signal: AbortSignal): Promise<Float32Array[]> {
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
    { limits, signal, deliver }: { limits: RequestLimits; signal: AbortSignal; deliver: Deliver },
    halvings = HALVINGS,
  ): Promise<void> {
    const classify = (thrown: unknown): RequestFailure =>
      requestFailure(thrown, { model, url: endpoint.shown, now: clock.now(), texts: texts.length });
    try {
      const attempt = (remainingMs: number) => request(texts, Math.min(limits.timeoutMs, remainingMs), signal);
      deliver(from, await retry(attempt, classify, limits, clock, signal));
    } catch (thrown) {
      if (signal.aborted) throw thrown;
      const { error, isTooLarge } = classify(thrown);
      if (!isTooLarge || halvings === 0) throw error;
      const middle = Math.ceil(texts.length / 2);
      await embedBatch(texts.slice(0, middle), from, { limits, signal, deliver }, halvings - 1);
      await embedBatch(texts.slice(middle), from + middle, { limits, signal, deliver }, halvings - 1);
    }
  }

  return {
    space,
    countTokens: countOpenaiTokens,
    async embed(texts, { kind, signal = new AbortController().signal, onVector }) {
      if (apiKey === null && (endpoint.isOpenai || /\.azure\.com$/.test(new URL(endpoint.baseUrl).hostname))) {
        throw providerFailure('openai', 'MISSING_KEY', `${endpoint.shown} needs a key and none is configured`);
      }
      const limits = settings.limits?.[kind] ?? REQUEST_LIMITS[kind];
      const vectors = new Array<Float32Array>(texts.length);
      const deliver: Deliver = (from, batch) => {
        for (const [at, vector] of batch.entries()) {
          vectors[from + at] = vector;
          onVector?.(from + at, vector);
        }
      };
      let failed: unknown;
      await Promise.all(
        batchesOf(texts, CONCURRENCY).map(async ({ from, to }) => {
          const release = kind === 'query' ? null : await slots.take();
          try {
            if (failed !== undefined) return;
            await embedBatch(texts.slice(from, to), from, { limits, signal, deliver });
          } catch (error) {
            failed ??= error;
          } finally {
            release?.();
          }
        }),
      );
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
