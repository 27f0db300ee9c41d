import type { Doc } from '../../bson/values.js';
import { location } from '../errors.js';
import { compileExpression } from '../expression.js';
import { isDocument } from '../path.js';
import { batchesOf } from './flow.js';
import { type CompileStage, stage } from './stage.js';

/** A source: the documents of an expression that gives an array of them. */
export const compileDocuments: CompileStage = (spec, { variables, pace }) => {
  const evaluate = compileExpression(spec, variables);
  return stage('$documents', async function* () {
    const docs = evaluate({});
    if (!Array.isArray(docs) || !docs.every(isDocument)) {
      throw location(5858203, 'an array is expected: $documents takes an array of objects');
    }
    yield* batchesOf(docs as Doc[], pace);
  });
};
