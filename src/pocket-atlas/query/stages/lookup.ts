import { type BsonValue, copyMeta, type Doc } from '../../bson/values.js';
import { failedToParse, location } from '../errors.js';
import { compileExpression } from '../expression.js';
import { fieldPathParts } from '../expressions/field-path.js';
import { typeOf } from '../expressions/operator.js';
import { MemoryBudget } from '../memory.js';
import { compileVisit, isDocument } from '../path.js';
import type { QueryVariables } from '../query.js';
import { isRegex } from '../regex.js';
import { ValueMap, ValueSet } from '../value-set.js';
import { batchesOf, collectDocuments, forEachDocument } from './flow.js';
import { type CompileStage, type StageContext, type StageSequence, stage } from './stage.js';
import { withValue } from './unwind.js';

const OPTIONS: ReadonlySet<string> = new Set(['from', 'as', 'localField', 'foreignField', 'let', 'pipeline']);

/**
 * Joins documents of another collection: by equality of two fields, by a pipeline with variables of the outer document,
 * or by both (the equality first, then the pipeline).
 */
export const compileLookup: CompileStage = (spec, context) => {
  if (!isDocument(spec)) throw failedToParse('the $lookup specification must be an Object');
  for (const name of Object.keys(spec)) {
    if (!OPTIONS.has(name)) throw failedToParse(`unknown argument to $lookup: ${name}`);
  }
  const { from, as, localField, foreignField, let: bindings, pipeline } = spec;
  if (typeof as !== 'string') throw failedToParse("must specify 'as' field for a $lookup");
  const asParts = fieldPathParts(as);
  if (from !== undefined && typeof from !== 'string') {
    throw failedToParse(`$lookup argument 'from' must be a string, is type ${typeOf(from)}`);
  }
  if (
    (localField === undefined) !== (foreignField === undefined) ||
    (localField === undefined && pipeline === undefined)
  ) {
    throw failedToParse(
      pipeline === undefined
        ? "$lookup requires either 'pipeline' or both 'localField' and 'foreignField' to be specified"
        : "$lookup requires both or neither of 'localField' and 'foreignField' to be specified",
    );
  }
  if (bindings !== undefined && pipeline === undefined)
    throw failedToParse("$lookup with a 'let' argument must also specify 'pipeline'");
  if (bindings !== undefined && !isDocument(bindings)) {
    throw failedToParse(`$lookup argument 'let' must be an object, is type ${typeOf(bindings)}`);
  }
  if (pipeline !== undefined && !Array.isArray(pipeline))
    throw location(14, "'pipeline' option must be specified as an array");

  const equality = localField === undefined ? undefined : compileEquality(localField, foreignField);
  const inner = pipeline === undefined ? undefined : compileInner(pipeline, bindings ?? {}, from, context);
  if (from === undefined && inner?.sequence.needsCollection !== false)
    throw failedToParse("must specify 'from' field for a $lookup");
  const { pace, environment } = context;

  return stage('$lookup', async function* (input) {
    for await (const batch of input) {
      const joined = equality === undefined ? undefined : await joinByEquality(batch, equality, from!, context);
      const out: Doc[] = [];
      for (const [index, doc] of batch.entries()) {
        let matches: readonly Doc[] = joined?.[index] ?? [];
        if (inner !== undefined) {
          inner.bind(doc);
          const budget = new MemoryBudget('$lookup');
          const source = joined === undefined ? undefined : batchesOf(matches, pace);
          matches = await collectDocuments(inner.sequence.run(source), pace, budget);
          environment.checkInterrupted();
        }
        out.push(copyMeta(doc, withValue(doc, asParts, [...matches])));
        if (pace.due) await pace.rest();
      }
      yield out;
    }
  });
};

interface Inner {
  readonly sequence: StageSequence;
  /** Sets the variables from an outer document, before the sequence runs. */
  bind(doc: Doc): void;
}

function compileInner(pipeline: BsonValue, bindings: Doc, from: string | undefined, context: StageContext): Inner {
  // Compiled once: what it compiled to reads these variables when it runs, one outer document after the other.
  const vars: Record<string, BsonValue> = { ...context.variables.vars };
  const evaluate = Object.entries(bindings).map(([name, expression]) => {
    if (!/^[a-z\u0080-\uffff][a-zA-Z0-9_\u0080-\uffff]*$/.test(name)) {
      throw location(16867, `'${name}' starts with an invalid character for a user variable name`);
    }
    vars[name] = undefined;
    return { name, value: compileExpression(expression, context.variables) };
  });
  const variables: QueryVariables = { now: context.variables.now, vars };
  const sequence = context.compileNested(pipeline, { place: '$lookup', collection: from ?? null, variables });
  return {
    sequence,
    bind(doc) {
      for (const [name, value] of Object.entries(context.variables.vars)) vars[name] = value;
      for (const { name, value } of evaluate) vars[name] = value(doc);
    },
  };
}

interface Equality {
  readonly foreignField: string;
  /** The values that a local document joins on; null for a missing one. */
  localValues(doc: Doc): readonly BsonValue[];
  foreignValues(doc: Doc): readonly BsonValue[];
}

function compileEquality(localField: BsonValue, foreignField: BsonValue): Equality {
  for (const [name, path] of Object.entries({ localField, foreignField })) {
    if (typeof path !== 'string') {
      throw failedToParse(`$lookup argument '${name}' must be a string, is type ${typeOf(path)}`);
    }
    fieldPathParts(path);
  }
  return {
    foreignField: foreignField as string,
    localValues: valuesOn(localField as string, false),
    foreignValues: valuesOn(foreignField as string, true),
  };
}

/** All values that the query language would try for an equality on `path`. */
export function valuesOn(path: string, withWholeArrays: boolean): (doc: Doc) => readonly BsonValue[] {
  const visit = compileVisit(path, false);
  const visitWhole = compileVisit(path, true);
  return (doc) => {
    const values: BsonValue[] = [];
    visit(doc, (value) => {
      values.push(value ?? null);
      return false;
    });
    if (withWholeArrays) return values;
    // a local array joins by its elements, not as a whole
    const whole = new Set<BsonValue>();
    visitWhole(doc, (value) => {
      if (Array.isArray(value)) whole.add(value);
      return false;
    });
    const elements = whole.size === 0 ? values : values.filter((value) => !whole.has(value));
    return elements;
  };
}

/** One read of the other collection for a batch, then a hash join. */
async function joinByEquality(
  batch: readonly Doc[],
  equality: Equality,
  from: string,
  { environment, pace }: StageContext,
): Promise<Doc[][]> {
  const wanted = new ValueSet();
  const locals = batch.map((doc) => equality.localValues(doc));
  const byValue = new ValueMap<number[]>();
  locals.forEach((values, index) => {
    for (const value of values) {
      wanted.add(value);
      const indexes = byValue.getOrInsert(value, () => []);
      if (indexes[indexes.length - 1] !== index) indexes.push(index);
    }
  });
  const joined: Doc[][] = batch.map(() => []);
  if (wanted.size === 0) return joined;
  const budget = new MemoryBudget('$lookup');
  // a regular expression in $in would match instead of being equal
  const values = wanted.values();
  const filter: Doc = values.some(isRegex) ? {} : { [equality.foreignField]: { $in: values } };
  await forEachDocument(environment.read(environment.db, from, filter), pace, (foreign) => {
    const partners = new Set<number>();
    for (const value of equality.foreignValues(foreign)) {
      for (const index of byValue.get(value) ?? []) partners.add(index);
    }
    if (partners.size > 0) budget.hold(foreign);
    for (const index of partners) joined[index]!.push(foreign);
  });
  return joined;
}
