import { AppError, Refusal } from '../../errors.js';
import type { SpaceRecord } from '../../store/records.js';
import type { Operator } from '../../store/scope.js';
import type { Store } from '../../store/store.js';
import type { ClaimedItem, ItemDone, ItemPostponed, JobKindWork } from '../jobs/job-kinds.js';
import { type FillParts, fillSlice } from './fill-slice.js';
import { listChunks } from './list-chunks.js';
import { readItem } from './reembed-items.js';

export interface ReembedParts extends FillParts {
  readonly store: FillParts['store'] &
    Pick<
      Store,
      | 'listSpaces'
      | 'nextChunkSlice'
      | 'extendJob'
      | 'extendedTo'
      | 'unfinishedItems'
      | 'completeSpace'
      | 'activateSpace'
      | 'indexLag'
    >;
}

/** How soon the finish looks again whether the other items have ended. */
const OTHERS_PAUSE_MS = 500;
/** How soon it looks again at an index that is being built. */
const INDEX_PAUSE_MS = 2_000;
/** A pass that finds chunks is followed by another. One more finds none: see space-fence.ts. */
const MAX_PASSES = 5;

/** Runs the items of REEMBED jobs. */
export function reembedWork(parts: ReembedParts): JobKindWork & { readonly kind: 'REEMBED' } {
  return {
    kind: 'REEMBED',
    async runItem(item, { operator, signal }) {
      const work = readItem(item.payload);
      try {
        const space = await spaceOf(parts, operator, item);
        if (work.part === 'finish') return await finish(parts, operator, space, item, signal);
        if (work.part === 'list') await listChunks(parts.store, operator, item.jobId, signal);
        else if (!space.isComplete) await fillSlice(parts, operator, space, work, signal);
        return DONE;
      } catch (error) {
        throw withWayOut(error);
      }
    },
  };
}

const DONE: ItemDone = { outcome: null, documentId: null };

async function spaceOf({ store }: ReembedParts, operator: Operator, { spec }: ClaimedItem): Promise<SpaceRecord> {
  const space = (await store.listSpaces(operator)).find(({ id }) => id === spec.space);
  if (space === undefined) throw new Refusal('NOT_FOUND', 'The embedding space was dropped');
  return space;
}

/**
 * Looks at every chunk until none is without a vector, waits for the index to return them all, then switches where that
 * was asked for. Each step is kept, so that a server that takes over goes on with the next.
 */
async function finish(
  parts: ReembedParts,
  operator: Operator,
  space: SpaceRecord,
  { jobId, position, spec }: ClaimedItem,
  signal: AbortSignal,
): Promise<ItemDone | ItemPostponed> {
  const { store } = parts;
  if (space.state !== 'BUILDING') return DONE;
  if ((await store.unfinishedItems(operator, jobId, position)) > 0) return { postponeMs: OTHERS_PAUSE_MS };
  if (!space.isComplete) {
    for (let passes = 1; (await fillSlice(parts, operator, space, EVERYTHING, signal)) > 0; passes++)
      if (passes === MAX_PASSES) return { postponeMs: OTHERS_PAUSE_MS };
    await store.completeSpace(operator, space.id);
  }
  const lag = await store.indexLag(operator, space.id);
  if (lag?.isPassing) return { postponeMs: INDEX_PAUSE_MS };
  if (lag !== null) throw new AppError('INDEX_NOT_READY', `Every chunk is embedded, but ${lag.reason}`);
  if (spec.activate === true) await store.activateSpace(operator, space.id);
  return DONE;
}

const EVERYTHING = { after: null, to: null } as const;

/** What failed, and how to go on: the space stays as it is. */
function withWayOut(error: unknown): unknown {
  const wayOut = 'The space stays BUILDING: call retryJob to go on, or dropEmbeddingSpace to give up';
  if (error instanceof AppError)
    return new AppError(error.code, `${error.message}. ${wayOut}`, { cause: error, details: { ...error.details } });
  if (error instanceof Refusal && error.code !== 'NOT_FOUND')
    return new Refusal(error.code, `${error.message}. ${wayOut}`, error.path, { cause: error });
  return error;
}
