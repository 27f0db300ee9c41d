import { AppError } from '../errors.js';
import type { RequestContext } from './context.js';

/** How long a stream may outlive its credentials. */
const RECHECK_MS = 2_000;

/**
 * The events of a stream as long as its credentials are good, which are looked at again every two seconds, whether or not
 * anything happens. Once they are revoked or have expired it ends with UNAUTHENTICATED. A database or a key set that does not
 * answer says nothing against them.
 */
export async function whileAuthenticated<T>(
  { signal, checkCredentials }: Pick<RequestContext, 'signal' | 'checkCredentials'>,
  open: (signal: AbortSignal) => Promise<AsyncGenerator<T>>,
): Promise<AsyncGenerator<T>> {
  const lost = new AbortController();
  const events = await open(AbortSignal.any([signal, lost.signal]));
  return guarded(events, lost, checkCredentials);
}

async function* guarded<T>(
  events: AsyncGenerator<T>,
  lost: AbortController,
  checkCredentials: RequestContext['checkCredentials'],
): AsyncGenerator<T> {
  let isChecking = false;
  const timer = setInterval(async () => {
    if (isChecking) return;
    isChecking = true;
    try {
      await checkCredentials();
    } catch (error) {
      if (error instanceof AppError && error.code === 'UNAUTHENTICATED') lost.abort(error);
    } finally {
      isChecking = false;
    }
  }, RECHECK_MS);
  timer.unref();
  try {
    for await (const event of events) {
      if (lost.signal.aborted) break;
      yield event;
    }
    lost.signal.throwIfAborted();
  } finally {
    clearInterval(timer);
  }
}
