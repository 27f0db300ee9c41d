import type { BsonValue } from '../../bson/values.js';
import { location } from '../errors.js';
import { compileExpression } from '../expression.js';
import { isDocument } from '../path.js';
import { NumberSum } from '../sum.js';
import { compileGroup } from './group.js';
import { compileSortStage } from './sort.js';
import { type CompileStage, stage } from './stage.js';

/** One document with the count, or none when there was nothing to count. */
export const compileCount: CompileStage = (spec) => {
  if (typeof spec !== 'string') throw location(40156, 'the count field must be a non-empty string');
  if (spec === '') throw location(40157, 'the count field must be a non-empty string');
  if (spec.startsWith('$')) throw location(40158, 'the count field cannot be a $-prefixed path');
  if (spec.includes('\0')) throw location(40159, 'the count field cannot contain a null byte');
  if (spec.includes('.')) throw location(40160, "the count field cannot contain '.'");
  return stage('$count', async function* (input) {
    const total = new NumberSum();
    for await (const batch of input) total.add(batch.length);
    const value = total.total();
    if (value !== 0) yield [{ [spec]: value }];
  });
};

/** `$group` by the expression with a count, most frequent first. */
export const compileSortByCount: CompileStage = (spec, context) => {
  if (!isExpression(spec)) {
    throw location(
      40149,
      'the sortByCount field must be defined as a $-prefixed path or an expression inside an object',
    );
  }
  compileExpression(spec, context.variables);
  const group = compileGroup({ _id: spec, count: { $sum: 1 } }, context, '$sortByCount');
  const sort = compileSortStage({ count: -1 }, context, '$sort');
  return stage('$sortByCount', (input) => sort.run(group.run(input)));
};

function isExpression(spec: BsonValue): boolean {
  if (typeof spec === 'string') return spec.startsWith('$');
  return isDocument(spec) && Object.keys(spec)[0]?.startsWith('$') === true;
}
