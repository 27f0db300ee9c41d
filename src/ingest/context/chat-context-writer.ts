import { SYSTEM_CLOCK } from '../../embed/clock.js';
import { type Clock, type Failure, type RetryPolicy, retry, retryAfterMs } from '../../embed/retry.js';
import { createSlots } from '../../embed/slots.js';
import { AppError } from '../../errors.js';
import { type ContextWriter, contextPrompt } from './context-writer.js';

export interface ChatContextSettings {
  /** An OpenAI-compatible base URL; `/chat/completions` is added where it is missing. */
  readonly url: string;
  readonly model: string;
  /** Sent as a bearer token; never logged, never in a message. */
  readonly apiKey: string | null;
  readonly clock?: Clock;
}

const RETRIES: RetryPolicy = { attempts: 5, deadlineMs: 120_000, firstWaitMs: 500, longestWaitMs: 20_000 };
const REQUEST_TIMEOUT_MS = 60_000;
/** Requests under way at once, for all upserts of the process. */
const CONCURRENCY = 4;
const MAX_ANSWER_BYTES = 1024 * 1024;

/** Lines by any chat model behind OpenAI's HTTP API: OpenAI, Ollama, vLLM, LM Studio and others. */
export function createChatContextWriter(settings: ChatContextSettings): ContextWriter {
  const url = completionsUrl(settings.url);
  const clock = settings.clock ?? SYSTEM_CLOCK;
  const slots = createSlots(CONCURRENCY);
  const never = new AbortController().signal;

  async function request(body: string, timeoutMs: number, signal: AbortSignal): Promise<string> {
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(settings.apiKey !== null && { authorization: `Bearer ${settings.apiKey}` }),
        },
        body,
        signal: AbortSignal.any([signal, timeout]),
      });
      if (!response.ok) {
        const wait = retryAfterMs((name) => response.headers.get(name), clock.now());
        await response.body?.cancel();
        throw new ChatFailure(`answered with status ${response.status}`, isPassing(response.status), wait);
      }
      return lineOf(await readText(response));
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (error instanceof ChatFailure) throw error;
      throw new ChatFailure(timeout.aborted ? `did not answer within ${timeoutMs / 1_000} s` : 'cannot be reached', true, null); // biome-ignore format: one sentence
    }
  }

  return {
    model: settings.model,
    async write(passage, signal = never) {
      const body = JSON.stringify({ model: settings.model, temperature: 0, messages: contextPrompt(passage) });
      const release = await slots.take(passage, signal);
      try {
        const attempt = (remainingMs: number) => request(body, Math.min(REQUEST_TIMEOUT_MS, remainingMs), signal);
        return await retry(attempt, failureOf, RETRIES, clock, signal);
      } catch (error) {
        throw error instanceof ChatFailure ? unavailable(url, error) : error;
      } finally {
        release();
      }
    },
  };
}

/** Why there is no line; its message holds neither what was sent nor the key. */
class ChatFailure extends Error {
  constructor(
    problem: string,
    readonly isRetryable: boolean,
    readonly retryAfterMs: number | null,
  ) {
    super(problem);
  }
}

function failureOf(error: unknown): Failure {
  return error instanceof ChatFailure ? error : { isRetryable: false, retryAfterMs: null };
}

function isPassing(status: number): boolean {
  return status === 408 || status === 409 || status === 429 || status >= 500;
}

function unavailable(url: string, { message, isRetryable, retryAfterMs: wait }: ChatFailure): AppError {
  return new AppError(
    'PROVIDER_UNAVAILABLE',
    `The context model at ${new URL(url).host} ${message}: ${isRetryable ? 'try again later' : 'check GAZETTEER_CONTEXT_URL, GAZETTEER_CONTEXT_MODEL and GAZETTEER_CONTEXT_API_KEY'}`,
    {
      details: {
        provider: 'context',
        retryable: isRetryable,
        ...(wait !== null && { retryAfterSeconds: Math.ceil(wait / 1_000) }),
      },
    },
  );
}

/** The answer's words on one line. */
function lineOf(answer: string): string {
  let content: unknown;
  try {
    content = (JSON.parse(answer) as { choices?: { message?: { content?: unknown } }[] }).choices?.[0]?.message
      ?.content;
  } catch {
    // said below
  }
  const line =
    typeof content === 'string'
      ? content
          .replaceAll(/[\s\0]+/g, ' ')
          .trim()
          .toWellFormed()
      : '';
  if (line === '') throw new ChatFailure('did not answer with text', false, null);
  return line;
}

async function readText(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += part.byteLength;
    if (bytes > MAX_ANSWER_BYTES) throw new ChatFailure('answered with too much', false, null);
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

function completionsUrl(url: string): string {
  const parsed = new URL(url);
  const path = parsed.pathname.replace(/\/+$/, '');
  parsed.pathname = path.endsWith('/chat/completions') ? path : `${path}/chat/completions`;
  return parsed.href;
}
