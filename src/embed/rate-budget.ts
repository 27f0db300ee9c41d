import { providerFailure } from './provider-failure.js';
import type { Clock } from './retry.js';

/** What an account may use per minute; null: no limit is known. */
export interface RateLimits {
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
}

/** Holds all requests of the process to its limits: in no minute more than these. */
export interface RateBudget {
  /** The most that one request for documents should count; Infinity without a limit on tokens. */
  readonly tokensPerRequest: number;
  /**
   * Returns when the request may be sent, which is then counted. Documents are served in the order they came and leave a
   * tenth to queries, which go before them. Rejects with the signal's reason.
   *
   * @throws AppError PROVIDER_UNAVAILABLE, reason RATE_LIMITED, at once when the wait would pass `deadline` (as the clock has it).
   */
  take(
    tokens: number,
    options: { readonly kind: 'document' | 'query'; readonly signal: AbortSignal; readonly deadline: number | null },
  ): Promise<void>;
}

const WINDOW_MS = 60_000;
/** Somebody waits for a query: it should find something left of the minute, whatever is being ingested. */
const DOCUMENT_SHARE = 0.9;

export const UNLIMITED: RateBudget = { tokensPerRequest: Number.POSITIVE_INFINITY, take: async () => {} };

/**
 * A log of what was sent, not a bucket that refills: a bucket lets twice the limit pass in the first minute, and providers
 * count by the clock.
 */
export function createRateBudget({ requestsPerMinute, tokensPerMinute }: RateLimits, clock: Clock): RateBudget {
  if (requestsPerMinute === null && tokensPerMinute === null) return UNLIMITED;
  const limits = { requests: requestsPerMinute ?? Infinity, tokens: tokensPerMinute ?? Infinity };
  const shares = {
    query: limits,
    document: {
      requests: Math.max(1, Math.floor(limits.requests * DOCUMENT_SHARE)),
      tokens: Math.max(1, Math.floor(limits.tokens * DOCUMENT_SHARE)),
    },
  };
  /** What counts at the moment, the oldest first. */
  const sent: { at: number; tokens: number }[] = [];
  const lines = { query: createLine(), document: createLine() };

  /** How long until the request fits; 0: now. */
  function waitFor(tokens: number, share: typeof limits): number {
    const now = clock.now();
    while (sent.length > 0 && sent[0]!.at <= now - WINDOW_MS) sent.shift();
    let requestsOver = sent.length + 1 - share.requests;
    let tokensOver = sent.reduce((sum, one) => sum + one.tokens, tokens) - share.tokens;
    if (requestsOver <= 0 && tokensOver <= 0) return 0;
    for (const one of sent) {
      requestsOver--;
      tokensOver -= one.tokens;
      if (requestsOver <= 0 && tokensOver <= 0) return one.at + WINDOW_MS - now;
    }
    return WINDOW_MS;
  }

  return {
    tokensPerRequest: shares.document.tokens,
    async take(tokens, { kind, signal, deadline }) {
      const share = shares[kind];
      // what is larger than a minute's share has a minute for itself
      const counted = Math.min(tokens, share.tokens);
      const leave = await lines[kind].join(signal);
      try {
        for (;;) {
          signal.throwIfAborted();
          if (kind === 'document') await lines.query.empty(signal);
          const wait = waitFor(counted, share);
          if (wait === 0) break;
          if (deadline !== null && clock.now() + wait >= deadline) throw usedUp(limits, wait);
          await clock.sleep(wait, signal);
        }
        sent.push({ at: clock.now(), tokens: counted });
      } finally {
        leave();
      }
    },
  };
}

/** One after the other, in the order they came. */
function createLine() {
  let last: Promise<void> = Promise.resolve();
  let length = 0;
  return {
    /** Returns when it is one's turn; call what it returns to leave. */
    async join(signal: AbortSignal): Promise<() => void> {
      const before = last;
      let leave: () => void = () => {};
      const left = new Promise<void>((resolve) => {
        leave = resolve;
      });
      last = before.then(() => left);
      length++;
      const done = () => {
        length--;
        leave();
      };
      try {
        await untilAborted(before, signal);
      } catch (error) {
        done();
        throw error;
      }
      return done;
    },
    async empty(signal: AbortSignal): Promise<void> {
      while (length > 0) await untilAborted(last, signal);
    },
  };
}

function untilAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    void promise.then(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    });
  });
}

function usedUp({ requests, tokens }: { requests: number; tokens: number }, waitMs: number): Error {
  const budget = [
    ...(Number.isFinite(requests) ? [`${requests} requests`] : []),
    ...(Number.isFinite(tokens) ? [`${tokens} tokens`] : []),
  ];
  return providerFailure('openai', 'RATE_LIMITED', `The budget of ${budget.join(' and ')} per minute is used up`, {
    details: { retryAfterSeconds: Math.ceil(waitMs / 1_000) },
  });
}
