import { location } from '../errors.js';
import type { PipelinePlace } from './stage.js';

/** Stages that make documents instead of taking them: first in their pipeline, or not at all. */
export const SOURCE_STAGES: ReadonlySet<string> = new Set([
  '$documents',
  '$search',
  '$searchMeta',
  '$vectorSearch',
  '$rankFusion',
  '$scoreFusion',
  '$geoNear',
  '$listSearchIndexes',
  '$collStats',
  '$indexStats',
  '$planCacheStats',
  '$currentOp',
  '$listSessions',
  '$listLocalSessions',
  '$changeStream',
]);

/** Stages that write: last in the whole pipeline. */
export const SINK_STAGES: ReadonlySet<string> = new Set(['$out', '$merge']);

const NOT_IN_FACET: ReadonlySet<string> = new Set([...SOURCE_STAGES, ...SINK_STAGES, '$facet']);
/** `$search` and `$searchMeta` are allowed there, `$vectorSearch` is not. */
const NOT_IN_LOOKUP: ReadonlySet<string> = new Set([
  ...SINK_STAGES,
  '$vectorSearch',
  '$rankFusion',
  '$scoreFusion',
  '$changeStream',
]);
const NOT_IN_UNION: ReadonlySet<string> = new Set([...SINK_STAGES, '$changeStream']);
const NOT_IN_TRANSACTION: ReadonlySet<string> = new Set([
  ...SINK_STAGES,
  '$search',
  '$searchMeta',
  '$vectorSearch',
  '$rankFusion',
  '$scoreFusion',
  '$listSearchIndexes',
  '$collStats',
  '$indexStats',
  '$planCacheStats',
  '$currentOp',
  '$listLocalSessions',
  '$changeStream',
]);

/** What stages a collection is not needed for, in `{ aggregate: 1 }`. */
export const COLLECTIONLESS_STAGES: ReadonlySet<string> = new Set([
  '$documents',
  '$currentOp',
  '$listLocalSessions',
  '$listSessions',
  '$changeStream',
]);

/** @throws CommandError 40602, 40601, 40600, 51047, 31441, 263 when the stage may not stand where it does. */
export function checkPosition(
  name: string,
  at: {
    readonly index: number;
    readonly count: number;
    readonly place: PipelinePlace;
    readonly inTransaction: boolean;
  },
): void {
  if (at.place === '$facet' && NOT_IN_FACET.has(name)) {
    throw location(40600, `${name} is not allowed to be used within a $facet stage`);
  }
  if (at.place === '$lookup' && NOT_IN_LOOKUP.has(name)) {
    throw location(51047, `${name} is not allowed within a $lookup's sub-pipeline`);
  }
  if (at.place === '$unionWith' && NOT_IN_UNION.has(name)) {
    throw location(31441, `${name} is not allowed within a $unionWith's sub-pipeline`);
  }
  if (at.inTransaction && NOT_IN_TRANSACTION.has(name)) {
    throw location(
      263,
      `Operation not permitted in transaction :: caused by :: Aggregation stage ${name} cannot run within a multi-document transaction.`,
    );
  }
  if (SOURCE_STAGES.has(name) && at.index > 0) {
    throw location(40602, `${name} is only valid as the first stage in a pipeline`);
  }
  if (SINK_STAGES.has(name) && at.index < at.count - 1) {
    throw location(40601, `${name} can only be the final stage in the pipeline`);
  }
}
