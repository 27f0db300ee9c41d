import { type BsonValue, copyMeta, type Doc } from '../bson/values.js';
import { location } from './errors.js';
import { compileFilter, matchedIndex } from './filter.js';
import { count, isNumeric } from './numeric.js';
import { fieldOf, isDocument } from './path.js';
import { excludeFields, includeFields, setFields } from './projection/field-tree.js';
import { type ProjectionDialect, parseProjection } from './projection/specification.js';
import type { QueryVariables } from './query.js';

/**
 * Compiles the projection of `find` and `findAndModify`: inclusion or exclusion, `$slice`, `$elemMatch`, positional
 * `a.$` (of the element that `filter` matched), expressions, `$meta`. An empty projection gives the document itself.
 */
export function compileProjection(projection: Doc, filter: Doc, variables: QueryVariables): (doc: Doc) => Doc {
  if (Object.keys(projection).length === 0) return (doc) => doc;
  const positional = Object.keys(projection).filter((path) => path.endsWith('.$'));
  if (positional.length > 1) {
    throw location(31276, 'Cannot specify more than one positional projection per query.');
  }
  const positionalPath = positional[0]?.slice(0, -'.$'.length);
  const spec: Doc = {};
  for (const [path, value] of Object.entries(projection)) spec[path.endsWith('.$') ? path.slice(0, -2) : path] = value;
  const { mode, tree } = parseProjection(spec, variables, findDialect(variables));
  if (positionalPath !== undefined && mode === 'exclusion') {
    throw location(31395, 'positional projection cannot be used with exclusion');
  }
  const match = positionalPath === undefined ? undefined : compileFilter(filter, variables);
  return (doc) => {
    let result: Doc;
    if (mode === 'inclusion') result = includeFields(doc, tree, doc);
    else {
      result = excludeFields(doc, tree);
      // $meta and $elemMatch
      if (tree.computes) result = setFields(result, tree, doc);
    }
    if (match !== undefined) result = keepMatched(result, positionalPath!.split('.'), matchedIndex(match, doc));
    return result === doc ? doc : copyMeta(doc, result);
  };
}

function findDialect(variables: QueryVariables): ProjectionDialect {
  return {
    metaAloneKeepsAll: true,
    operator(path, name, argument) {
      if (name === '$slice') {
        const transform = sliceOf(argument);
        // three operands make it the expression of the same name
        return transform === undefined ? undefined : { node: { kind: 'transform', transform } };
      }
      if (name !== '$elemMatch') return undefined;
      if (path.includes('.')) throw location(31275, 'Cannot use $elemMatch projection on a nested field.');
      if (!isDocument(argument))
        throw location(31274, `elemMatch: Invalid argument, object required, but got ${typeof argument}`);
      const match = compileFilter({ [path]: { $elemMatch: argument } }, variables);
      const evaluate = (root: Doc): BsonValue => {
        const array = fieldOf(root, path);
        const at = Array.isArray(array) ? matchedIndex(match, root) : undefined;
        return at === undefined ? undefined : [(array as BsonValue[])[at]];
      };
      return { node: { kind: 'compute', evaluate }, mode: 'inclusion' };
    },
  };
}

/** `$slice: n` and `$slice: [skip, limit]` of a projection; undefined for the forms of the expression. */
function sliceOf(argument: BsonValue): ((value: BsonValue) => BsonValue) | undefined {
  let [skip, limit]: [number | undefined, number] = [undefined, 0];
  if (isNumeric(argument)) {
    limit = count(argument) ?? 0;
  } else if (Array.isArray(argument)) {
    if (argument.length === 3 || !isNumeric(argument[0])) return undefined;
    if (argument.length !== 2)
      throw location(28667, `Invalid $slice syntax. The given syntax did not match the find() syntax`);
    skip = count(argument[0]) ?? 0;
    limit = count(argument[1]) ?? 0;
    if (limit <= 0)
      throw location(28724, `First argument to $slice must be an array, limit must be positive, got ${limit}`);
  } else {
    throw location(28667, 'Invalid $slice syntax: expected a number or an array');
  }
  return (value) => {
    if (!Array.isArray(value)) return value;
    if (skip === undefined) return limit >= 0 ? value.slice(0, limit) : value.slice(limit);
    const from = skip >= 0 ? skip : Math.max(0, value.length + skip);
    return value.slice(from, from + limit);
  };
}

/** Cuts the first array along the path down to the element that matched. */
function keepMatched(doc: Doc, parts: readonly string[], at: number | undefined): Doc {
  const [first, ...rest] = parts;
  if (first === undefined) return doc;
  const value = fieldOf(doc, first);
  if (Array.isArray(value)) {
    if (at === undefined)
      throw location(51246, "positional operator '.$' couldn't find a matching element in the array");
    if (at >= value.length) throw location(51247, "positional operator '.$' element mismatch");
    return { ...doc, [first]: [value[at]] };
  }
  return isDocument(value) ? { ...doc, [first]: keepMatched(value, rest, at) } : doc;
}
