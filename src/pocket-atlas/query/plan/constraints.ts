import { MaxKey, MinKey } from 'bson';
import { regexParts } from '../../bson/type.js';
import type { BsonValue, Doc } from '../../bson/values.js';
import { isOperatorDocument } from '../filter/field-operators.js';
import { isDocument } from '../path.js';
import { isRegex } from '../regex.js';
import { type Interval, inOrder, intersect, isPoint, point, typeInterval } from './interval.js';
import { literalPrefix } from './regex-prefix.js';

/**
 * What a filter demands of one path: each entry alone must be met by some index key of a matching document. They are
 * conditions of their own: with an array under the path, each may be met by another element.
 */
export type Constraint = readonly Interval[];

/** Constraints per path. A path that is absent is not constrained. */
export type Constraints = ReadonlyMap<string, readonly Constraint[]>;

export function constraintsOf(filter: Doc): Constraints {
  const found = new Map<string, Constraint[]>();
  const add = (path: string, constraint: Constraint | undefined): void => {
    if (constraint === undefined) return;
    const all = found.get(path);
    if (all === undefined) found.set(path, [constraint]);
    else all.push(constraint);
  };
  collect(filter, '', add);
  return found;
}

type Add = (path: string, constraint: Constraint | undefined) => void;

function collect(filter: Doc, prefix: string, add: Add): void {
  for (const [key, value] of Object.entries(filter)) {
    if (key === '$and' && Array.isArray(value)) {
      for (const clause of value) if (isDocument(clause)) collect(clause, prefix, add);
    } else if (key === '$or' && Array.isArray(value)) {
      for (const [path, constraint] of unionOf(value, prefix)) add(path, constraint);
    } else if (!key.startsWith('$')) {
      collectField(prefix + key, value, add);
    }
  }
}

/** A path that every branch of `$or` constrains is constrained to what any branch allows. */
function unionOf(branches: readonly BsonValue[], prefix: string): [string, Constraint][] {
  const all = branches.map((branch) => {
    const found = new Map<string, Constraint[]>();
    if (isDocument(branch)) collect(branch, prefix, (path, constraint) => append(found, path, constraint));
    return found;
  });
  const [first, ...rest] = all;
  if (first === undefined) return [];
  return [...first.keys()]
    .filter((path) => rest.every((found) => found.has(path)))
    .map((path) => [path, inOrder(all.flatMap((found) => tightest(found.get(path)!)))]);
}

function append(found: Map<string, Constraint[]>, path: string, constraint: Constraint | undefined): void {
  if (constraint !== undefined) found.set(path, [...(found.get(path) ?? []), constraint]);
}

/** The constraint that is likely to propose least: points before ranges, few before many, bounded before open. */
export function tightest(constraints: readonly Constraint[]): Constraint {
  return constraints.reduce((best, other) => (looseness(other) < looseness(best) ? other : best));
}

function looseness(constraint: Constraint): number {
  if (constraint.every(isPoint)) return constraint.length;
  const open = constraint.filter(({ lower, upper }) => lower === undefined || upper === undefined).length;
  return 1_000_000 + constraint.length + 1000 * open;
}

function collectField(path: string, value: BsonValue, add: Add): void {
  if (!isOperatorDocument(value)) {
    add(path, isRegex(value) ? regexConstraint(value) : equalityConstraint(value));
    return;
  }
  const range = rangeOf(value);
  if (range !== undefined) for (const interval of range) add(path, [interval]);
  for (const [operator, argument] of Object.entries(value)) {
    switch (operator) {
      case '$eq':
        add(path, equalityConstraint(argument));
        break;
      case '$in':
        add(path, listConstraint(argument));
        break;
      case '$all':
        if (Array.isArray(argument)) for (const item of argument) addAll(path, item, add);
        break;
      case '$regex':
        add(path, regexOperatorConstraint(argument, value.$options));
        break;
      case '$elemMatch':
        if (isDocument(argument)) collectElement(path, argument, add);
        break;
      default:
    }
  }
}

function addAll(path: string, item: BsonValue, add: Add): void {
  if (isRegex(item)) add(path, regexConstraint(item));
  else if (isDocument(item) && isDocument(item.$elemMatch)) collectElement(path, item.$elemMatch, add);
  else if (!isOperatorDocument(item)) add(path, equalityConstraint(item));
}

function collectElement(path: string, condition: Doc, add: Add): void {
  if (
    Object.keys(condition)[0]?.startsWith('$') &&
    !['$and', '$or', '$nor', '$expr'].includes(Object.keys(condition)[0]!)
  ) {
    // both ends of a range are about the same element here
    const range = rangeOf(condition);
    if (range !== undefined) add(path, [range.reduce(intersect)]);
    if (Object.hasOwn(condition, '$eq')) add(path, equalityConstraint(condition.$eq));
    if (Object.hasOwn(condition, '$in')) add(path, listConstraint(condition.$in));
    return;
  }
  collect(condition, `${path}.`, add);
}

/** An array also matches as a whole, which an index does not hold: no constraint. */
function equalityConstraint(value: BsonValue): Constraint | undefined {
  if (Array.isArray(value) || value === undefined) return undefined;
  return [point(value)];
}

function listConstraint(list: BsonValue): Constraint | undefined {
  if (!Array.isArray(list)) return undefined;
  const intervals: Interval[] = [];
  for (const item of list) {
    const constraint = isRegex(item) ? regexConstraint(item) : equalityConstraint(item);
    if (constraint === undefined) return undefined;
    intervals.push(...constraint);
  }
  return inOrder(intervals);
}

const ENDS = {
  $gt: { side: 'lower', inclusive: false },
  $gte: { side: 'lower', inclusive: true },
  $lt: { side: 'upper', inclusive: false },
  $lte: { side: 'upper', inclusive: true },
} as const;

function rangeOf(operators: Doc): Interval[] | undefined {
  const intervals: Interval[] = [];
  for (const [operator, { side, inclusive }] of Object.entries(ENDS)) {
    if (!Object.hasOwn(operators, operator)) continue;
    const value = operators[operator];
    if (value instanceof MinKey || value instanceof MaxKey || isRegex(value) || Array.isArray(value)) continue;
    if (value === undefined || Number.isNaN(value) || String(value) === 'NaN') continue;
    if (value === null) intervals.push(point(null));
    else intervals.push(intersect(typeInterval(value), { [side]: { value, inclusive } }));
  }
  return intervals.length === 0 ? undefined : intervals;
}

function regexOperatorConstraint(pattern: BsonValue, options: BsonValue): Constraint | undefined {
  if (isRegex(pattern)) return options === undefined ? regexConstraint(pattern) : undefined;
  if (typeof pattern !== 'string' || (options !== undefined && options !== '')) return undefined;
  const prefix = prefixInterval(pattern);
  return prefix === undefined ? undefined : [prefix, ALL_REGEXES];
}

/** A pattern that begins with fixed text matches strings with that beginning, and a stored pattern that is the same. */
function regexConstraint(value: Parameters<typeof regexParts>[0]): Constraint | undefined {
  const { pattern, options } = regexParts(value);
  if (options !== '') return undefined;
  const prefix = prefixInterval(pattern);
  return prefix === undefined ? undefined : [prefix, point(value)];
}

function prefixInterval(pattern: string): Interval | undefined {
  const prefix = literalPrefix(pattern);
  if (prefix === undefined) return undefined;
  return intersect(typeInterval(''), {
    lower: { value: prefix, inclusive: true },
    upper: { value: successor(prefix), inclusive: false },
  });
}

/** The least string above all that begin with `prefix`, in the order of code points. The prefix holds no surrogates. */
function successor(prefix: string): string {
  const last = prefix.charCodeAt(prefix.length - 1);
  const next = last === 0xd7ff ? 0xe000 : last + 1;
  return prefix.slice(0, -1) + String.fromCodePoint(next);
}

/** Stored regular expressions, few as they are: between timestamps and MaxKey. */
const ALL_REGEXES: Interval = {
  lower: { value: new Date(8.64e15), inclusive: false },
  upper: { value: new MaxKey(), inclusive: false },
};
