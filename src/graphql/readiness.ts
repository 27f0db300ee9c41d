import type { Operator } from '../store/scope.js';
import type { Store } from '../store/store.js';

/** degraded: it answers, but not everything works, e.g. an index is being built. */
export interface Readiness {
  readonly status: 'ready' | 'degraded' | 'unavailable';
  /** One phrase per part, without secrets. */
  readonly checks: Readonly<Record<string, string>>;
}

/** A probe that takes longer is a failed one for most who send them. */
const MAX_WAIT_MS = 2_000;

/** What /readyz says: the database answers, the embedder is configured, the indexes can be searched. */
export function makeReadiness(
  store: Store,
  operator: Operator,
  embedderProblem: () => Promise<string | null>,
): () => Promise<Readiness> {
  return async () => {
    try {
      await inTime(store.ping(AbortSignal.timeout(MAX_WAIT_MS)));
    } catch {
      return { status: 'unavailable', checks: { database: 'does not answer' } };
    }
    const [embedder, indexes] = await Promise.all([
      inTime(embedderProblem()).catch(() => 'its state cannot be read'),
      inTime(indexState(store, operator)).catch(() => 'their state cannot be read'),
    ]);
    const checks = { database: 'ok', embedder: embedder ?? 'ok', indexes: indexes ?? 'ok' };
    return { status: embedder === null && indexes === null ? 'ready' : 'degraded', checks };
  };
}

/** Null: all can be searched. */
async function indexState(store: Store, operator: Operator): Promise<string | null> {
  const waiting = (await store.listSearchIndexes(operator)).filter(
    ({ queryable, problems }) => !queryable || problems.length > 0,
  );
  return waiting.length === 0 ? null : waiting.map(({ name, status }) => `${name} is ${status}`).join(', ');
}

function inTime<T>(promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('No answer in time')), MAX_WAIT_MS);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
