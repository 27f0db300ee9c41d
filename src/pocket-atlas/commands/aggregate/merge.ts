import { checkDocumentSize, encode } from '../../bson/encode.js';
import { typeName } from '../../bson/type.js';
import type { BsonValue, Doc } from '../../bson/values.js';
import { CommandError } from '../../errors.js';
import type { Batches, PipelineEnvironment, QueryVariables, Stage } from '../../query/query.js';
import { compileUpdate } from '../../query/update.js';
import type { CollectionInfo, Transaction } from '../../storage/engine.js';
import { checkStatement, collectionName, databaseName, isDocument } from '../arguments.js';
import type { CommandContext } from '../context.js';
import { compileMatching, firstMatch, type MatchedRecord } from '../read/matching.js';
import { storable } from './out.js';

/** `$merge`: each result document meets at most one existing one by the fields `on`. Source: MongoDB manual, "$merge". */
interface Merge {
  readonly db: string;
  readonly name: string;
  readonly on: readonly string[];
  readonly whenMatched: 'replace' | 'keepExisting' | 'merge' | 'fail' | readonly Doc[];
  readonly whenNotMatched: 'insert' | 'discard' | 'fail';
  readonly let: Doc | undefined;
}

const WHEN_MATCHED = ['replace', 'keepExisting', 'merge', 'fail'];
const WHEN_NOT_MATCHED = ['insert', 'discard', 'fail'];

export function mergeSink(context: CommandContext, spec: BsonValue, environment: PipelineEnvironment): Stage {
  const merge = readMerge(spec, environment.db);
  const { engine } = context.server;
  return {
    name: '$merge',
    run: async function* (input: Batches): Batches {
      await assertUniqueOn(context, merge);
      for await (const batch of input) {
        environment.checkInterrupted();
        await engine.write((transaction) => {
          const collection =
            transaction.collection(merge.db, merge.name) ?? transaction.createCollection(merge.db, merge.name, {});
          for (const doc of batch) mergeOne(transaction, collection, merge, doc, environment.variables);
        });
      }
    },
  };
}

function mergeOne(
  transaction: Transaction,
  collection: CollectionInfo,
  merge: Merge,
  doc: Doc,
  variables: QueryVariables,
): void {
  const filter = identity(merge, doc);
  const match =
    filter === undefined
      ? undefined
      : firstMatch(transaction, collection, compileMatching(collection, { filter, variables }));
  if (match === undefined) {
    if (merge.whenNotMatched === 'discard') return;
    if (merge.whenNotMatched === 'fail') {
      throw new CommandError(
        13113,
        '$merge could not find a matching document in the target collection for at least one document in the source collection',
      );
    }
    transaction.insert(collection, storable(doc));
    return;
  }
  const merged = mergedDocument(merge, match, doc, variables);
  if (merged === undefined) return;
  const bytes = encode(merged);
  checkDocumentSize(bytes);
  transaction.replace(collection, match.recordId, bytes);
}

function mergedDocument(merge: Merge, match: MatchedRecord, doc: Doc, variables: QueryVariables): Doc | undefined {
  const { whenMatched } = merge;
  switch (whenMatched) {
    case 'keepExisting':
      return undefined;
    case 'fail':
      throw alreadyThere(merge, doc);
    case 'replace':
      return { ...doc, _id: match.doc._id };
    case 'merge':
      return { ...match.doc, ...doc, _id: match.doc._id };
    default: {
      const vars = { ...variables.vars, ...(merge.let ?? {}), new: doc };
      return compileUpdate([...whenMatched], { filter: {}, variables: { ...variables, vars } })(match.doc);
    }
  }
}

function alreadyThere(merge: Merge, doc: Doc): CommandError {
  const keyPattern = Object.fromEntries(merge.on.map((path) => [path, 1]));
  const keyValue = Object.fromEntries(merge.on.map((path) => [path, valueAt(doc, path)]));
  return new CommandError(
    11000,
    `PlanExecutor error during aggregation :: caused by :: E11000 duplicate key error collection: ${merge.db}.${merge.name}: whenMatched is "fail" and a document with these values of 'on' exists`,
    { fields: { keyPattern, keyValue } },
  );
}

function valueAt(doc: Doc, path: string): BsonValue {
  return path.split('.').reduce<BsonValue>((at, name) => (isDocument(at) ? at[name] : undefined), doc);
}

/** The equality that finds a document's counterpart; undefined for one that cannot have any (no `_id` yet). */
function identity(merge: Merge, doc: Doc): Doc | undefined {
  const filter: Doc = {};
  for (const path of merge.on) {
    const value = valueAt(doc, path);
    if (value === undefined || value === null || Array.isArray(value)) {
      if (path === '_id' && value === undefined) return undefined;
      throw new CommandError(
        51132,
        `$merge write error: 'on' field '${path}' cannot be missing, null, undefined or an array`,
      );
    }
    filter[path] = { $eq: value };
  }
  return filter;
}

function readMerge(spec: BsonValue, db: string): Merge {
  const given: BsonValue = typeof spec === 'string' ? { into: spec } : spec;
  if (!isDocument(given)) {
    throw new CommandError(51178, `$merge requires a string or object argument, but found ${typeName(spec)}`);
  }
  checkStatement('$merge', given, {
    into: { type: 'objectOrString', required: true },
    let: 'object',
    on: 'any',
    whenMatched: 'any',
    whenNotMatched: 'string',
  });
  const { into, on = '_id', whenMatched = 'merge', whenNotMatched = 'insert' } = given;
  if (isDocument(into)) checkStatement('$merge.into', into, { coll: { type: 'string', required: true }, db: 'string' });
  const targetDb = isDocument(into) && into.db !== undefined ? databaseName(into.db) : db;
  const fields = Array.isArray(on) ? on : [on];
  if (fields.length === 0 || !fields.every((field) => typeof field === 'string')) {
    throw new CommandError(51186, "$merge 'on' must be a string or an array of strings");
  }
  if (!Array.isArray(whenMatched) && !WHEN_MATCHED.includes(String(whenMatched))) {
    throw new CommandError(
      2,
      `Enumeration value '${String(whenMatched)}' for field '$merge.whenMatched' is not a valid value.`,
    );
  }
  if (!WHEN_NOT_MATCHED.includes(String(whenNotMatched))) {
    throw new CommandError(
      2,
      `Enumeration value '${String(whenNotMatched)}' for field '$merge.whenNotMatched' is not a valid value.`,
    );
  }
  if (given.let !== undefined && !Array.isArray(whenMatched)) {
    throw new CommandError(51199, "Cannot use 'let' variables with 'whenMatched' other than a pipeline");
  }
  return {
    db: targetDb,
    name: collectionName(targetDb, isDocument(into) ? into.coll : into),
    on: fields as string[],
    whenMatched: whenMatched as Merge['whenMatched'],
    whenNotMatched: whenNotMatched as Merge['whenNotMatched'],
    let: isDocument(given.let) ? given.let : undefined,
  };
}

/** @throws CommandError 51183 unless a unique index covers exactly the fields `on`. */
async function assertUniqueOn(context: CommandContext, merge: Merge): Promise<void> {
  if (merge.on.length === 1 && merge.on[0] === '_id') return;
  const view = context.server.engine.view();
  try {
    const indexes = view.collection(merge.db, merge.name)?.indexes ?? [];
    const fits = indexes.some(({ unique, key, partialFilterExpression }) => {
      const names = Object.keys(key);
      return (
        unique &&
        partialFilterExpression === null &&
        names.length === merge.on.length &&
        names.every((name) => merge.on.includes(name))
      );
    });
    if (!fits) throw new CommandError(51183, 'Cannot find index to verify that join fields will be unique');
  } finally {
    view.release();
  }
}
