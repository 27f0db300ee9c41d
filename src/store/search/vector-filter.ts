import { type Document, ObjectId } from 'mongodb';
import { parseObjectIds } from '../object-id.js';
import type { FilterableType } from '../records.js';
import type { Scope } from '../scope.js';
import type { Bounds, ComparedValue, Leaf, Predicate } from './predicate.js';

/**
 * The `filter` of a `$vectorSearch`: the scope, always, and the predicate. The index compares one element of an array
 * per operator; what it cannot say exactly becomes wider, never narrower, because re-validation drops what is too much
 * and nothing brings back what is missing. Null is never sent: there it does not match a missing field.
 * https://www.mongodb.com/docs/atlas/atlas-vector-search/vector-search-stage/#atlas-vector-search-pre-filter
 */
export function toVectorFilter(scope: Scope, predicate: Predicate): Document {
  const conditions: Document[] = [{ owner: { $eq: scope.owner } }];
  if (scope.agents !== null) conditions.push({ agent_ids: { $in: [...scope.agents] } });
  const compiled = compile(predicate);
  if (compiled !== null) conditions.push(compiled);
  return conditions.length === 1 ? conditions[0]! : { $and: conditions };
}

/** null: everything. */
function compile(predicate: Predicate): Document | null {
  if (predicate.kind === 'all') return null;
  // No owner has an empty name; callers answer a filter that matches nothing without asking the index anyway.
  if (predicate.kind === 'none') return { owner: { $eq: '' } };
  if (predicate.kind === 'leaf') return compileLeaf(predicate.leaf, predicate.negated);
  const parts = predicate.of.map(compile);
  if (predicate.kind === 'or') return parts.includes(null) ? null : { $or: parts };
  const kept = parts.filter((part) => part !== null);
  return kept.length === 0 ? null : { $and: kept };
}

function compileLeaf(leaf: Leaf, negated: boolean): Document | null {
  switch (leaf.test) {
    case 'documents':
      return documents(leaf.ids, negated);
    case 'agents':
      return { agent_ids: { [negated ? '$nin' : '$in']: [...leaf.ids] } };
    case 'exists':
      return { [`metadata.${leaf.key}`]: { $exists: !negated } };
    case 'in': {
      // Rows keep values of any type, but one list may hold one type only.
      const lists = byType(leaf.values).map((values) => ({
        [`metadata.${leaf.key}`]: { [negated ? '$nin' : '$in']: values },
      }));
      return lists.length === 1 ? lists[0]! : { [negated ? '$and' : '$or']: lists };
    }
    case 'range':
      return negated ? outside(`metadata.${leaf.key}`, leaf.bounds, leaf.type) : within(leaf.key, leaf.bounds);
  }
}

/** An empty list cannot be sent. */
function documents(ids: readonly string[], negated: boolean): Document {
  const valid = parseObjectIds(ids);
  return { document_id: { [negated ? '$nin' : '$in']: valid.length === 0 ? [NIL] : valid } };
}

function within(key: string, bounds: Bounds): Document {
  const operators = Object.entries(bounds).map(([operator, value]) => [`$${operator}`, value]);
  return { [`metadata.${key}`]: Object.fromEntries(operators) };
}

/** The id of no document. */
export const NIL = new ObjectId('0'.repeat(24));

const COMPLEMENTS = { gt: '$lte', gte: '$lt', lt: '$gte', lte: '$gt' } as const;
const LEAST = { string: '', number: -Number.MAX_VALUE, date: new Date(-8.64e15), boolean: false } as const;

/**
 * No value within the bounds. One bound has an exact complement. Several must hold for one element, which the index
 * cannot say: a value outside any bound, or no value of the type at all, is exact for scalars and wider for arrays.
 */
function outside(path: string, bounds: Bounds, type: FilterableType): Document {
  const entries = Object.entries(bounds) as [keyof Bounds, unknown][];
  if (entries.length === 1) {
    const [operator, value] = entries[0]!;
    return { [path]: { $not: { [`$${operator}`]: value } } };
  }
  const beyond = entries.map(([operator, value]) => ({ [path]: { [COMPLEMENTS[operator]]: value } }));
  return { $or: [...beyond, { [path]: { $not: { $gte: LEAST[type] } } }] };
}

function byType(values: readonly ComparedValue[]): ComparedValue[][] {
  const lists = new Map<string, ComparedValue[]>();
  for (const value of values) lists.set(typeName(value), [...(lists.get(typeName(value)) ?? []), value]);
  return [...lists.values()];
}

export function typeName(value: ComparedValue): FilterableType {
  return value instanceof Date ? 'date' : (typeof value as 'string' | 'number' | 'boolean');
}
