/** Time and chance, given so that tests need neither. */
export interface Clock {
  now(): number;
  /** Ends early by rejecting with the signal's reason. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** In [0, 1). */
  random(): number;
}

export interface RetryPolicy {
  readonly attempts: number;
  /** From the first attempt; no wait goes past it. */
  readonly deadlineMs: number;
  readonly firstWaitMs: number;
  readonly longestWaitMs: number;
}

/** What a failed attempt says about the next one. */
export interface Failure {
  readonly isRetryable: boolean;
  /** What the server asked for, already sane, or null. */
  readonly retryAfterMs: number | null;
}

/**
 * Repeats `attempt` while its failures are retryable: after the time the server asked for, else after exponential back-off
 * with jitter. A wait that would pass the deadline is not begun: the failure is thrown at once.
 */
export async function retry<T>(
  attempt: (remainingMs: number) => Promise<T>,
  classify: (error: unknown) => Failure,
  { attempts, deadlineMs, firstWaitMs, longestWaitMs }: RetryPolicy,
  clock: Clock,
  signal: AbortSignal,
): Promise<T> {
  const deadline = clock.now() + deadlineMs;
  for (let tried = 1; ; tried++) {
    signal.throwIfAborted();
    try {
      return await attempt(Math.max(1, deadline - clock.now()));
    } catch (error) {
      if (signal.aborted) throw error;
      const { isRetryable, retryAfterMs } = classify(error);
      if (!isRetryable || tried >= attempts) throw error;
      const backOff = Math.min(longestWaitMs, firstWaitMs * 2 ** (tried - 1)) * (0.5 + clock.random() / 2);
      const wait = retryAfterMs ?? backOff;
      if (clock.now() + wait >= deadline) throw error;
      await clock.sleep(wait, signal);
    }
  }
}

/** Beyond a day it is a mistake, not a wait. */
const LONGEST_RETRY_AFTER_MS = 86_400_000;

/**
 * `retry-after-ms` or `retry-after` (seconds or an HTTP date, RFC 9110 section 10.2.3) in milliseconds. Null when absent,
 * malformed, negative, in the past or absurd: then the caller's own back-off applies.
 */
export function retryAfterMs(header: (name: string) => string | null, now: number): number | null {
  const milliseconds = Number.parseFloat(header('retry-after-ms') ?? '');
  const seconds = header('retry-after')?.trim() ?? '';
  const wait = Number.isFinite(milliseconds)
    ? milliseconds
    : /^-?\d+(\.\d+)?$/.test(seconds)
      ? Number(seconds) * 1_000
      : Date.parse(seconds) - now;
  return Number.isFinite(wait) && wait > 0 && wait <= LONGEST_RETRY_AFTER_MS ? wait : null;
}
