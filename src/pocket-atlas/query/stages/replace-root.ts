import { type BsonValue, copyMeta } from '../../bson/values.js';
import { describe } from '../describe.js';
import { location } from '../errors.js';
import { compileExpression } from '../expression.js';
import { typeOf } from '../expressions/operator.js';
import { isDocument } from '../path.js';
import type { QueryVariables } from '../query.js';
import type { Transform } from './transform.js';

/** `$replaceRoot: { newRoot: <expression> }`. */
export function compileReplaceRoot(spec: BsonValue, variables: QueryVariables, stage: string): Transform {
  if (!isDocument(spec)) {
    throw location(40229, `expected an object as specification for ${stage} stage, got ${typeOf(spec)}`);
  }
  for (const name of Object.keys(spec)) {
    if (name !== 'newRoot') throw location(40415, `BSON field '$replaceRoot.${name}' is an unknown field.`);
  }
  if (!Object.hasOwn(spec, 'newRoot')) throw location(40231, `no newRoot specified for the $replaceRoot stage`);
  return compileReplaceWith(spec.newRoot, variables);
}

/** `$replaceWith: <expression>`. */
export function compileReplaceWith(expression: BsonValue, variables: QueryVariables): Transform {
  const evaluate = compileExpression(expression, variables);
  return (doc) => {
    const root = evaluate(doc);
    if (!isDocument(root)) {
      throw location(
        40228,
        `'newRoot' expression must evaluate to an object, but resulting value was: ${describe(root)}. Type of resulting value: '${typeOf(root)}'.`,
      );
    }
    return root === doc ? doc : copyMeta(doc, { ...root });
  };
}
