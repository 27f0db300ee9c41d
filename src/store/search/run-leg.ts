import { type Document, MongoServerError, type ObjectId } from 'mongodb';
import { AppError } from '../../errors.js';
import type { Database } from '../database.js';
import { hasMongoCode, MONGO_CODE } from '../mongo-errors.js';
import { callOptions, withinBudget } from './budget.js';
import type { Budget, FreshQuery, LegAnswer, LegHit } from './search-store.js';

/**
 * What mongot says when an index cannot be searched (yet), or is another one than we think. It sends no code, so the
 * text has to do. A missing index is no failure there but an empty answer: readiness.ts is for that.
 */
const NOT_READY =
  /cannot query (vector|search) index|not initialized|needs to be indexed as|is not indexed as vector|vector field is indexed with|Cannot execute \$\w+ over/;

/** Sends one search stage's pipeline. Hits best first; equal scores by id, so that the order is stable. */
export async function runLeg(
  database: Database,
  index: string,
  pipeline: readonly Document[],
  budget: Budget,
  fresh?: FreshQuery,
): Promise<LegAnswer> {
  const rows = await withinBudget(budget, async () => {
    const { maxTimeMS, signal } = callOptions(budget);
    try {
      return await database.searchChunks
        .aggregate<{ _id: ObjectId; score?: number }>([...pipeline], { maxTimeMS, signal, batchSize: BATCH_SIZE })
        .toArray();
    } catch (error) {
      throw notReady(error, index) ?? error;
    }
  });
  const hits: LegHit[] = [];
  const freshIds: string[] = [];
  for (const { _id, score } of rows) {
    if (score === undefined) freshIds.push(_id.toHexString());
    else hits.push({ id: _id.toHexString(), score });
  }
  const isKnown = fresh !== undefined && freshIds.length <= fresh.limit;
  return { hits: hits.sort(byScoreThenId), freshIds: isKnown ? freshIds : null };
}

/** A leg comes in one batch: its rows are an id and a score. */
const BATCH_SIZE = 10_000;

export function byScoreThenId(a: LegHit, b: LegHit): number {
  return b.score - a.score || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

function notReady(error: unknown, index: string): AppError | null {
  if (hasMongoCode(error, MONGO_CODE.searchNotEnabled, MONGO_CODE.unknownStage))
    return new AppError('SEARCH_NOT_SUPPORTED', 'This MongoDB server has no search', { cause: error });
  if (!(error instanceof MongoServerError) || !NOT_READY.test(error.message)) return null;
  return new AppError('INDEX_NOT_READY', `The search index ${index} cannot be searched now; try again soon`, {
    cause: error,
    details: { index },
  });
}
