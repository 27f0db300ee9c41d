import { compare } from '../../bson/compare.js';
import { TYPE_ORDER, typeName } from '../../bson/type.js';
import type { BsonValue, Doc } from '../../bson/values.js';
import type { Accumulator } from '../accumulator.js';
import { location } from '../errors.js';
import { compileExpression } from '../expression.js';
import { typeOf } from '../expressions/operator.js';
import { MemoryBudget } from '../memory.js';
import { count, isNumeric } from '../numeric.js';
import { isDocument } from '../path.js';
import { batchesOf, forEachDocument } from './flow.js';
import { accumulate, compileAccumulations, groupDocument } from './group.js';
import { type Keyed, sortInRuns } from './sort-runs.js';
import { type CompileStage, stage } from './stage.js';

const COUNT: Doc = { count: { $sum: 1 } };

function checkedOutput(name: string, output: BsonValue, code: number): Doc {
  if (output === undefined) return COUNT;
  if (!isDocument(output))
    throw location(code, `The ${name} 'output' field must be an object, but found type: ${typeOf(output)}`);
  return output;
}

/** Groups by ranges [boundary, next boundary); what is outside goes to `default`, or is an error. */
export const compileBucket: CompileStage = (spec, { variables, pace }) => {
  if (!isDocument(spec))
    throw location(40201, `Argument to $bucket stage must be an object, but found type: ${typeOf(spec)}`);
  for (const name of Object.keys(spec)) {
    if (!['groupBy', 'boundaries', 'default', 'output'].includes(name)) {
      throw location(40197, `Unrecognized option to $bucket: ${name}.`);
    }
  }
  const { groupBy, boundaries: given } = spec;
  if (groupBy === undefined || given === undefined) {
    throw location(40198, "$bucket requires 'groupBy' and 'boundaries' to be specified.");
  }
  if (!Array.isArray(given))
    throw location(40200, `The $bucket 'boundaries' field must be an array, but found type: ${typeOf(given)}.`);
  if (given.length < 2) {
    throw location(
      40192,
      `The $bucket 'boundaries' field must have at least 2 values, but found ${given.length} value(s).`,
    );
  }
  const boundaries = given.map((boundary) => compileExpression(boundary, variables)({}));
  for (const [index, boundary] of boundaries.entries()) {
    if (index === 0) continue;
    if (TYPE_ORDER[typeName(boundary)] !== TYPE_ORDER[typeName(boundaries[0])]) {
      throw location(40193, "All values in the 'boundaries' option to $bucket must have the same type.");
    }
    if (compare(boundaries[index - 1], boundary) >= 0) {
      throw location(40194, "The 'boundaries' option to $bucket must be sorted in ascending order.");
    }
  }
  const hasDefault = Object.hasOwn(spec, 'default');
  const fallback = hasDefault ? compileExpression(spec.default, variables)({}) : undefined;
  const [lowest, highest] = [boundaries[0], boundaries[boundaries.length - 1]];
  if (hasDefault && compare(fallback, lowest) >= 0 && compare(fallback, highest) < 0) {
    throw location(
      40199,
      "The $bucket 'default' field must be less than the lowest boundary or greater than or equal to the highest boundary.",
    );
  }
  const groupValue = compileExpression(groupBy, variables);
  const accumulations = compileAccumulations(checkedOutput('$bucket', spec.output, 40196), variables);

  return stage('$bucket', async function* (input) {
    const budget = new MemoryBudget('$bucket');
    const buckets = new Map<number, Accumulator[]>();
    await forEachDocument(input, pace, (doc) => {
      const value = groupValue(doc);
      let at = -1;
      if (value !== undefined && compare(value, lowest) >= 0 && compare(value, highest) < 0) {
        at = boundaries.findLastIndex((boundary) => compare(boundary, value) <= 0);
      } else if (!hasDefault) {
        throw location(40066, '$switch could not find a matching branch for an input, and no default was specified.');
      }
      const accumulators = buckets.get(at) ?? accumulations.start();
      buckets.set(at, accumulators);
      accumulate(accumulators, doc, budget);
    });
    const results = [...buckets].map(([at, accumulators]) =>
      groupDocument(at < 0 ? fallback : boundaries[at], accumulations, accumulators),
    );
    yield* batchesOf(
      results.sort((a, b) => compare(a._id, b._id)),
      pace,
    );
  });
};

/** Groups into about equally many documents per bucket; equal values stay together. */
export const compileBucketAuto: CompileStage = (spec, { variables, pace }) => {
  if (!isDocument(spec))
    throw location(40240, `The argument to $bucketAuto must be an object, but found type: ${typeOf(spec)}.`);
  for (const name of Object.keys(spec)) {
    if (name === 'granularity') throw location(115, "$bucketAuto's granularity is not supported by Pocket Atlas");
    if (!['groupBy', 'buckets', 'output'].includes(name))
      throw location(40245, `Unrecognized option to $bucketAuto: ${name}.`);
  }
  const { groupBy, buckets: wanted } = spec;
  if (groupBy === undefined || wanted === undefined) {
    throw location(40246, "$bucketAuto requires 'groupBy' and 'buckets' to be specified.");
  }
  const bucketCount = isNumeric(wanted) ? count(wanted) : undefined;
  if (!isNumeric(wanted))
    throw location(
      40241,
      `The $bucketAuto 'buckets' field must be a numeric value, but found type: ${typeOf(wanted)}.`,
    );
  if (bucketCount === undefined)
    throw location(40242, "The $bucketAuto 'buckets' field must be representable as a 32-bit integer");
  if (bucketCount <= 0)
    throw location(40243, `The $bucketAuto 'buckets' field must be greater than 0, but found: ${bucketCount}.`);
  const groupValue = compileExpression(groupBy, variables);
  const accumulations = compileAccumulations(checkedOutput('$bucketAuto', spec.output, 40244), variables);

  return stage('$bucketAuto', async function* (input) {
    const budget = new MemoryBudget('$bucketAuto');
    const items: Keyed[] = [];
    await forEachDocument(input, pace, (doc) => {
      budget.hold(doc);
      items.push({ doc, keys: [groupValue(doc) ?? null] });
    });
    const sorted = await sortInRuns(items, { keysOf: () => [], compareKeys: (a, b) => compare(a[0], b[0]) }, pace);
    const size = Math.max(1, Math.round(sorted.length / bucketCount));
    const results: Doc[] = [];
    for (let at = 0; at < sorted.length; ) {
      const isLast = results.length === bucketCount - 1;
      let end = isLast ? sorted.length : Math.min(at + size, sorted.length);
      while (end < sorted.length && compare(sorted[end]!.keys[0], sorted[end - 1]!.keys[0]) === 0) end++;
      const accumulators = accumulations.start();
      for (let i = at; i < end; i++) {
        accumulate(accumulators, sorted[i]!.doc, budget);
        if (pace.due) await pace.rest();
      }
      // a bucket ends where the next begins, the last one at its greatest value
      const max = end < sorted.length ? sorted[end]!.keys[0] : sorted[end - 1]!.keys[0];
      results.push(groupDocument({ min: sorted[at]!.keys[0], max }, accumulations, accumulators));
      at = end;
    }
    yield* batchesOf(results, pace);
  });
};
