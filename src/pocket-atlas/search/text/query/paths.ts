import type { BsonValue } from '../../../bson/values.js';
import { isDocument, readSpec, type SpecReader } from '../../spec-reader.js';
import type { StringMapping } from '../definition.js';
import { type Mapping, wordsKey } from '../mapping.js';

/** A string field that a query path leads to. */
export interface StringPath {
  readonly path: string;
  readonly key: string;
  readonly field: StringMapping;
}

/** What the parsing of operators needs of the index. */
export interface QueryContext {
  readonly mapping: Mapping;
  /** Paths that hold words in the index now: what `{ wildcard: "a.*" }` is expanded over. */
  readonly indexedPaths: () => readonly string[];
}

/**
 * `path` of text, phrase and wildcard: a name, `{ wildcard }`, `{ value, multi }`, or a list of those. A path that the
 * definition does not index as string finds nothing, without an error.
 */
export function readStringPaths(spec: SpecReader, context: QueryContext): StringPath[] {
  const value = spec.doc.path;
  if (value === undefined || value === null) spec.fail('path', 'is required');
  const list = Array.isArray(value) ? value : [value];
  if (list.length === 0) spec.fail('path', 'cannot be empty');
  return list.flatMap((one) => stringPaths(one, spec, context));
}

function stringPaths(value: BsonValue, spec: SpecReader, { mapping, indexedPaths }: QueryContext): StringPath[] {
  const at = (path: string, multi?: string): StringPath[] => {
    const field = mapping.string(path, multi);
    return field === undefined ? [] : [{ path, key: wordsKey(path, multi), field }];
  };
  if (typeof value === 'string') return at(value);
  if (!isDocument(value)) return spec.fail('path', 'must be a string or document');
  const inner = readSpec(value, spec.path === '' ? 'path' : `${spec.path}.path`);
  const wildcard = inner.optionalString('wildcard');
  if (wildcard === undefined) {
    inner.only('value', 'multi');
    return at(inner.string('value'), inner.optionalString('multi'));
  }
  inner.only('wildcard');
  const pattern = new RegExp(`^${wildcard.split('*').map(escapeRegExp).join('.*')}$`, 's');
  return indexedPaths()
    .filter((path) => pattern.test(path))
    .flatMap((path) => at(path));
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** `path` of equals, in, range, near, exists, autocomplete: one name. */
export function readSinglePath(spec: SpecReader): string {
  return spec.string('path');
}

/** `query`: a string or a list of them, none empty. */
export function readQueries(spec: SpecReader): string[] {
  const value = spec.doc.query;
  if (value === undefined || value === null) spec.fail('query', 'is required');
  const list = Array.isArray(value) ? value : [value];
  if (list.length === 0) spec.fail('query', 'cannot be empty');
  return list.map((one) => {
    if (typeof one !== 'string') return spec.fail('query', 'must be a string');
    return one === '' ? spec.fail('query', 'cannot be empty') : one;
  });
}
