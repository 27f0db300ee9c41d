import { type BsonValue, copyMeta, type Doc } from '../../bson/values.js';
import { location } from '../errors.js';
import { compileExpression } from '../expression.js';
import { isDocument } from '../path.js';
import { addLeaf, newTree, setFields } from '../projection/field-tree.js';
import type { QueryVariables } from '../query.js';
import { type Transform, withinStage } from './transform.js';

/** `$addFields` and `$set`: existing fields keep their place, new ones come last; a missing value removes the field. */
export function compileAddFields(spec: BsonValue, variables: QueryVariables, stage: string): Transform {
  if (!isDocument(spec)) throw location(40272, `${stage} specification stage must be an object, got ${typeof spec}`);
  if (Object.keys(spec).length === 0) {
    throw location(40177, `Invalid ${stage} :: caused by :: specification must have at least one field`);
  }
  const tree = newTree();
  withinStage(stage, () => {
    for (const [path, value] of Object.entries(spec)) addComputed(path, value);
  });
  return (doc) => copyMeta(doc, setFields(doc, tree, doc));

  function addComputed(path: string, value: BsonValue): void {
    if (!isDocument(value) || Object.keys(value)[0]?.startsWith('$')) {
      const evaluate = compileExpression(value, variables);
      addLeaf(tree, path, { kind: 'compute', evaluate: (root: Doc) => evaluate(root) });
      return;
    }
    const names = Object.keys(value);
    if (names.length === 0) {
      throw location(40180, `an empty object is not a valid value. Found empty object at path ${path}`);
    }
    for (const name of names) {
      if (name.includes('.')) {
        throw location(40183, `cannot use dotted field name '${name}' in a sub object`);
      }
      addComputed(`${path}.${name}`, value[name]);
    }
  }
}
