import type { BsonValue } from '../bson/values.js';
import { count, isNumeric } from './numeric.js';

/** Stages that make one document of each. */
const ONE_EACH: ReadonlySet<string> = new Set([
  '$project',
  '$addFields',
  '$set',
  '$unset',
  '$replaceRoot',
  '$replaceWith',
]);

/**
 * How many of a source's documents the stages behind it look at, when a `$limit` says so; undefined: perhaps all. Only a hint
 * of how far to look ahead. A stage that is wrong is not refused here: that is its own business, in its turn.
 */
export function wantedDocuments(
  stages: readonly { readonly name: string; readonly spec: BsonValue }[],
): number | undefined {
  let skipped = 0;
  for (const { name, spec } of stages) {
    if (ONE_EACH.has(name)) continue;
    const whole = isNumeric(spec) ? count(spec) : undefined;
    if (whole === undefined || whole < 0) return undefined;
    if (name === '$limit') return skipped + whole;
    if (name !== '$skip') return undefined;
    skipped += whole;
  }
  return undefined;
}
