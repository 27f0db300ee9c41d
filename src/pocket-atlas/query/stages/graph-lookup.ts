import { Long } from 'bson';
import { type BsonValue, copyMeta, type Doc } from '../../bson/values.js';
import { failedToParse, location } from '../errors.js';
import { compileExpression } from '../expression.js';
import { fieldPathParts } from '../expressions/field-path.js';
import { typeOf } from '../expressions/operator.js';
import { compileFilter } from '../filter.js';
import { MemoryBudget } from '../memory.js';
import { count } from '../numeric.js';
import { isDocument, setField } from '../path.js';
import { isRegex } from '../regex.js';
import { ValueMap, ValueSet } from '../value-set.js';
import { forEachDocument } from './flow.js';
import { valuesOn } from './lookup.js';
import { type CompileStage, stage } from './stage.js';
import { withValue } from './unwind.js';

const REQUIRED = ['from', 'as', 'startWith', 'connectFromField', 'connectToField'];
const OPTIONAL = ['maxDepth', 'depthField', 'restrictSearchWithMatch'];

/** Follows references from document to document, breadth first; each document is found once, at its least depth. */
export const compileGraphLookup: CompileStage = (spec, { variables, environment, pace }) => {
  if (!isDocument(spec))
    throw failedToParse(`the $graphLookup stage specification must be an object, but found ${typeOf(spec)}`);
  for (const name of Object.keys(spec)) {
    if (!REQUIRED.includes(name) && !OPTIONAL.includes(name))
      throw location(40104, `Unknown argument to $graphLookup: ${name}`);
  }
  for (const name of REQUIRED) {
    if (!Object.hasOwn(spec, name)) {
      throw location(
        40105,
        `$graphLookup requires 'from', 'as', 'startWith', 'connectFromField', and 'connectToField' to be specified.`,
      );
    }
  }
  const { from, as, connectFromField, connectToField, depthField, restrictSearchWithMatch = {} } = spec;
  const [fromName, asPath, fromField, toField] = [from, as, connectFromField, connectToField].map((value) => {
    if (typeof value !== 'string')
      throw location(40103, `expected string as argument for $graphLookup, found: ${typeOf(value)}`);
    return value;
  }) as [string, string, string, string];
  if (depthField !== undefined && typeof depthField !== 'string') {
    throw location(40103, `expected string as argument for depthField, found: ${typeOf(depthField)}`);
  }
  if (!isDocument(restrictSearchWithMatch)) {
    throw location(40185, `restrictSearchWithMatch must be an object, found ${typeOf(restrictSearchWithMatch)}`);
  }
  const maxDepth = spec.maxDepth === undefined ? Number.POSITIVE_INFINITY : count(spec.maxDepth);
  if (maxDepth === undefined)
    throw location(40100, `maxDepth must be numeric and a whole number, found type: ${typeOf(spec.maxDepth)}`);
  if (maxDepth < 0) throw location(40101, `maxDepth requires a nonnegative argument, found: ${maxDepth}`);

  const depthName: string | undefined = depthField;
  const asParts = fieldPathParts(asPath);
  const startWith = compileExpression(spec.startWith, variables);
  const isWanted = compileFilter(restrictSearchWithMatch, variables);
  const connectFrom = valuesOn(fromField, false);
  const connectTo = valuesOn(toField, true);

  async function search(doc: Doc): Promise<Doc[]> {
    const budget = new MemoryBudget('$graphLookup');
    const found = new ValueMap<Doc>();
    const visited = new ValueSet();
    const start = startWith(doc);
    let frontier = (Array.isArray(start) ? start : [start ?? null]).filter((value) => visited.add(value));
    for (let depth = 0; frontier.length > 0 && depth <= maxDepth!; depth++) {
      const values = new ValueSet(frontier);
      const next: BsonValue[] = [];
      const filter: Doc = frontier.some(isRegex) ? {} : { [toField]: { $in: frontier } };
      await forEachDocument(environment.read(environment.db, fromName, filter), pace, (candidate) => {
        if (!connectTo(candidate).some((value) => values.has(value)) || !isWanted(candidate)) return;
        if (found.get(candidate._id) !== undefined) return;
        budget.hold(candidate);
        found.getOrInsert(candidate._id, () => {
          if (depthName === undefined) return candidate;
          const withDepth = { ...candidate };
          setField(withDepth, depthName, Long.fromNumber(depth));
          return withDepth;
        });
        for (const value of connectFrom(candidate)) if (visited.add(value)) next.push(value);
      });
      frontier = next;
    }
    return found.entries().map(({ value }) => value);
  }

  return stage('$graphLookup', async function* (input) {
    for await (const batch of input) {
      const out: Doc[] = [];
      for (const doc of batch) {
        out.push(copyMeta(doc, withValue(doc, asParts, await search(doc))));
        if (pace.due) await pace.rest();
      }
      yield out;
    }
  });
};
