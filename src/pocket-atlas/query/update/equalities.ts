import type { BsonValue, Doc } from '../../bson/values.js';
import { location } from '../errors.js';
import { isOperatorDocument } from '../filter/field-operators.js';
import { fieldOf, isDocument, setField } from '../path.js';
import { isRegex } from '../regex.js';

/** `{ a: 1 }`, `{ a: { $eq: 1 } }`, `{ a: { $in: [1] } }`, and these inside `$and` (and an `$or` of one). */
export function equalitiesOf(filter: Doc): [string, BsonValue][] {
  return Object.entries(filter).flatMap(([key, value]): [string, BsonValue][] => {
    if (key === '$and' && Array.isArray(value)) return value.flatMap((clause) => equalitiesOf(clause as Doc));
    if (key === '$or' && Array.isArray(value) && value.length === 1) return equalitiesOf(value[0] as Doc);
    if (key.startsWith('$')) return [];
    if (!isOperatorDocument(value)) return isRegex(value) ? [] : [[key, value]];
    if (Object.hasOwn(value, '$eq')) return [[key, value.$eq]];
    if (Array.isArray(value.$in) && value.$in.length === 1 && !isRegex(value.$in[0])) return [[key, value.$in[0]]];
    if (Array.isArray(value.$all) && value.$all.length === 1 && !isOperatorDocument(value.$all[0])) {
      return [[key, value.$all[0]]];
    }
    return [];
  });
}

/** @throws CommandError 54 NotSingleValueField when the filter gives one path two values. */
export function setDeep(doc: Doc, path: string, value: BsonValue): void {
  const parts = path.split('.');
  let at = doc;
  parts.forEach((part, depth) => {
    const existing = fieldOf(at, part);
    if (depth === parts.length - 1) {
      if (existing !== undefined)
        throw location(54, `cannot infer query fields to set, path '${path}' is matched twice`);
      setField(at, part, value);
      return;
    }
    if (existing !== undefined && !isDocument(existing)) {
      throw location(
        54,
        `cannot infer query fields to set, both paths '${path}' and '${parts.slice(0, depth + 1).join('.')}' are matched`,
      );
    }
    const next: Doc = existing ?? {};
    setField(at, part, next);
    at = next;
  });
}
