import type { BsonValue, Doc } from '../../bson/values.js';
import type { Accumulator, CompileAccumulator } from '../accumulator.js';
import { location } from '../errors.js';
import { compileExpression } from '../expression.js';
import { approximateSize } from '../memory.js';
import { count } from '../numeric.js';
import { isDocument } from '../path.js';
import type { QueryVariables } from '../query.js';
import { compileSortKeys } from '../sort.js';
import { ofValues } from './of-values.js';
import {
  extreme,
  first,
  insertionPoint,
  keepExtremes,
  keepFirst,
  keepLast,
  last,
  type ValueAccumulator,
} from './value-accumulators.js';

/** Accumulators that pick values out of the group. */
export const SELECTING: Readonly<Record<string, CompileAccumulator>> = {
  $first: ofValues(first),
  $last: ofValues(last),
  $min: ofValues(() => extreme(-1)),
  $max: ofValues(() => extreme(1)),
  $firstN: severalOf((n) => keepFirst(n)),
  $lastN: severalOf((n) => keepLast(n)),
  $minN: severalOf((n) => keepExtremes(n, -1)),
  $maxN: severalOf((n) => keepExtremes(n, 1)),
  $top: sorted(false, 1),
  $bottom: sorted(false, -1),
  $topN: sorted(true, 1),
  $bottomN: sorted(true, -1),
};

/** `{ input, n }`. */
function severalOf(start: (n: number) => ValueAccumulator): CompileAccumulator {
  return (argument, variables, name) => {
    const { input, n } = namedParts(argument, name, ['input', 'n']);
    const evaluate = compileExpression(input, variables);
    const limit = limitOf(n, variables, name);
    return () => {
      const state = start(limit);
      return {
        process: (doc) => state.add(evaluate(doc)),
        value: () => state.value(),
        get heldBytes() {
          return state.heldBytes ?? 0;
        },
      };
    };
  };
}

function namedParts(argument: BsonValue, name: string, required: readonly string[]): Doc {
  if (!isDocument(argument))
    throw location(5787900, `specification must be an object; found ${name}: ${typeof argument}`);
  for (const key of Object.keys(argument)) {
    if (!required.includes(key)) throw location(5787901, `Unknown argument for ${name}: ${key}`);
  }
  for (const key of required) {
    if (!Object.hasOwn(argument, key)) throw location(5787906, `Missing value for '${key}' in ${name}`);
  }
  return argument;
}

/** `n` counts once for all groups: it may be an expression, but not one of the documents. */
function limitOf(n: BsonValue, variables: QueryVariables, name: string): number {
  const value = compileExpression(n, variables)({});
  const limit = count(value);
  if (limit === undefined)
    throw location(5787902, `Value for 'n' must be of integral type, but found ${typeof value} in ${name}`);
  if (limit <= 0) throw location(5787908, `'n' must be greater than 0, found ${limit}`);
  return limit;
}

/** `$top`, `$bottom` and their n-fold forms: outputs of the documents that come first (or last) under `sortBy`. */
function sorted(isMany: boolean, end: 1 | -1): CompileAccumulator {
  return (argument, variables, name) => {
    const parts = namedParts(argument, name, isMany ? ['n', 'sortBy', 'output'] : ['sortBy', 'output']);
    if (!isDocument(parts.sortBy)) throw location(10065, `invalid parameter: expected an object (sortBy)`);
    const { keysOf, compareKeys } = compileSortKeys(parts.sortBy);
    const output = compileExpression(parts.output, variables);
    const limit = isMany ? limitOf(parts.n, variables, name) : 1;
    return (): Accumulator => {
      const kept: { keys: BsonValue[]; output: BsonValue; size: number }[] = [];
      let heldBytes = 0;
      return {
        process(doc) {
          const keys = keysOf(doc);
          const at = insertionPoint(kept, (item) => compareKeys(item.keys, keys) <= 0);
          // of the last ones the first is the one to go
          if (end === 1 ? at >= limit : at === 0 && kept.length >= limit) return;
          const value = output(doc) ?? null;
          const size = approximateSize(value) + approximateSize(keys);
          kept.splice(at, 0, { keys, output: value, size });
          heldBytes += size;
          if (kept.length > limit) heldBytes -= kept.splice(end === 1 ? limit : 0, 1)[0]!.size;
        },
        value: () => (isMany ? kept.map((item) => item.output) : (kept[0]?.output ?? null)),
        get heldBytes() {
          return heldBytes;
        },
      };
    };
  };
}
