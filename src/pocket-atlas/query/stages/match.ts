import { location } from '../errors.js';
import { compileFilter } from '../filter.js';
import { isDocument } from '../path.js';
import { mapDocuments } from './flow.js';
import { type CompileStage, stage } from './stage.js';

export const compileMatch: CompileStage = (spec, { variables, pace }) => {
  if (!isDocument(spec)) throw location(15959, 'the match filter must be an expression in an object');
  const matches = compileFilter(spec, variables);
  return stage('$match', (input) => mapDocuments(input, pace, (doc) => (matches(doc) ? doc : undefined)));
};
