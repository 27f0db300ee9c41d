import type { CompileAccumulator } from '../accumulator.js';
import { location } from '../errors.js';
import { isDocument } from '../path.js';
import { NumberSum } from '../sum.js';
import { ofValues } from './of-values.js';
import { average, standardDeviation, sum } from './value-accumulators.js';

export const NUMERIC: Readonly<Record<string, CompileAccumulator>> = {
  $sum: ofValues(sum),
  $avg: ofValues(average),
  $stdDevPop: ofValues(() => standardDeviation(0)),
  $stdDevSamp: ofValues(() => standardDeviation(1)),
  $count: (argument) => {
    if (!isDocument(argument) || Object.keys(argument).length > 0) {
      throw location(9, '$count takes no arguments, i.e. $count:{}');
    }
    return () => {
      const total = new NumberSum();
      return { process: () => total.add(1), value: () => total.total() };
    };
  },
};
