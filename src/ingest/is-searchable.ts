import type { DocumentRecord } from '../store/records.js';
import { type Attempt, withSignal } from './attempt.js';

const WAIT_MS = 10_000;

/** With SEARCHABLE once both indexes return the version, or the time is up; with STORED what they say now. */
export async function isSearchable(attempt: Attempt, { id, version }: DocumentRecord): Promise<boolean> {
  const { parts, scope, given, options } = attempt;
  const ask = (timeoutMs: number): Promise<boolean> =>
    parts.store.waitUntilSearchable(scope, id, version, { timeoutMs, ...withSignal(attempt) });
  if (given.waitUntil === 'STORED') return await ask(0);
  options.onProgress?.({ phase: 'indexing', done: 0, total: 1 });
  const searchable = await ask(WAIT_MS);
  options.onProgress?.({ phase: 'indexing', done: 1, total: 1 });
  return searchable;
}
