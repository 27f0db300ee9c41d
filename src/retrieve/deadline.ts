import { AppError } from '../errors.js';
import type { Budget } from '../store/search/search-store.js';

/** A search's time. Ends by itself; `end` frees the timer. */
export interface Deadline extends Budget {
  readonly signal: AbortSignal;
  end(): void;
}

/** Starts a deadline of `ms` from now, ended earlier by the caller's own signal. */
export function startDeadline(ms: number, signal?: AbortSignal): Deadline {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(exceeded(ms)), ms);
  // A search that nobody waits for any more must not keep the process alive.
  timer.unref();
  return {
    deadline: performance.now() + ms,
    signal: signal === undefined ? timeout.signal : AbortSignal.any([signal, timeout.signal]),
    end: () => clearTimeout(timer),
  };
}

/**
 * `promise`, or DEADLINE_EXCEEDED after `ms`, or the signal's reason. For work that cannot be aborted, because other
 * searches of the same request share it.
 */
export function settledWithin<T>(promise: Promise<T>, ms: number, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => finish(() => reject(exceeded(ms))), ms);
    const onAbort = () => finish(() => reject(signal.reason));
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      settle();
    };
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(
      (value) => finish(() => resolve(value)),
      (error: unknown) => finish(() => reject(error)),
    );
  });
}

function exceeded(ms: number): AppError {
  return new AppError('DEADLINE_EXCEEDED', `The search did not end within ${Math.round(ms)} ms; try again`);
}
