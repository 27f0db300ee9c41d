import type { BsonValue, Doc } from '../../bson/values.js';
import { type Accumulator, compileAccumulator } from '../accumulator.js';
import { location } from '../errors.js';
import { compileExpression } from '../expression.js';
import { approximateSize, MemoryBudget } from '../memory.js';
import { isDocument, setField } from '../path.js';
import type { QueryVariables } from '../query.js';
import { ValueMap } from '../value-set.js';
import { batchesOf, forEachDocument } from './flow.js';
import { type CompileStage, stage } from './stage.js';

/** Named accumulators, compiled: what `$group`, `$bucket` and `$bucketAuto` share. */
export interface Accumulations {
  readonly names: readonly string[];
  start(): Accumulator[];
}

export function compileAccumulations(fields: Doc, variables: QueryVariables): Accumulations {
  const names = Object.keys(fields);
  const starts = names.map((name) => {
    if (name.includes('.')) throw location(40235, `The field name '${name}' cannot contain '.'`);
    if (name.startsWith('$')) throw location(40236, `The field name '${name}' cannot be an operator name`);
    return compileAccumulator(name, fields[name], variables);
  });
  return { names, start: () => starts.map((start) => start()) };
}

/** Feeds a document to a group and accounts for what the group now holds. */
export function accumulate(accumulators: readonly Accumulator[], doc: Doc, budget: MemoryBudget): void {
  for (const accumulator of accumulators) {
    const before = accumulator.heldBytes ?? 0;
    accumulator.process(doc);
    const grown = (accumulator.heldBytes ?? 0) - before;
    if (grown > 0) budget.add(grown);
    else if (grown < 0) budget.release(-grown);
  }
}

export function groupDocument(id: BsonValue, { names }: Accumulations, accumulators: readonly Accumulator[]): Doc {
  const result: Doc = { _id: id };
  names.forEach((name, index) => {
    const value = accumulators[index]!.value();
    if (value !== undefined) setField(result, name, value);
  });
  return result;
}

export const compileGroup: CompileStage = (spec, { variables, pace }, stageName) => {
  if (!isDocument(spec)) throw location(15947, "a group's fields must be specified in an object");
  if (!Object.hasOwn(spec, '_id')) throw location(15955, 'a group specification must include an _id');
  const { _id: idExpression, ...fields } = spec;
  const idOf = compileExpression(idExpression, variables);
  const accumulations = compileAccumulations(fields, variables);
  const groupBytes = 100 * (1 + accumulations.names.length);
  return stage(stageName, async function* (input) {
    const budget = new MemoryBudget(stageName);
    const groups = new ValueMap<Accumulator[]>();
    await forEachDocument(input, pace, (doc) => {
      const id = idOf(doc) ?? null;
      const accumulators = groups.getOrInsert(id, () => {
        budget.add(groupBytes + approximateSize(id));
        return accumulations.start();
      });
      accumulate(accumulators, doc, budget);
    });
    yield* batchesOf(
      (function* () {
        for (const { key, value } of groups.entries()) yield groupDocument(key, accumulations, value);
      })(),
      pace,
    );
  });
};
