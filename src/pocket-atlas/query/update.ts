import { ObjectId } from 'bson';
import { equals } from '../bson/compare.js';
import type { BsonValue, Doc } from '../bson/values.js';
import { describe } from './describe.js';
import { badValue, failedToParse, location } from './errors.js';
import type { Match } from './filter/condition.js';
import { compileFilter, matchedIndex } from './filter.js';
import { fieldOf } from './path.js';
import type { QueryVariables } from './query.js';
import { compileArrayFilters } from './update/array-filters.js';
import { equalitiesOf, setDeep } from './update/equalities.js';
import { unlessSame } from './update/field-modifiers.js';
import { type PathUpdate, parseModifiers } from './update/modifiers.js';
import { addUpdate, applyTree, type ElementFilters, sortTree, type UpdateTree } from './update/node.js';
import { atMatchedIndex, identifiersIn, isPositional } from './update/paths.js';
import { compileUpdatePipeline } from './update/pipeline.js';

export interface UpdateOptions {
  /** The command's filter: where the positional operator `$` points. */
  readonly filter?: Doc | undefined;
  readonly arrayFilters?: readonly Doc[] | undefined;
  readonly variables: QueryVariables;
  /** A replacement or an array-less form is refused for many. */
  readonly multi?: boolean;
}

/** The new document; the very same object when the update changes nothing. Never changes its argument. */
export type UpdateFunction = (doc: Doc) => Doc;

export type UpdateKind = 'modifiers' | 'replacement' | 'pipeline';

/** The first field decides: `{ $set: … }` are modifiers, `{ a: … }` or `{}` a replacement, an array a pipeline. */
export function updateKind(update: Doc | readonly Doc[]): UpdateKind {
  if (Array.isArray(update)) return 'pipeline';
  return Object.keys(update)[0]?.startsWith('$') ? 'modifiers' : 'replacement';
}

/**
 * Compiles an update in any of its three forms. `_id` never changes.
 *
 * @throws CommandError at compile time for a bad specification (9, 2, 14, 40, 56), per document for what does not fit it
 * (14, 2, 28, 66).
 */
export function compileUpdate(update: Doc | readonly Doc[], options: UpdateOptions): UpdateFunction {
  return compileFor(update, options, false);
}

/**
 * The document that an upsert inserts: the filter's equalities, then the update as on insertion. It has an `_id`, in
 * first place: from the filter, the update, or `makeId`.
 */
export function upsertDocument(
  filter: Doc,
  update: Doc | readonly Doc[],
  options: UpdateOptions,
  makeId: () => BsonValue = () => new ObjectId(),
): Doc {
  const base: Doc = {};
  if (updateKind(update) === 'replacement') {
    const id = equalitiesOf(filter).find(([path]) => path === '_id');
    if (id !== undefined) base._id = id[1];
  } else {
    for (const [path, value] of equalitiesOf(filter)) setDeep(base, path, value);
  }
  const result = compileFor(update, options, true)(base);
  const id = Object.hasOwn(result, '_id') ? result._id : makeId();
  return { _id: id, ...withoutId(result) };
}

function withoutId(doc: Doc): Doc {
  const { _id, ...rest } = doc;
  return rest;
}

function compileFor(update: Doc | readonly Doc[], options: UpdateOptions, isInsert: boolean): UpdateFunction {
  const kind = updateKind(update);
  if (kind !== 'modifiers' && options.arrayFilters !== undefined && options.arrayFilters.length > 0) {
    throw failedToParse(
      kind === 'pipeline'
        ? 'arrayFilters may not be specified for pipeline-style updates'
        : 'arrayFilters may not be specified for replacement-style updates',
    );
  }
  switch (kind) {
    case 'replacement':
      return keepingId(replacement(update as Doc, options), 'replacement');
    case 'pipeline': {
      const transform = compileUpdatePipeline(update as readonly Doc[], options.variables);
      return keepingId((doc) => unlessSame(doc, transform(doc)) as Doc, 'replacement');
    }
    default:
      return keepingId(modifiers(update as Doc, options, isInsert), 'modifiers');
  }
}

function replacement(update: Doc, { multi }: UpdateOptions): UpdateFunction {
  if (multi) throw failedToParse('multi update is not supported for replacement-style update');
  for (const name of Object.keys(update)) {
    if (name.startsWith('$') && name !== '$db' && name !== '$id' && name !== '$ref') {
      throw location(
        52,
        `The dollar ($) prefixed field '${name}' in '${name}' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith.`,
      );
    }
  }
  return (doc) => {
    const id = Object.hasOwn(update, '_id') ? update._id : fieldOf(doc, '_id');
    const replaced: Doc = id === undefined ? { ...update } : { _id: id, ...withoutId(update) };
    return unlessSame(doc, replaced) as Doc;
  };
}

/** @throws CommandError 66 ImmutableField when the update would give an existing document another `_id`. */
function keepingId(apply: UpdateFunction, kind: 'modifiers' | 'replacement'): UpdateFunction {
  return (doc) => {
    const result = apply(doc);
    const before = fieldOf(doc, '_id');
    const after = fieldOf(result, '_id');
    if (result === doc || before === undefined) return checkedId(result);
    if (after === undefined && kind === 'replacement') return { _id: before, ...result };
    if (after === before || (after !== undefined && equals(after, before))) return result;
    throw kind === 'modifiers'
      ? location(66, "Performing an update on the path '_id' would modify the immutable field '_id'")
      : location(
          66,
          `After applying the update, the (immutable) field '_id' was found to have been altered to _id: ${describe(after)}`,
        );
  };
}

function checkedId(doc: Doc): Doc {
  if (Array.isArray(doc._id)) throw location(53, "The '_id' value cannot be of type array");
  return doc;
}

/** Trees for the positional operator are kept per index up to this many; further ones are made anew each time. */
const POSITIONAL_TREES_MAX = 1000;

function modifiers(update: Doc, options: UpdateOptions, isInsert: boolean): UpdateFunction {
  const { filter = {}, variables, arrayFilters = [] } = options;
  const updates = parseModifiers(update, { now: variables.now, isInsert });
  const filters = compileArrayFilters(arrayFilters, variables);
  checkIdentifiers(updates, filters);
  if (!updates.some(({ path }) => isPositional(path))) {
    const tree = treeOf(updates);
    return (doc) => applyTree(doc, tree, doc, filters);
  }
  const match: Match = compileFilter(filter, variables);
  const trees = new Map<number, UpdateTree>();
  return (doc) => {
    const index = matchedIndex(match, doc);
    if (index === undefined) {
      throw badValue('The positional operator did not find the match needed from the query.');
    }
    let tree = trees.get(index);
    if (tree === undefined) {
      tree = treeOf(updates.map(({ path, leaf }) => ({ path: atMatchedIndex(path, index), leaf })));
      if (trees.size < POSITIONAL_TREES_MAX) trees.set(index, tree);
    }
    return applyTree(doc, tree, doc, filters);
  };
}

function treeOf(updates: readonly PathUpdate[]): UpdateTree {
  const tree: UpdateTree = { kind: 'fields', children: new Map() };
  for (const { path, leaf } of updates) addUpdate(tree, path, leaf);
  return sortTree(tree);
}

function checkIdentifiers(updates: readonly PathUpdate[], filters: ElementFilters): void {
  const used = new Set<string>();
  for (const { path } of updates) {
    for (const identifier of identifiersIn(path)) {
      if (!filters.has(identifier)) {
        throw badValue(`No array filter found for identifier '${identifier}' in path '${path}'`);
      }
      used.add(identifier);
    }
  }
  for (const identifier of filters.keys()) {
    if (!used.has(identifier)) {
      throw failedToParse(`The array filter for identifier '${identifier}' was not used in the update`);
    }
  }
}
