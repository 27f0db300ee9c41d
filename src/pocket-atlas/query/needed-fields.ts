import { decode, decodeFields } from '../bson/decode.js';
import type { BsonValue, Doc } from '../bson/values.js';
import { isNumeric } from './numeric.js';
import { isDocument } from './path.js';

/**
 * Which top-level fields a query looks at, so that the others (texts, vectors) are not decoded to be thrown away. Pure.
 * undefined always means: perhaps any. What is not plainly a list of paths counts as that.
 */
export type NeededFields = ReadonlySet<string> | undefined;

/** Reads a stored document as far as it is needed. */
export function partReader(fields: NeededFields): (bytes: Uint8Array) => Doc {
  return fields === undefined ? decode : (bytes) => decodeFields(bytes, fields);
}

export function fieldsOfFilter(filter: Doc): NeededFields {
  const fields = new Set<string>();
  return collect(filter, fields) ? fields : undefined;
}

/** Of a projection that names what it keeps. `metaIsFree`: a `$meta` beside it is no field and changes nothing. */
export function fieldsOfInclusion(projection: Doc, { metaIsFree = false } = {}): NeededFields {
  const fields = new Set(['_id']);
  let keeps = false;
  for (const [path, value] of Object.entries(projection)) {
    if (metaIsFree && isDocument(value) && typeof value.$meta === 'string' && Object.keys(value).length === 1) continue;
    const isKept = typeof value === 'boolean' ? value : isNumeric(value) ? Number(value) !== 0 : undefined;
    if (isKept === undefined || path.includes('$')) return undefined;
    // Beside fields that are kept, only _id may be dropped.
    if (!isKept && path !== '_id') return undefined;
    keeps ||= isKept;
    fields.add(topOf(path));
  }
  return keeps ? fields : undefined;
}

/** Stages that hand on what they get. */
const HANDS_ON: ReadonlySet<string> = new Set(['$limit', '$skip']);

/** Of a pipeline, behind its source if it has one: filters first, then a projection that names what it keeps. */
export function fieldsOfStages(stages: readonly { readonly name: string; readonly spec: BsonValue }[]): NeededFields {
  let fields: NeededFields = new Set<string>();
  for (const { name, spec } of stages) {
    if (HANDS_ON.has(name)) continue;
    if (!isDocument(spec)) return undefined;
    if (name === '$project') return union(fields, fieldsOfInclusion(spec, { metaIsFree: true }));
    if (name !== '$match') return undefined;
    fields = union(fields, fieldsOfFilter(spec));
  }
  return undefined;
}

/** Of all that a `find` does with a document before it is sent. */
export function fieldsOfFind(query: {
  readonly filter: Doc;
  readonly sort?: Doc | undefined;
  readonly projection?: Doc | undefined;
}): NeededFields {
  const { filter, sort = {}, projection = {} } = query;
  // Without a projection the stored bytes are the answer.
  const kept = Object.keys(projection).length === 0 ? new Set<string>() : fieldsOfInclusion(projection);
  return union(fieldsOfFilter(filter), kept, fieldsOfSort(sort));
}

export function union(...parts: readonly NeededFields[]): NeededFields {
  const all = new Set<string>();
  for (const part of parts) {
    if (part === undefined) return undefined;
    for (const field of part) all.add(field);
  }
  return all;
}

function fieldsOfSort(sort: Doc): NeededFields {
  const paths = Object.keys(sort);
  return paths.some((path) => path.startsWith('$') || !isNumeric(sort[path])) ? undefined : new Set(paths.map(topOf));
}

/** False: it looks at more than the paths that it names. */
function collect(filter: Doc, fields: Set<string>): boolean {
  return Object.entries(filter).every(([key, value]: [string, BsonValue]) => {
    if (key === '$and' || key === '$or' || key === '$nor')
      return Array.isArray(value) && value.every((clause) => isDocument(clause) && collect(clause, fields));
    if (key.startsWith('$')) return key === '$comment';
    fields.add(topOf(key));
    return true;
  });
}

function topOf(path: string): string {
  const dot = path.indexOf('.');
  return dot < 0 ? path : path.slice(0, dot);
}
