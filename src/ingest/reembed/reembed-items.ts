import type { NewJobItem } from '../../store/jobs/job-records.js';
import type { Operator } from '../../store/scope.js';
import type { LackingSlice, Store } from '../../store/store.js';

/** Chunks per item: a minute's work of a slow model, so that progress shows and a crash repeats little. */
export const CHUNKS_PER_ITEM = 500;

/** What an item of a REEMBED job does. Every job begins with one `list` and ends with one `finish`. */
export type ReembedItem =
  /** Makes the other items: of millions of chunks, nobody should wait for that to have a job. */
  | { readonly part: 'list' }
  | ({ readonly part: 'slice' } & LackingSlice)
  /** Proof that no chunk lacks a vector, then the switch. */
  | { readonly part: 'finish' };

export const LISTING: NewJobItem = itemOf('listing of the chunks', { part: 'list' });

/** How far the listing is: where the next slice begins, and how many chunks lie before it. */
interface Place {
  readonly after: string | null;
  readonly before: number;
}

/** One item for each `CHUNKS_PER_ITEM` chunks that are stored now, and the finish, each with the mark behind it. */
export async function* reembedItems(
  store: Pick<Store, 'nextChunkSlice'>,
  operator: Operator,
  mark: string | null = null,
): AsyncGenerator<{ readonly item: NewJobItem; readonly mark: string }> {
  if (mark === LISTED) return;
  let { after, before } = mark === null ? { after: null, before: 0 } : (JSON.parse(mark) as Place);
  for (;;) {
    const slice: Awaited<ReturnType<Store['nextChunkSlice']>> = await store.nextChunkSlice(
      operator,
      after,
      CHUNKS_PER_ITEM,
    );
    if (slice === null) break;
    const item = itemOf(`chunks ${before + 1} to ${before + slice.count}`, { part: 'slice', after, to: slice.to });
    before += slice.count;
    after = slice.to;
    yield { item, mark: JSON.stringify({ after, before } satisfies Place) };
  }
  yield { item: itemOf('verification', { part: 'finish' }), mark: LISTED };
}

const LISTED = 'all';

function itemOf(name: string, work: ReembedItem): NewJobItem {
  return { name, payload: Buffer.from(JSON.stringify(work)) };
}

export function readItem(payload: Uint8Array): ReembedItem {
  return JSON.parse(Buffer.from(payload).toString()) as ReembedItem;
}
