import type { NewJobItem } from '../../store/jobs/job-records.js';
import type { Operator } from '../../store/scope.js';
import type { LackingSlice, Store } from '../../store/store.js';

/** Chunks per item: a minute's work of a slow model, so that progress shows and a crash repeats little. */
export const CHUNKS_PER_ITEM = 500;

/** What an item of a REEMBED job does. Every job ends with one `finish`. */
export type ReembedItem =
  | ({ readonly part: 'slice' } & LackingSlice)
  /** Proof that no chunk lacks a vector, then the switch. */
  | { readonly part: 'finish' };

/** One item for each `CHUNKS_PER_ITEM` chunks that are stored now, and the finish. */
export async function* reembedItems(
  store: Pick<Store, 'nextChunkSlice'>,
  operator: Operator,
): AsyncGenerator<NewJobItem> {
  let after: string | null = null;
  let before = 0;
  for (;;) {
    const slice: Awaited<ReturnType<Store['nextChunkSlice']>> = await store.nextChunkSlice(
      operator,
      after,
      CHUNKS_PER_ITEM,
    );
    if (slice === null) break;
    yield item(`chunks ${before + 1} to ${before + slice.count}`, { part: 'slice', after, to: slice.to });
    before += slice.count;
    after = slice.to;
  }
  yield item('verification', { part: 'finish' });
}

function item(name: string, work: ReembedItem): NewJobItem {
  return { name, payload: Buffer.from(JSON.stringify(work)) };
}

export function readItem(payload: Uint8Array): ReembedItem {
  return JSON.parse(Buffer.from(payload).toString()) as ReembedItem;
}
