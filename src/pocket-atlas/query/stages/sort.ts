import type { BsonValue } from '../../bson/values.js';
import { location } from '../errors.js';
import { approximateSize, MemoryBudget } from '../memory.js';
import { isDocument } from '../path.js';
import { compileSortKeys } from '../sort.js';
import { batchesOf, forEachDocument } from './flow.js';
import { type Keyed, sortInRuns } from './sort-runs.js';
import { type CompileStage, type StageContext, stage } from './stage.js';

export const compileSortStage: CompileStage = (spec, context) => sortStage(spec, context, Number.POSITIVE_INFINITY);

/** With a `limit` (a `$limit` follows), only so many documents are held. */
export function sortStage(spec: BsonValue, { pace }: StageContext, limit: number) {
  if (!isDocument(spec)) throw location(15973, 'the $sort key specification must be an object');
  if (Object.keys(spec).length === 0) throw location(15976, '$sort stage must have at least one sort key');
  const keys = compileSortKeys(spec);
  return stage('$sort', async function* (input) {
    const budget = new MemoryBudget('$sort');
    let held: Keyed[] = [];
    // Cutting down costs a sort: it waits until there is twice what may stay, or no more room.
    const cutAt = limit * 2 + 1000;
    await forEachDocument(input, pace, (doc) => {
      const size = approximateSize(doc);
      if (held.length >= cutAt || (held.length > limit && !budget.fits(size))) {
        held.sort((a, b) => keys.compareKeys(a.keys, b.keys));
        for (const { doc: dropped } of held.splice(limit)) budget.release(approximateSize(dropped));
      }
      budget.add(size);
      held.push({ doc, keys: keys.keysOf(doc) });
    });
    held = await sortInRuns(held, keys, pace);
    yield* batchesOf(
      held.slice(0, limit).map(({ doc }) => doc),
      pace,
    );
  });
}
