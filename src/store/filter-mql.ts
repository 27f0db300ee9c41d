import type { Document, Filter } from 'mongodb';
import { AppError } from '../errors.js';
import type { DocumentFilter, FilterScalar, MetadataCondition } from './filter.js';
import { parseObjectIds } from './object-id.js';
import type { Filterable, FilterableType } from './records.js';
import type { DocumentRow, FilterableScalar } from './rows.js';
import { parseInstant } from './search/instant.js';
import { normalizeTitle } from './title.js';

/** How a metadata key may be filtered on: its declared type, or why not (yet). */
export interface FilterKeys {
  readonly declared: Filterable;
  /** Declared keys whose values are still being copied to rows that existed before: filtering on them would lie. */
  readonly pending: ReadonlySet<string>;
}

/**
 * Compiles a checked filter to MQL over documents, with the contract's meaning. Pure.
 * Throws `AppError` BAD_USER_INPUT for a key that is not declared filterable, INDEX_NOT_READY for one being copied.
 */
export function documentFilterMql(filter: DocumentFilter, keys: FilterKeys): Filter<DocumentRow> {
  return conjunction([
    ...given(filter.ids, (ids) => ({ _id: { $in: parseObjectIds(ids) } })),
    ...given(filter.titles, (titles) => ({ title_key: { $in: titles.map(normalizeTitle) } })),
    ...given(filter.agentIds, (agentIds) => ({ agent_ids: { $in: [...agentIds] } })),
    ...given(filter.statuses, (statuses) => ({ status: { $in: [...statuses] } })),
    ...given(filter.hasLastError, (hasOne) => ({ last_error: hasOne ? { $ne: null } : null })),
    ...(filter.metadata ?? []).flatMap((condition) => metadataConditionMql(condition, keys, 'filterable')),
    ...(filter.and ?? []).map((inner) => documentFilterMql(inner, keys)),
    ...given(filter.or, (branches) => disjunction(branches.map((inner) => documentFilterMql(inner, keys)))),
    ...given(filter.not, (inner) => ({ $nor: [documentFilterMql(inner, keys)] })),
  ]) as Filter<DocumentRow>;
}

/** One condition as a list of MQL filters that must all hold; `root` is the field that holds the filterable values. */
export function metadataConditionMql(condition: MetadataCondition, keys: FilterKeys, root: string): Document[] {
  const type = declaredType(condition.key, keys);
  const path = `${root}.${condition.key}`;
  const value = (scalar: FilterScalar): FilterableScalar => typedValue(condition.key, scalar, type);
  return [
    ...given(condition.eq, (eq) => ({ [path]: { $eq: value(eq) } })),
    ...given(condition.ne, (ne) => ({ [path]: { $ne: value(ne) } })),
    ...given(condition.in, (list) => ({ [path]: { $in: list.map(value) } })),
    ...given(condition.nin, (list) => ({ [path]: { $nin: list.map(value) } })),
    ...given(condition.exists, (exists) => ({ [path]: { $exists: exists } })),
    ...rangeMql(path, rangeBounds(condition, type)),
  ];
}

const BOUNDS = ['gt', 'gte', 'lt', 'lte'] as const;

/** The bounds of a condition. One of another type than the key's is refused: it could match nothing, and under `not` everything. */
function rangeBounds(condition: MetadataCondition, type: FilterableType): [string, FilterableScalar][] {
  return BOUNDS.flatMap((bound) => {
    const given = condition[bound];
    if (given === undefined) return [];
    const value = typedValue(condition.key, given, type);
    if (value instanceof Date ? type !== 'date' : typeof value !== type) throw mistyped(condition.key, type, given);
    return [[`$${bound}`, value] as [string, FilterableScalar]];
  });
}

/** A filter's value as rows hold it. Any scalar may be asked for equality, but on a date key a string must be a date. */
function typedValue(key: string, value: FilterScalar, type: FilterableType): FilterableScalar {
  if (type !== 'date' || typeof value !== 'string') return value;
  const instant = parseInstant(value);
  if (instant === null) throw mistyped(key, type, value);
  return instant;
}

function mistyped(key: string, type: FilterableType, value: FilterScalar): AppError {
  return new AppError(
    'BAD_USER_INPUT',
    `Metadata key ${JSON.stringify(key)} is declared as ${type}: expected ${EXPECTED[type]}, got a ${type === 'date' && typeof value === 'string' ? 'string that is none' : typeof value}`,
    { details: { key } },
  );
}

const EXPECTED: Readonly<Record<FilterableType, string>> = {
  string: 'a string',
  number: 'a number',
  boolean: 'a Boolean',
  date: 'an RFC 3339 date-time such as "2026-01-31T12:00:00Z"',
};

export function declaredType(key: string, keys: FilterKeys): FilterableType {
  const type = Object.hasOwn(keys.declared, key) ? keys.declared[key] : undefined;
  if (type === undefined) {
    const declared = Object.keys(keys.declared);
    throw new AppError(
      'BAD_USER_INPUT',
      `Metadata key ${JSON.stringify(key.slice(0, 100))} is not declared filterable (declared: ${declared.join(', ') || 'none'}); add it to GAZETTEER_FILTERABLE`,
      { details: { key } },
    );
  }
  if (keys.pending.has(key))
    throw new AppError(
      'INDEX_NOT_READY',
      `Metadata key ${JSON.stringify(key)} was declared filterable lately and is still being copied to existing documents; try again soon`,
      { details: { key } },
    );
  return type;
}

/**
 * Several bounds on an array must hold for one element, which plain MQL does not say: `{a: {$gt: 1, $lt: 3}}` matches
 * [0, 5]. A single bound needs no such care.
 */
function rangeMql(path: string, bounds: [string, FilterableScalar][]): Document[] {
  if (bounds.length === 0) return [];
  const range = Object.fromEntries(bounds);
  if (bounds.length === 1) return [{ [path]: range }];
  return [
    {
      $or: [{ [path]: { $elemMatch: range } }, { $and: [{ [path]: { $not: { $type: 'array' } } }, { [path]: range }] }],
    },
  ];
}

function given<T>(value: T | undefined, compile: (value: T) => Document): Document[] {
  return value === undefined ? [] : [compile(value)];
}

function conjunction(filters: Document[]): Document {
  if (filters.length === 0) return {};
  return filters.length === 1 ? (filters[0] as Document) : { $and: filters };
}

/** MQL has no empty $or; nothing has an _id out of an empty list. */
function disjunction(filters: Document[]): Document {
  return filters.length === 0 ? { _id: { $in: [] } } : { $or: filters };
}
