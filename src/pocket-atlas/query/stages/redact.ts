import { type BsonValue, copyMeta, type Doc } from '../../bson/values.js';
import { location } from '../errors.js';
import { expressionContext } from '../expression.js';
import { bindRoot, newRoot } from '../expressions/operator.js';
import { isDocument, setField } from '../path.js';
import { mapDocuments } from './flow.js';
import { type CompileStage, stage } from './stage.js';

/** What the variables hold; objects of our own, so that no stored value is mistaken for a decision. */
const DESCEND: Doc = {};
const PRUNE: Doc = {};
const KEEP: Doc = {};

/** Decides for each document and each document inside it: go on into it, leave it out, or keep it whole. */
export const compileRedact: CompileStage = (spec, { variables, pace }) => {
  const root = newRoot();
  const decide = expressionContext(variables, root)
    .withVariables({ DESCEND: { value: DESCEND }, PRUNE: { value: PRUNE }, KEEP: { value: KEEP } })
    .compile(spec);

  function redact(doc: Doc): Doc | undefined {
    const decision = decide(doc);
    if (decision === KEEP) return doc;
    if (decision === PRUNE) return undefined;
    if (decision !== DESCEND) {
      throw location(17053, '$redact must resolve to $$DESCEND, $$PRUNE, or $$KEEP');
    }
    const result: Doc = {};
    for (const name of Object.keys(doc)) {
      const value = redactValue(doc[name]);
      if (value !== undefined) setField(result, name, value);
    }
    return result;
  }

  function redactValue(value: BsonValue): BsonValue {
    if (isDocument(value)) return redact(value);
    if (Array.isArray(value)) return value.map(redactValue).filter((item) => item !== undefined);
    return value;
  }

  return stage('$redact', (input) =>
    mapDocuments(input, pace, (doc) => {
      bindRoot(root, doc);
      const result = redact(doc);
      return result === undefined ? undefined : copyMeta(doc, result);
    }),
  );
};
