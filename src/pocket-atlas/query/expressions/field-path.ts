import type { BsonValue } from '../../bson/values.js';
import { badValue, location } from '../errors.js';
import { fieldReader, isDocument } from '../path.js';
import type { Cell, Evaluate } from './operator.js';

/** Components of an aggregation path. @throws CommandError 15998, 16410 or 40353 for a path that is none. */
export function fieldPathParts(path: string): string[] {
  if (path === '') throw location(40352, 'FieldPath cannot be constructed with empty string');
  if (path.endsWith('.')) throw location(40353, "FieldPath must not end with a '.'.");
  const parts = path.split('.');
  for (const part of parts) {
    if (part === '') throw location(15998, 'FieldPath field names may not be empty strings.');
    if (part.startsWith('$')) {
      throw location(16410, "FieldPath field names may not start with '$'. Consider using $getField or $setField.");
    }
    if (part.includes('\0')) throw location(16411, 'FieldPath field names may not contain null bytes.');
  }
  if (parts.length > PATH_LENGTH_MAX) throw badValue(`FieldPath is too long: more than ${PATH_LENGTH_MAX} components`);
  return parts;
}

const PATH_LENGTH_MAX = 200;

/** Aggregation's walk: an array on the way gives an array of what its documents have; numbers do not index arrays. */
export function compilePath(parts: readonly string[]): Evaluate {
  const [first, ...rest] = parts;
  const read = fieldReader(first!);
  const step = (value: BsonValue) => (isDocument(value) ? read(value) : undefined);
  if (rest.length === 0) return step;
  const readRest = compileRest(rest);
  return (value) => readRest(step(value));
}

function compileRest(parts: readonly string[]): Evaluate {
  const [first, ...rest] = parts;
  const read = fieldReader(first!);
  const readRest = rest.length === 0 ? (value: BsonValue) => value : compileRest(rest);
  const walk: Evaluate = (value) => {
    if (isDocument(value)) return readRest(read(value));
    if (!Array.isArray(value)) return undefined;
    const found: BsonValue[] = [];
    for (const element of value) {
      // an array within an array is not opened
      const item = isDocument(element) ? readRest(read(element)) : undefined;
      if (item !== undefined) found.push(item);
    }
    return found;
  };
  return walk;
}

/** `path` below the value of a variable. */
export function compileVariablePath(cell: Cell, parts: readonly string[]): Evaluate {
  if (parts.length === 0) return () => cell.value;
  const read = compileRest(parts);
  return () => read(cell.value);
}

/** `path` below `$$CURRENT` taken as a value that may be an array (`$$CURRENT.a`). */
export { compileRest as compilePathOnValue };
