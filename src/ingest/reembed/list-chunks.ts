import type { NewJobItem } from '../../store/jobs/job-records.js';
import type { Operator } from '../../store/scope.js';
import type { Store } from '../../store/store.js';
import { reembedItems } from './reembed-items.js';

/** Items that are added to the job at once: the first are run while the rest is still being listed. */
const ITEMS_AT_ONCE = 20;

/**
 * Adds to a REEMBED job what it has to do, from where an earlier server ended. Ends early where the job was cancelled, or
 * another server has taken over.
 */
export async function listChunks(
  store: Pick<Store, 'nextChunkSlice' | 'extendJob' | 'extendedTo'>,
  operator: Operator,
  jobId: string,
  signal: AbortSignal,
): Promise<void> {
  let from = await store.extendedTo(operator, jobId);
  let items: NewJobItem[] = [];
  let to = from;
  const add = async (): Promise<boolean> => {
    if (to === null || items.length === 0) return true;
    const isAdded = await store.extendJob(operator, jobId, { from, to, items });
    from = to;
    items = [];
    return isAdded;
  };
  for await (const { item, mark } of reembedItems(store, operator, from)) {
    signal.throwIfAborted();
    items.push(item);
    to = mark;
    if (items.length >= ITEMS_AT_ONCE && !(await add())) return;
  }
  await add();
}
