import type { Scope } from '../store/scope.js';
import type { Run } from './run.js';

/** Large documents take seconds to be stored or removed. */
const REMEMBERED_MS = 10_000;
const MAX_SCOPES = 1_000;

/** Who had documents being stored or removed a moment ago: their next searches pass those over from the start. */
export class UnseenMemory {
  readonly #until = new Map<string, number>();

  note({ owner }: Scope, isSo: boolean): void {
    if (this.#until.size >= MAX_SCOPES) this.#until.clear();
    if (isSo) this.#until.set(owner, performance.now() + REMEMBERED_MS);
    else this.#until.delete(owner);
  }

  isLikely({ owner }: Scope): boolean {
    return performance.now() < (this.#until.get(owner) ?? 0);
  }
}

/**
 * The search without documents of which nothing can be live now; the same where there are none, or where a filter has named
 * the documents. Asked anew each time, so that what became visible before this search is in it.
 */
export async function passingOverUnseen(run: Run): Promise<Run> {
  if (run.filter.documentIds !== null) return run;
  const except = await run.search.unseenDocuments(run.scope, run.deadline);
  run.unseen.note(run.scope, except.length > 0);
  return except.length === 0 ? run : { ...run, filter: { ...run.filter, except } };
}
