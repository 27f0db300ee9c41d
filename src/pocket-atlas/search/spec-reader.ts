import { Double, Int32, Long } from 'bson';
import { typeName } from '../bson/type.js';
import type { BsonValue, Doc } from '../bson/values.js';
import { SearchFailure } from './search-failure.js';

/**
 * Reads fields of a definition or a stage with the wording of Atlas: `"<dotted.path>" must be a <type>`, `"x" is
 * required`, `unrecognized field "x"` (ATLAS.md §1.4). null counts as missing. A number without a fraction is an integer,
 * whatever its BSON type.
 */
export interface SpecReader {
  readonly path: string;
  readonly doc: Doc;
  string(field: string): string;
  optionalString(field: string): string | undefined;
  boolean(field: string, fallback: boolean): boolean;
  optionalInteger(field: string): number | undefined;
  integer(field: string): number;
  /** An integer inside [lowest..highest], in the words of a bounded field. */
  optionalIntegerWithin(field: string, lowest: number, highest: number): number | undefined;
  oneOf<const T extends string>(field: string, values: readonly T[]): T;
  optionalOneOf<const T extends string>(field: string, values: readonly T[]): T | undefined;
  optionalDocument(field: string): SpecReader | undefined;
  optionalArray(field: string): readonly BsonValue[] | undefined;
  /** Throws when the document has other fields than these. */
  only(...fields: string[]): void;
  fail(field: string, problem: string): never;
}

export function readSpec(doc: Doc, path = ''): SpecReader {
  const at = (field: string) => (path === '' ? field : `${path}.${field}`);
  const fail = (field: string, problem: string): never => {
    throw new SearchFailure(`"${at(field)}" ${problem}`);
  };
  const present = (field: string): BsonValue => {
    const value = Object.hasOwn(doc, field) ? doc[field] : undefined;
    return value === null ? undefined : value;
  };
  const required = <T>(field: string, value: T | undefined): T =>
    value === undefined ? fail(field, 'is required') : value;

  const reader: SpecReader = {
    path,
    doc,
    fail,
    optionalString(field) {
      const value = present(field);
      if (value === undefined || typeof value === 'string') return value;
      return fail(field, 'must be a string');
    },
    string: (field) => required(field, reader.optionalString(field)),
    boolean(field, fallback) {
      const value = present(field);
      if (value === undefined) return fallback;
      return typeof value === 'boolean' ? value : fail(field, 'must be a boolean');
    },
    optionalInteger(field) {
      const value = present(field);
      if (value === undefined) return undefined;
      const number = plainNumber(value);
      if (number === undefined) return fail(field, 'must be a number');
      return Number.isInteger(number) ? number : fail(field, 'must be an integer');
    },
    integer: (field) => required(field, reader.optionalInteger(field)),
    optionalIntegerWithin(field, lowest, highest) {
      const value = reader.optionalInteger(field);
      if (value !== undefined && (value < lowest || value > highest)) {
        fail(field, `must be within bounds [${lowest}..${highest}]`);
      }
      return value;
    },
    optionalOneOf(field, values) {
      const value = reader.optionalString(field);
      if (value === undefined) return undefined;
      const match = values.find((candidate) => candidate === value);
      return match ?? fail(field, `must be one of [${values.join(', ')}]`);
    },
    oneOf: (field, values) => required(field, reader.optionalOneOf(field, values)),
    optionalDocument(field) {
      const value = present(field);
      if (value === undefined) return undefined;
      return isDocument(value) ? readSpec(value, at(field)) : fail(field, 'must be a document');
    },
    optionalArray(field) {
      const value = present(field);
      if (value === undefined || Array.isArray(value)) return value;
      return fail(field, 'must be an array');
    },
    only(...fields) {
      const unknown = Object.keys(doc).filter((field) => !fields.includes(field));
      if (unknown.length === 0) return;
      const names = unknown.map((field) => `"${field}"`).join(', ');
      const problem = unknown.length === 1 ? `unrecognized field ${names}` : `unrecognized fields [${names}]`;
      throw new SearchFailure(path === '' ? problem : `"${path}" ${problem}`);
    },
  };
  return reader;
}

/** Int32, Int64 and Double as a JavaScript number; undefined for anything else. An Int64 beyond 2^53 loses precision. */
export function plainNumber(value: BsonValue): number | undefined {
  if (typeof value === 'number') return value;
  if (value instanceof Long) return value.toNumber();
  if (value instanceof Double || value instanceof Int32) return value.value;
  return undefined;
}

/** An embedded document: neither an array nor a BSON type. */
export function isDocument(value: BsonValue): value is Doc {
  return typeName(value) === 'object';
}
