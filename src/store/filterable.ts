import type { Filterable, FilterableType, Metadata, MetadataScalar } from './records.js';
import type { FilterableScalar, FilterableValues } from './rows.js';
import { parseInstant } from './search/instant.js';

/**
 * The declared keys of a document's metadata as filters see them. Null is the same as a missing key, so nulls are left
 * out, inside arrays too. On a key declared as a date, RFC 3339 date-times become instants. Other values keep their own
 * type, whatever the key was declared as.
 */
export function filterableValues(metadata: Metadata, declared: Filterable): FilterableValues {
  const entries: [string, FilterableScalar | FilterableScalar[]][] = [];
  // Sorted: equal values must be equal as BSON documents too, whatever order the caller wrote the keys in.
  for (const key of Object.keys(declared).sort()) {
    if (!Object.hasOwn(metadata, key)) continue;
    const type = declared[key] as FilterableType;
    const value = metadata[key];
    if (isArray(value))
      entries.push([key, value.filter((element) => element !== null).map((element) => typed(element, type))]);
    else if (value !== null && value !== undefined) entries.push([key, typed(value, type)]);
  }
  return Object.fromEntries(entries);
}

function typed(value: Exclude<MetadataScalar, null>, type: FilterableType): FilterableScalar {
  return type === 'date' && typeof value === 'string' ? (parseInstant(value) ?? value) : value;
}

function isArray(value: unknown): value is readonly MetadataScalar[] {
  return Array.isArray(value);
}
