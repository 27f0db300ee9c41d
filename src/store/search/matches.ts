import type { FilterScalar, MetadataCondition, SearchFilter } from '../filter.js';
import { declaredType, type FilterKeys } from '../filter-mql.js';
import type { FilterableType } from '../records.js';
import { parseInstant } from './instant.js';
import { type ComparedValue, isWithin, toBounds, toCompared } from './predicate.js';

type Value = ComparedValue | null;

/** What a filter looks at. Dates of `metadata` may be instants already or still RFC 3339 strings. */
export interface FilteredDocument {
  readonly id: string;
  readonly agentIds: readonly string[];
  readonly metadata: Readonly<Record<string, Value | readonly Value[]>>;
}

/**
 * Whether a document passes a filter, straight from the contract's words: the last say on every hit, and what the index
 * filters are tested against. Throws like `toPredicate`.
 */
export function matches(filter: SearchFilter, document: FilteredDocument, keys: FilterKeys): boolean {
  if (filter.titles !== undefined) throw new TypeError('Titles are looked up before a filter is applied');
  return (
    (filter.ids === undefined || filter.ids.includes(document.id)) &&
    (filter.agentIds === undefined || filter.agentIds.some((agent) => document.agentIds.includes(agent))) &&
    (filter.metadata ?? []).every((condition) => holds(condition, document.metadata, keys)) &&
    (filter.and ?? []).every((part) => matches(part, document, keys)) &&
    (filter.or === undefined || filter.or.some((part) => matches(part, document, keys))) &&
    (filter.not === undefined || !matches(filter.not, document, keys))
  );
}

function holds(condition: MetadataCondition, metadata: FilteredDocument['metadata'], keys: FilterKeys): boolean {
  const { key } = condition;
  const type = declaredType(key, keys);
  const stored = Object.hasOwn(metadata, key) ? (metadata[key] ?? null) : null;
  const values = valuesOf(stored, type);
  const equalsAny = (wanted: readonly FilterScalar[]) =>
    wanted.some((one) => values.some((value) => isEqual(value, toCompared(key, type, one))));
  const bounds = toBounds(condition, type);
  return (
    (condition.eq === undefined || equalsAny([condition.eq])) &&
    (condition.in === undefined || equalsAny(condition.in)) &&
    (condition.ne === undefined || !equalsAny([condition.ne])) &&
    (condition.nin === undefined || !equalsAny(condition.nin)) &&
    (bounds === null || values.some((value) => typeOf(value) === type && isWithin(value, bounds))) &&
    (condition.exists === undefined || condition.exists === (stored !== null))
  );
}

function valuesOf(stored: Value | readonly Value[], type: FilterableType): ComparedValue[] {
  const list = (Array.isArray(stored) ? stored : [stored]) as readonly Value[];
  return list
    .filter((value) => value !== null)
    .map((value) => (type === 'date' && typeof value === 'string' ? (parseInstant(value) ?? value) : value));
}

function typeOf(value: ComparedValue): FilterableType {
  return value instanceof Date ? 'date' : (typeof value as 'string' | 'number' | 'boolean');
}

function isEqual(a: ComparedValue, b: ComparedValue): boolean {
  return a instanceof Date && b instanceof Date ? a.getTime() === b.getTime() : a === b;
}
