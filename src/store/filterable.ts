import type { FilterScalar } from './filter.js';
import type { Filterable, FilterableType, Metadata, MetadataScalar } from './records.js';
import type { FilterableScalar, FilterableValues } from './rows.js';

/**
 * The declared keys of a document's metadata as filters see them. Null is the same as a missing key, so nulls are left
 * out, inside arrays too; an array that is left empty is missing as well, because no search index can see an empty
 * array. On a key declared as a date, RFC 3339 date-times become instants. Other values keep their own type.
 */
export function filterableValues(metadata: Metadata, declared: Filterable): FilterableValues {
  const entries: [string, FilterableScalar | FilterableScalar[]][] = [];
  // Sorted: equal values must be equal as BSON documents too, whatever order the caller wrote the keys in.
  for (const key of Object.keys(declared).sort()) {
    if (!Object.hasOwn(metadata, key)) continue;
    const type = declared[key] as FilterableType;
    const value = metadata[key];
    if (isArray(value)) {
      const elements = value.filter((element) => element !== null).map((element) => typed(element, type));
      if (elements.length > 0) entries.push([key, elements]);
    } else if (value !== null && value !== undefined) entries.push([key, typed(value, type)]);
  }
  return Object.fromEntries(entries);
}

/** A value of a filter as rows hold it. */
export function filterValue(value: FilterScalar, type: FilterableType): FilterableScalar {
  return typed(value, type);
}

export function hasDeclaredType(value: FilterableScalar, type: FilterableType): boolean {
  return type === 'date' ? value instanceof Date : typeof value === type;
}

function typed(value: Exclude<MetadataScalar, null>, type: FilterableType): FilterableScalar {
  return type === 'date' && typeof value === 'string' ? (parseDateTime(value) ?? value) : value;
}

const RFC_3339 = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/;

/** An RFC 3339 date-time as an instant (milliseconds; finer digits are cut), null for anything else. */
export function parseDateTime(text: string): Date | null {
  if (!RFC_3339.test(text)) return null;
  const time = Date.parse(text.toUpperCase().replace(' ', 'T'));
  if (Number.isNaN(time)) return null;
  return new Date(time);
}

function isArray(value: unknown): value is readonly MetadataScalar[] {
  return Array.isArray(value);
}
