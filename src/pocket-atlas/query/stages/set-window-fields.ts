import { compare } from '../../bson/compare.js';
import { type BsonValue, copyMeta, type Doc } from '../../bson/values.js';
import { failedToParse, location } from '../errors.js';
import { compileExpression } from '../expression.js';
import { typeOf } from '../expressions/operator.js';
import { MemoryBudget } from '../memory.js';
import { isDocument } from '../path.js';
import { addLeaf, newTree, setFields } from '../projection/field-tree.js';
import { compileSortKeys } from '../sort.js';
import { compileWindowFunction } from '../window/functions.js';
import { batchesOf, forEachDocument } from './flow.js';
import { type Keyed, sortInRuns } from './sort-runs.js';
import { type CompileStage, stage } from './stage.js';

/** Adds fields computed over windows of the sorted documents of a partition. */
export const compileSetWindowFields: CompileStage = (spec, { variables, pace }, name) => {
  if (!isDocument(spec))
    throw failedToParse(`the ${name} stage specification must be an object, found ${typeOf(spec)}`);
  for (const key of Object.keys(spec)) {
    if (!['partitionBy', 'sortBy', 'output'].includes(key)) {
      throw location(40415, `BSON field '${name}.${key}' is an unknown field.`);
    }
  }
  const { partitionBy = null, sortBy, output } = spec;
  if (!isDocument(output)) throw location(40414, `BSON field '${name}.output' is missing but a required field`);
  if (sortBy !== undefined && !isDocument(sortBy))
    throw failedToParse(`sortBy must be an object, found ${typeOf(sortBy)}`);
  const partitionOf = compileExpression(partitionBy, variables);
  const isPartitioned = partitionBy !== null;
  const keys = compileSortKeys(sortBy ?? {});
  const functions = Object.entries(output).map(([path, definition]) => ({
    path,
    compute: compileWindowFunction(path, definition, sortBy, variables),
  }));

  return stage(name, async function* (input) {
    const budget = new MemoryBudget(name);
    const items: Keyed[] = [];
    await forEachDocument(input, pace, (doc) => {
      budget.hold(doc);
      const partition = isPartitioned ? (partitionOf(doc) ?? null) : null;
      if (Array.isArray(partition))
        throw location(14, 'An expression used to partition cannot evaluate to value of type array');
      items.push({ doc, keys: [partition, ...keys.keysOf(doc)] });
    });
    const byPartition = {
      keysOf: () => [],
      compareKeys: (a: readonly BsonValue[], b: readonly BsonValue[]) =>
        compare(a[0], b[0]) || keys.compareKeys(a.slice(1), b.slice(1)),
    };
    const sorted = isPartitioned || sortBy !== undefined ? await sortInRuns(items, byPartition, pace) : items;
    for (let from = 0; from < sorted.length; ) {
      let to = from + 1;
      while (to < sorted.length && compare(sorted[to]!.keys[0], sorted[from]!.keys[0]) === 0) to++;
      const part = sorted.slice(from, to);
      const partition = { docs: part.map(({ doc }) => doc), keys: part.map((item) => item.keys.slice(1)) };
      const columns: BsonValue[][] = [];
      for (const { compute } of functions) columns.push(await compute(partition, pace));
      let row = 0;
      const tree = newTree();
      functions.forEach(({ path }, column) => {
        addLeaf(tree, path, { kind: 'compute', evaluate: () => columns[column]![row] });
      });
      const results = function* (): Generator<Doc> {
        for (row = 0; row < partition.docs.length; row++) {
          const doc = partition.docs[row]!;
          yield copyMeta(doc, setFields(doc, tree, doc));
        }
      };
      yield* batchesOf(results(), pace);
      from = to;
    }
  });
};
