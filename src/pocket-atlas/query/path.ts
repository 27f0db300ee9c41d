import type { BsonValue, Doc } from '../bson/values.js';

/** A stored document may have fields named like members of Object.prototype: only own properties are fields. */
const INHERITED: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));

const INDEX = /^(0|[1-9]\d*)$/;

/** An embedded document, as opposed to an array, a BSON type of its own, null or a scalar. */
export function isDocument(value: BsonValue): value is Doc {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

export function fieldOf(doc: Doc, name: string): BsonValue {
  return !INHERITED.has(name) || Object.hasOwn(doc, name) ? doc[name] : undefined;
}

/** `fieldOf` with the name settled once: this is the innermost step of every query. */
export function fieldReader(name: string): (doc: Doc) => BsonValue {
  return INHERITED.has(name) ? (doc) => fieldOf(doc, name) : (doc) => doc[name];
}

export function setField(doc: Doc, name: string, value: BsonValue): void {
  if (name === '__proto__') {
    Object.defineProperty(doc, name, { value, writable: true, enumerable: true, configurable: true });
  } else {
    doc[name] = value;
  }
}

/** A copy of one level; `META` goes along because spread copies symbols. */
export function shallowCopy(doc: Doc): Doc {
  return { ...doc };
}

/** The array index that a path component stands for, or -1. */
export function arrayIndexOf(component: string): number {
  return INDEX.test(component) ? Number(component) : -1;
}

/** What a match tells beside yes: where the positional operator `$` points. */
export interface MatchDetails {
  /** Index in the outermost array that was walked through to the value that matched. */
  arrayIndex?: number;
}

export type ValueTest = (value: BsonValue, details?: MatchDetails) => boolean;

/** Whether some value under a path passes `test`. A missing value is tried as undefined. */
export type PathVisit = (doc: Doc, test: ValueTest, details?: MatchDetails) => boolean;

/**
 * The query language's walk along a dotted path: an array on the way stands for its documents (and, before a numeric
 * component, for the element of that index too); an array at the end stands for each element, then for itself. With
 * `wholeArray` it stands for itself only. Source: MongoDB manual, "Query an Array"; behaviour of numeric components as
 * observed in the server's public tests.
 */
export function compileVisit(path: string, wholeArray: boolean): PathVisit {
  const names = path.split('.');
  if (names.length === 1) {
    const read = fieldReader(path);
    return (doc, test, details) => testLeaf(read(doc), wholeArray, test, details);
  }
  const parts: Part[] = names.map((name) => ({ read: fieldReader(name), index: arrayIndexOf(name) }));
  return (doc, test, details) => visitDocument(doc, parts, 0, wholeArray, test, details);
}

interface Part {
  readonly read: (doc: Doc) => BsonValue;
  readonly index: number;
}

function testLeaf(value: BsonValue, wholeArray: boolean, test: ValueTest, details?: MatchDetails): boolean {
  if (wholeArray || !Array.isArray(value)) return test(value, details);
  for (let i = 0; i < value.length; i++) {
    if (test(value[i])) {
      if (details !== undefined) details.arrayIndex = i;
      return true;
    }
  }
  return test(value);
}

function visitDocument(
  doc: Doc,
  parts: readonly Part[],
  from: number,
  wholeArray: boolean,
  test: ValueTest,
  details?: MatchDetails,
): boolean {
  let current = doc;
  for (let at = from; ; at++) {
    const value = parts[at]!.read(current);
    if (at === parts.length - 1) return testLeaf(value, wholeArray, test, details);
    if (Array.isArray(value)) return visitArray(value, parts, at + 1, wholeArray, test, details);
    if (!isDocument(value)) return test(undefined);
    current = value;
  }
}

function visitArray(
  array: readonly BsonValue[],
  parts: readonly Part[],
  from: number,
  wholeArray: boolean,
  test: ValueTest,
  details?: MatchDetails,
): boolean {
  const { index } = parts[from]!;
  for (let i = 0; i < array.length; i++) {
    const element = array[i];
    if (
      (isDocument(element) && visitDocument(element, parts, from, wholeArray, test, details)) ||
      (i === index && visitElement(element, parts, from, wholeArray, test, details))
    ) {
      if (details !== undefined) details.arrayIndex = i;
      return true;
    }
  }
  return false;
}

/** The element that a numeric component names; at the end of the path its own arrays are not opened. */
function visitElement(
  element: BsonValue,
  parts: readonly Part[],
  at: number,
  wholeArray: boolean,
  test: ValueTest,
  details?: MatchDetails,
): boolean {
  if (at === parts.length - 1) return test(element, details);
  if (Array.isArray(element)) return visitArray(element, parts, at + 1, wholeArray, test, details);
  return isDocument(element) && visitDocument(element, parts, at + 1, wholeArray, test, details);
}
