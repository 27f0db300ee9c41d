import type { FilterScalar, MetadataCondition, SearchFilter } from '../filter.js';
import type { Filterable, FilterableType, Metadata, MetadataScalar } from '../records.js';
import { parseInstant } from './instant.js';
import { type ComparedValue, isWithin, toBounds, toCompared } from './predicate.js';

/** What a filter looks at. */
export interface FilteredDocument {
  readonly id: string;
  readonly title?: string;
  readonly agentIds: readonly string[];
  readonly metadata: Metadata;
}

/**
 * Whether a document passes a filter, straight from the contract's words: the last say on every hit, and what the index
 * filters are tested against. Throws like `toPredicate`.
 */
export function matches(filter: SearchFilter, document: FilteredDocument, filterable: Filterable): boolean {
  return (
    (filter.ids === undefined || filter.ids.includes(document.id)) &&
    (filter.titles === undefined || (document.title !== undefined && filter.titles.includes(document.title))) &&
    (filter.agentIds === undefined || filter.agentIds.some((agent) => document.agentIds.includes(agent))) &&
    (filter.metadata ?? []).every((condition) => holds(condition, document.metadata, filterable)) &&
    (filter.and ?? []).every((part) => matches(part, document, filterable)) &&
    (filter.or === undefined || filter.or.some((part) => matches(part, document, filterable))) &&
    (filter.not === undefined || !matches(filter.not, document, filterable))
  );
}

function holds(condition: MetadataCondition, metadata: Metadata, filterable: Filterable): boolean {
  const { key } = condition;
  const type = Object.hasOwn(filterable, key) ? filterable[key]! : 'string';
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

function valuesOf(stored: Metadata[string] | undefined, type: FilterableType): ComparedValue[] {
  const list = (Array.isArray(stored) ? stored : [stored]) as readonly (MetadataScalar | undefined)[];
  return list
    .filter((value) => value !== null && value !== undefined)
    .map((value) => (type === 'date' && typeof value === 'string' ? (parseInstant(value) ?? value) : value));
}

function typeOf(value: ComparedValue): FilterableType {
  return value instanceof Date ? 'date' : (typeof value as 'string' | 'number' | 'boolean');
}

function isEqual(a: ComparedValue, b: ComparedValue): boolean {
  return a instanceof Date && b instanceof Date ? a.getTime() === b.getTime() : a === b;
}
