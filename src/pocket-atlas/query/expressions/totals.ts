import type { BsonValue } from '../../bson/values.js';
import {
  average,
  extreme,
  keepExtremes,
  standardDeviation,
  sum,
  type ValueAccumulator,
} from '../accumulators/value-accumulators.js';
import { location } from '../errors.js';
import { count, isNumeric } from '../numeric.js';
import { compileArguments, namedArguments } from './arguments.js';
import { type Operator, type OperatorTable, operands, typeOf } from './operator.js';

/** Accumulators as expressions: over one array, or over their operands. */
export const TOTALS: OperatorTable = {
  $sum: over(sum),
  $avg: over(average),
  $min: over(() => extreme(-1)),
  $max: over(() => extreme(1)),
  $stdDevPop: over(() => standardDeviation(0)),
  $stdDevSamp: over(() => standardDeviation(1)),
  $firstN: several((array, n) => array.slice(0, n)),
  $lastN: several((array, n) => array.slice(-n)),
  $minN: several((array, n) => keep(array, keepExtremes(n, -1))),
  $maxN: several((array, n) => keep(array, keepExtremes(n, 1))),
};

function over(start: () => ValueAccumulator): Operator {
  return (argument, context, name) => {
    const all = operands(name, argument, context, 0, Number.POSITIVE_INFINITY);
    return (current) => {
      const state = start();
      const values = all.map((operand) => operand(current));
      // a single array stands for its elements, an array among others for nothing
      const items = values.length === 1 && Array.isArray(values[0]) ? values[0] : values;
      for (const item of items) state.add(item);
      return state.value();
    };
  };
}

function keep(array: readonly BsonValue[], state: ValueAccumulator): BsonValue {
  for (const item of array) state.add(item);
  return state.value();
}

function several(pick: (array: readonly BsonValue[], n: number) => BsonValue): Operator {
  return (argument, context, name) => {
    const { input, n } = compileArguments(namedArguments(name, argument, ['input', 'n'], []), context);
    return (current) => {
      const limit = n!(current);
      const wanted = isNumeric(limit) ? count(limit) : undefined;
      if (wanted === undefined)
        throw location(5787902, `Value for 'n' must be of integral type, but found ${typeOf(limit)}`);
      if (wanted <= 0) throw location(5787908, `'n' must be greater than 0, found ${wanted}`);
      const array = input!(current);
      if (!Array.isArray(array)) throw location(5788200, `Input must be an array, but found ${typeOf(array)}`);
      return pick(array, wanted);
    };
  };
}
