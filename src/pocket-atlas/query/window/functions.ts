import { Long } from 'bson';
import { compare } from '../../bson/compare.js';
import type { BsonValue, Doc } from '../../bson/values.js';
import { type Accumulator, compileAccumulator } from '../accumulator.js';
import { ACCUMULATORS } from '../accumulators/table.js';
import { addNumbers, multiplyNumbers } from '../arithmetic.js';
import { failedToParse, location } from '../errors.js';
import { compileExpression } from '../expression.js';
import { isNullish, typeOf } from '../expressions/operator.js';
import { scaleMinMax } from '../fusion/normalization.js';
import { count, double, isNumeric, toDouble } from '../numeric.js';
import type { Pace } from '../pace.js';
import { isDocument } from '../path.js';
import type { QueryVariables } from '../query.js';
import { type WindowBounds, windowBounds } from './bounds.js';

/** Documents that share their partition key, in the order of `sortBy`. */
export interface Partition {
  readonly docs: readonly Doc[];
  /** Keys by which each was sorted. */
  readonly keys: readonly (readonly BsonValue[])[];
}

/** Values of one output field for all documents of a partition. */
export type WindowFunction = (partition: Partition, pace: Pace) => Promise<BsonValue[]>;

interface Definition {
  readonly argument: BsonValue;
  readonly bounds: WindowBounds;
  readonly hasWindow: boolean;
  readonly sortBy: Doc | undefined;
  readonly variables: QueryVariables;
}

/** Compiles `{ $sum: "$x", window: { … } }`. @throws CommandError 9 for a function that is not known. */
export function compileWindowFunction(
  field: string,
  spec: BsonValue,
  sortBy: Doc | undefined,
  variables: QueryVariables,
): WindowFunction {
  if (!isDocument(spec)) throw failedToParse(`The field '${field}' must be an object`);
  const { window, ...rest } = spec;
  const names = Object.keys(rest);
  const [name] = names;
  if (name === undefined || names.length !== 1) {
    throw failedToParse(`Window function found an unknown argument or none: ${names.join(', ')}`);
  }
  const definition = {
    argument: rest[name],
    bounds: windowBounds(window, sortBy),
    hasWindow: window !== undefined,
    sortBy,
    variables,
  };
  const special = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
  if (special !== undefined) return special(definition, name);
  if (!Object.hasOwn(ACCUMULATORS, name)) throw failedToParse(`Unrecognized window function, ${name}`);
  return accumulated(compileAccumulator(field, rest, variables), definition.bounds);
}

/** Functions that are no accumulators. `$derivative`, `$integral` and the covariances are not there. */
const FUNCTIONS: Readonly<Record<string, (definition: Definition, name: string) => WindowFunction>> = {
  $documentNumber: (definition, name) => ranked(definition, name, (_isTie, index) => index + 1),
  $rank: (definition, name) => ranked(definition, name, (isTie, index, before) => (isTie ? before : index + 1)),
  $denseRank: (definition, name) => ranked(definition, name, (isTie, _index, before) => (isTie ? before : before + 1)),
  $shift: shift,
  $locf: carryForward,
  $linearFill: interpolate,
  $expMovingAvg: movingAverage,
  $minMaxScaler: minMaxScaler,
};

const LOOK_EVERY = 64;

function accumulated(start: () => Accumulator, bounds: WindowBounds): WindowFunction {
  return async ({ docs, keys }, pace) => {
    const windowAt = bounds.over(keys.map(([key]) => key));
    const values: BsonValue[] = [];
    let accumulator = start();
    let [doneFrom, doneTo] = [0, 0];
    for (let index = 0; index < docs.length; index++) {
      const [from, to] = windowAt(index);
      // nothing leaves an accumulator again: a window that drops its beginning starts anew
      if (from !== doneFrom || to < doneTo) {
        accumulator = start();
        [doneFrom, doneTo] = [from, from];
      }
      for (; doneTo < to; doneTo++) {
        accumulator.process(docs[doneTo]!);
        if (doneTo % LOOK_EVERY === 0 && pace.due) await pace.rest();
      }
      values.push(accumulator.value());
      if (pace.due) await pace.rest();
    }
    return values;
  };
}

function requireSort({ sortBy }: Definition, name: string): void {
  if (sortBy === undefined) throw location(5371602, `${name} must be specified with a top level sortBy expression`);
}

function ranked(
  definition: Definition,
  name: string,
  next: (isTie: boolean, index: number, before: number) => number,
): WindowFunction {
  requireSort(definition, name);
  if (!isDocument(definition.argument) || Object.keys(definition.argument).length > 0) {
    throw location(5371603, `${name} must be specified with '{}' as the value`);
  }
  if (definition.hasWindow) throw location(5371601, `Rank style window functions take no other arguments`);
  return async ({ keys }) => {
    let before = 0;
    return keys.map((key, index) => {
      const isTie = index > 0 && key.every((value, part) => compare(value, keys[index - 1]![part]) === 0);
      before = next(isTie, index, before);
      return before > 2 ** 31 - 1 ? Long.fromNumber(before) : before;
    });
  };
}

function shift(definition: Definition, name: string): WindowFunction {
  requireSort(definition, name);
  const { argument, variables } = definition;
  if (!isDocument(argument) || !Object.hasOwn(argument, 'output') || !Object.hasOwn(argument, 'by')) {
    throw failedToParse("$shift requires 'output' and 'by'");
  }
  const by = count(argument.by);
  if (by === undefined) throw failedToParse(`'$shift:by' field must be an integer, but found ${typeOf(argument.by)}`);
  const output = compileExpression(argument.output, variables);
  const fallback = argument.default === undefined ? null : compileExpression(argument.default, variables)({});
  return async ({ docs }) =>
    docs.map((_, index) => {
      const other = docs[index + by];
      return other === undefined ? fallback : (output(other) ?? null);
    });
}

/** The last value that was not null. */
function carryForward({ argument, variables }: Definition): WindowFunction {
  const evaluate = compileExpression(argument, variables);
  return async ({ docs }) => {
    let last: BsonValue = null;
    return docs.map((doc) => {
      const value = evaluate(doc);
      if (!isNullish(value)) last = value;
      return last;
    });
  };
}

/** Nulls between two numbers are put on the line between them, by the sort value. */
function interpolate(definition: Definition, name: string): WindowFunction {
  requireSort(definition, name);
  if (Object.keys(definition.sortBy!).length !== 1)
    throw location(605001, '$linearFill can only be used with a sortBy of a single field');
  const evaluate = compileExpression(definition.argument, definition.variables);
  return async ({ docs, keys }) => {
    const values: BsonValue[] = docs.map((doc) => evaluate(doc) ?? null);
    const at = keys.map(([key]) => (key instanceof Date ? key.getTime() : toDouble(key)));
    let left = -1;
    for (let index = 0; index < values.length; index++) {
      const value = values[index];
      if (value === null) continue;
      if (!isNumeric(value))
        throw location(14, `Value to be filled must be numeric or nullish, found ${typeOf(value)}`);
      for (let gap = left + 1; left >= 0 && gap < index; gap++) {
        const share = (at[gap]! - at[left]!) / (at[index]! - at[left]!);
        const step = addNumbers(value, multiplyNumbers(values[left], -1));
        values[gap] = addNumbers(values[left], multiplyNumbers(step, double(share)));
      }
      left = index;
    }
    return values;
  };
}

function movingAverage(definition: Definition, name: string): WindowFunction {
  requireSort(definition, name);
  const { argument, variables } = definition;
  if (!isDocument(argument) || !Object.hasOwn(argument, 'input')) throw failedToParse("$expMovingAvg requires 'input'");
  const { N: periods, alpha } = argument;
  if ((periods === undefined) === (alpha === undefined)) {
    throw failedToParse(
      "$expMovingAvg sub object must have exactly two fields: An 'input' field, and either an 'N' field or an 'alpha' field",
    );
  }
  const weight = periods === undefined ? toDouble(alpha) : 2 / (toDouble(periods) + 1);
  if (!(weight > 0 && weight <= 1) || (alpha !== undefined && weight === 1)) {
    throw failedToParse("'alpha' must be between 0 and 1 (exclusive), 'N' at least 1");
  }
  const evaluate = compileExpression(argument.input, variables);
  return async ({ docs }) => {
    let average: number | undefined;
    return docs.map((doc) => {
      const value = evaluate(doc);
      if (isNumeric(value)) {
        const x = toDouble(value);
        average = average === undefined ? x : x * weight + average * (1 - weight);
      }
      return average === undefined ? null : double(average);
    });
  };
}

/** `{ input, min, max }`: where the value lies between the least and the greatest of its window. */
function minMaxScaler({ argument, bounds, variables }: Definition): WindowFunction {
  if (!isDocument(argument) || !Object.hasOwn(argument, 'input')) throw failedToParse("$minMaxScaler requires 'input'");
  const { input, min = 0, max = 1 } = argument;
  const [low, high] = [toDouble(min), toDouble(max)];
  if (!(low < high)) throw failedToParse("$minMaxScaler's 'min' must be less than its 'max'");
  const evaluate = compileExpression(input, variables);
  return async ({ docs, keys }, pace) => {
    const windowAt = bounds.over(keys.map(([key]) => key));
    const values = docs.map((doc) => {
      const value = evaluate(doc);
      if (!isNumeric(value)) throw location(10487003, `$minMaxScaler's input must be numeric, found ${typeOf(value)}`);
      return toDouble(value);
    });
    if (bounds.isWhole) return scaleMinMax(values, low, high).map(double);
    const scaled: BsonValue[] = [];
    for (let index = 0; index < values.length; index++) {
      const [from, to] = windowAt(index);
      const window = values.slice(from, to);
      const [own] = scaleMinMax([values[index]!, ...window], low, high);
      scaled.push(double(own!));
      if (pace.due) await pace.rest();
    }
    return scaled;
  };
}
