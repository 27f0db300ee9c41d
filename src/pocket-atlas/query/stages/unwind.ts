import { Long } from 'bson';
import { type BsonValue, copyMeta, type Doc } from '../../bson/values.js';
import { location } from '../errors.js';
import { fieldPathParts } from '../expressions/field-path.js';
import { typeOf } from '../expressions/operator.js';
import { fieldOf, isDocument, setField } from '../path.js';
import { BATCH_DOCUMENTS } from './flow.js';
import { type CompileStage, stage } from './stage.js';

interface Unwind {
  readonly parts: readonly string[];
  readonly indexParts: readonly string[] | undefined;
  readonly keepsEmpty: boolean;
}

/** One document per element of an array; a value that is no array counts as its only element. */
export const compileUnwind: CompileStage = (spec, { pace }) => {
  const unwind = parse(spec);
  return stage('$unwind', async function* (input) {
    let out: Doc[] = [];
    for await (const batch of input) {
      for (const doc of batch) {
        for (const unwound of unwindDocument(doc, unwind)) {
          out.push(unwound);
          if (out.length < BATCH_DOCUMENTS && !pace.due) continue;
          yield out;
          out = [];
          if (pace.due) await pace.rest();
        }
        if (pace.due) await pace.rest();
      }
      if (out.length > 0) yield out;
      out = [];
    }
  });
};

const OPTIONS: ReadonlySet<string> = new Set(['path', 'includeArrayIndex', 'preserveNullAndEmptyArrays']);

function parse(spec: BsonValue): Unwind {
  const options = typeof spec === 'string' ? { path: spec } : spec;
  if (!isDocument(options)) {
    throw location(
      15981,
      `expected either a string or an object as specification for $unwind stage, got ${typeOf(spec)}`,
    );
  }
  for (const name of Object.keys(options)) {
    if (!OPTIONS.has(name)) throw location(28811, `unrecognized option to $unwind stage: ${name}`);
  }
  const { path, includeArrayIndex, preserveNullAndEmptyArrays = false } = options;
  if (path === undefined) throw location(28812, 'no path specified to $unwind stage');
  if (typeof path !== 'string')
    throw location(28808, `expected a string as the path for $unwind stage, got ${typeOf(path)}`);
  if (!path.startsWith('$')) {
    throw location(28818, `path option to $unwind stage should be prefixed with a '$': ${path}`);
  }
  if (typeof preserveNullAndEmptyArrays !== 'boolean') {
    throw location(
      28809,
      `expected a boolean for the preserveNullAndEmptyArrays option to $unwind stage, got ${typeOf(preserveNullAndEmptyArrays)}`,
    );
  }
  if (includeArrayIndex !== undefined && (typeof includeArrayIndex !== 'string' || includeArrayIndex === '')) {
    throw location(
      28810,
      `expected a non-empty string for the includeArrayIndex  option to $unwind stage, got ${typeOf(includeArrayIndex)}`,
    );
  }
  if (includeArrayIndex?.startsWith('$')) {
    throw location(
      28822,
      `includeArrayIndex option to $unwind stage should not be prefixed with a '$': ${includeArrayIndex}`,
    );
  }
  return {
    parts: fieldPathParts(path.slice(1)),
    indexParts: includeArrayIndex === undefined ? undefined : fieldPathParts(includeArrayIndex),
    keepsEmpty: preserveNullAndEmptyArrays,
  };
}

function* unwindDocument(doc: Doc, { parts, indexParts, keepsEmpty }: Unwind): Generator<Doc> {
  const value = valueAt(doc, parts);
  const withIndex = (result: Doc, index: number | null) =>
    copyMeta(
      doc,
      indexParts === undefined ? result : withValue(result, indexParts, index === null ? null : Long.fromNumber(index)),
    );
  if (!Array.isArray(value)) {
    if (value !== undefined && value !== null) yield withIndex(doc, null);
    else if (keepsEmpty) yield withIndex(doc, null);
    return;
  }
  if (value.length === 0 && keepsEmpty) yield withIndex(withValue(doc, parts, undefined), null);
  for (const [index, element] of value.entries()) yield withIndex(withValue(doc, parts, element), index);
}

function valueAt(doc: Doc, parts: readonly string[]): BsonValue {
  let value: BsonValue = doc;
  for (const part of parts) value = isDocument(value) ? fieldOf(value, part) : undefined;
  return value;
}

/** A copy with another value at a path of documents; undefined removes the field. */
export function withValue(doc: Doc, parts: readonly string[], value: BsonValue): Doc {
  const [first, ...rest] = parts;
  const result = { ...doc };
  if (rest.length > 0) {
    const inner = fieldOf(doc, first!);
    setField(result, first!, withValue(isDocument(inner) ? inner : {}, rest, value));
  } else if (value === undefined) {
    delete result[first!];
  } else {
    setField(result, first!, value);
  }
  return result;
}
