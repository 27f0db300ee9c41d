import type { BsonValue, Doc } from '../../bson/values.js';
import { isDocument } from '../spec-reader.js';
import { type FilterKey, filterKey } from './filter-key.js';

/** What a document holds under a dotted path, for a filter: its keys once each, and whether the path is there at all. */
export interface FieldValues {
  readonly keys: readonly FilterKey[];
  readonly present: boolean;
}

export function fieldValues(doc: Doc, path: readonly string[]): FieldValues {
  const found = valuesAt(doc, path);
  const keys = new Map<string, FilterKey>();
  for (const value of found) {
    for (const element of Array.isArray(value) ? value : [value]) {
      const key = filterKey(element);
      if (key !== undefined) keys.set(key.toString('latin1'), key);
    }
  }
  return { keys: [...keys.values()], present: found.length > 0 };
}

/** The values at a path, in order. Arrays of documents on the way are flattened, an array at its end is one value. */
export function valuesAt(doc: Doc, path: readonly string[]): BsonValue[] {
  const name = path[0] as string;
  if (!Object.hasOwn(doc, name)) return [];
  const value = doc[name];
  if (value === undefined) return [];
  if (path.length === 1) return [value];
  const rest = path.slice(1);
  const elements = Array.isArray(value) ? value : [value];
  return elements.flatMap((element) => (isDocument(element) ? valuesAt(element, rest) : []));
}
