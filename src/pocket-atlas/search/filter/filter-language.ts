import { Binary } from 'bson';
import type { BsonValue, Doc } from '../../bson/values.js';
import { SearchFailure } from '../search-failure.js';
import { isDocument } from '../spec-reader.js';
import { type FilterKey, filterKey, NULL_KEY, TAG, typeOfKey } from './filter-key.js';
import type { FilterNode } from './filter-node.js';

/**
 * The filter language of `$vectorSearch` (ATLAS.md §1.6): a part of MQL with differences. An array matches when one of
 * its elements does, `$ne`, `$nin`, `$not` and `$nor` also match documents without the field, and `{ a: null }` matches an
 * explicit null only, never a missing field. Where the sources are silent: `$exists` is true for any value, null and
 * documents included, and a comparison with null on a path that is not indexed finds nothing.
 * Source: MongoDB manual, "$vectorSearch", filter option.
 *
 * @throws SearchFailure in Atlas's words, with the path of what is wrong.
 */
export function parseFilter(filter: BsonValue, path = 'filter'): FilterNode {
  if (!isDocument(filter)) return fail(path, 'must be a document');
  return conjunction(Object.entries(filter).map(([name, value]) => parseClause(name, value, path)));
}

/** A filter nests at most this deep: the parser recurses. */
const MAX_DEPTH = 100;

type OperatorParser = (operand: BsonValue, field: string, path: string) => FilterNode;

const OPERATORS: Readonly<Record<string, OperatorParser>> = {
  $eq: (operand, field, path) => equal(field, [valueKey(operand, path)]),
  $ne: (operand, field, path) => negation(equal(field, [valueKey(operand, path)])),
  $gt: (operand, field, path) => range(field, 'lower', rangeKey(operand, path), false),
  $gte: (operand, field, path) => range(field, 'lower', rangeKey(operand, path), true),
  $lt: (operand, field, path) => range(field, 'upper', rangeKey(operand, path), false),
  $lte: (operand, field, path) => range(field, 'upper', rangeKey(operand, path), true),
  $in: (operand, field, path) => equal(field, listKeys(operand, path)),
  $nin: (operand, field, path) => negation(equal(field, listKeys(operand, path))),
  $exists: (operand, field, path) => {
    if (typeof operand !== 'boolean') return fail(path, 'must be a boolean');
    const exists: FilterNode = { op: 'exists', path: field };
    return operand ? exists : negation(exists);
  },
  $not: (operand, field, path) => {
    if (!isDocument(operand)) return fail(path, 'must be a document');
    return negation(parseOperators(operand, field, path));
  },
};

const LOGICAL: Readonly<Record<string, (nodes: readonly FilterNode[]) => FilterNode>> = {
  $and: conjunction,
  $or: (nodes) => ({ op: 'or', nodes }),
  $nor: (nodes) => negation({ op: 'or', nodes }),
};

function parseClause(name: string, value: BsonValue, path: string): FilterNode {
  const combine = Object.hasOwn(LOGICAL, name) ? LOGICAL[name] : undefined;
  if (combine !== undefined) return combine(parseClauses(value, `${path}.${name}`));
  if (name.startsWith('$')) return fail(path, `unrecognized field "${name}"`);
  // A document with a `$` key holds operators; any other value, also a document, is the short form of $eq.
  if (isDocument(value) && Object.keys(value).some((key) => key.startsWith('$'))) {
    return parseOperators(value, name, `${path}.${name}`);
  }
  return equal(name, [valueKey(value, path)]);
}

function parseClauses(value: BsonValue, path: string): FilterNode[] {
  if (!Array.isArray(value)) return fail(path, 'must be an array');
  if (value.length === 0) return fail(path, 'cannot be empty');
  if (path.split('.$').length > MAX_DEPTH) return fail(path, `must not nest deeper than ${MAX_DEPTH} levels`);
  return value.map((clause, position) => parseFilter(clause, `${path}[${position}]`));
}

function parseOperators(operators: Doc, field: string, path: string): FilterNode {
  const names = Object.keys(operators);
  const unknown = names.filter((name) => !Object.hasOwn(OPERATORS, name)).map((name) => `"${name}"`);
  if (unknown.length === 1) return fail(path, `unrecognized field ${unknown[0]}`);
  if (unknown.length > 1) return fail(path, `unrecognized fields [${unknown.join(', ')}]`);
  if (names.length === 0) return fail(path, `at least one of [${Object.keys(OPERATORS).join(', ')}] must be present`);
  if (path.split('.$').length > MAX_DEPTH) return fail(path, `must not nest deeper than ${MAX_DEPTH} levels`);
  return conjunction(
    names.map((name) => (OPERATORS[name] as OperatorParser)(operators[name], field, `${path}.${name}`)),
  );
}

function valueKey(value: BsonValue, path: string): FilterKey {
  refuseOtherBinary(value, path);
  return filterKey(value) ?? fail(path, 'must be a boolean, objectId, number, string, date, uuid, or null');
}

function rangeKey(value: BsonValue, path: string): FilterKey {
  refuseOtherBinary(value, path);
  const key = value === null ? undefined : filterKey(value);
  return key ?? fail(path, 'must be a boolean, date, number, objectId, string, or uuid');
}

function listKeys(values: BsonValue, path: string): FilterKey[] {
  if (!Array.isArray(values)) return fail(path, 'must be an array');
  if (values.length === 0) return fail(path, 'cannot be empty');
  const keys = values.map((value, position) => valueKey(value, `${path}[${position}]`));
  if (values.some((value) => value === null)) return fail(path, 'value type cannot be null');
  const types = new Set(keys.map(typeOfKey));
  return types.size === 1 ? keys : fail(path, 'must have elements of the same type');
}

function refuseOtherBinary(value: BsonValue, path: string): void {
  if (value instanceof Binary && value.sub_type !== 4) fail(path, 'binary value must be UUID subtype 4');
}

function equal(path: string, keys: readonly FilterKey[]): FilterNode {
  return { op: 'equal', path, keys };
}

function range(path: string, side: 'lower' | 'upper', key: FilterKey, inclusive: boolean): FilterNode {
  // NaN is neither above nor below anything; it is only equal to itself.
  if (key[0] === TAG.nan) return inclusive ? equal(path, [key]) : { op: 'or', nodes: [] };
  return { op: 'range', path, range: { tag: key[0] as number, [side]: { key, inclusive } } };
}

function negation(node: FilterNode): FilterNode {
  return { op: 'not', node };
}

function conjunction(nodes: readonly FilterNode[]): FilterNode {
  if (nodes.length === 0) return { op: 'all' };
  return nodes.length === 1 ? (nodes[0] as FilterNode) : { op: 'and', nodes };
}

function fail(path: string, problem: string): never {
  throw new SearchFailure(`"${path}" ${problem}`);
}

/** Whether a comparison needs its path to be indexed: one with null alone does not (ATLAS.md §1.4). */
export function needsIndexedPath(node: FilterNode): boolean {
  return node.op !== 'equal' || node.keys.some((key) => !key.equals(NULL_KEY));
}
