import { equals } from '../bson/compare.js';
import type { BsonValue, Doc } from '../bson/values.js';
import type { IndexInfo, KeyRange } from '../storage/engine.js';
import { isOperatorDocument } from './filter/field-operators.js';
import { arrayIndexOf, isDocument } from './path.js';
import { type Constraint, type Constraints, constraintsOf, tightest } from './plan/constraints.js';
import { type Interval, inOrder, intersect, isPoint } from './plan/interval.js';
import type { Plan } from './query.js';

/** Ranges of one plan: the product over the parts of a compound index stops growing here. */
const RANGES_MAX = 10_000;

/**
 * Proposes records for a filter, and in the order of `sort` where an index has it. A proposal never leaves out a record
 * that matches; it may hold others, and hold one twice. Without anything better, a scan.
 */
export function planFilter(filter: Doc, sort: Doc | undefined, indexes: readonly IndexInfo[]): Plan {
  const constraints = constraintsOf(filter);
  const ids = idsOf(constraints);
  if (ids !== undefined && indexes.some(({ key }) => isIdKey(key))) return { kind: 'ids', ids };
  let best: Candidate | undefined;
  for (const index of indexes) {
    const candidate = candidateFor(index, filter, constraints, sort);
    if (candidate !== undefined && (best === undefined || isBetter(candidate, best))) best = candidate;
  }
  return best?.plan ?? { kind: 'scan' };
}

function isIdKey(key: IndexInfo['key']): boolean {
  return Object.keys(key).join() === '_id';
}

/** `_id` is looked up by value: it is never an array. */
function idsOf(constraints: Constraints): readonly BsonValue[] | undefined {
  const onId = constraints.get('_id');
  const points = onId?.filter((constraint) => constraint.every(isPoint));
  if (points === undefined || points.length === 0) return undefined;
  return tightest(points).map(({ lower }) => lower!.value);
}

interface Candidate {
  readonly plan: Extract<Plan, { kind: 'index' }>;
  /** Key parts fixed to points, then whether a range follows. */
  readonly points: number;
  readonly hasRange: boolean;
}

function isBetter(a: Candidate, b: Candidate): boolean {
  const rank = ({ plan, points, hasRange }: Candidate) =>
    points * 8 + (hasRange ? 4 : 0) + (plan.providesSort ? 2 : 0) + (plan.index.unique ? 1 : 0);
  return rank(a) > rank(b);
}

function candidateFor(
  index: IndexInfo,
  filter: Doc,
  constraints: Constraints,
  sort: Doc | undefined,
): Candidate | undefined {
  if (!holdsAllMatches(index, filter, constraints)) return undefined;
  const parts = Object.keys(index.key);
  if (parts.some((path) => path.split('.').some((name) => arrayIndexOf(name) >= 0))) return undefined;

  const chosen: Constraint[] = [];
  const roots = new Set<string>();
  let product = 1;
  for (const path of parts) {
    const onPath = constraints.get(path);
    const root = path.split('.')[0]!;
    // Two paths into one array: a key pairs the values of one element, a filter may match them in two.
    if (onPath === undefined || (index.multikey && roots.has(root))) break;
    const constraint = index.multikey ? tightest(onPath) : combined(onPath);
    product *= constraint.length;
    if (product > RANGES_MAX) break;
    roots.add(root);
    chosen.push(constraint);
    // behind a range, further parts no longer narrow
    if (!constraint.every(isPoint)) break;
  }
  const ranges = rangesOf(chosen);
  const points = chosen.filter((constraint) => constraint.every(isPoint)).length;
  const fixed = chosen.findIndex((constraint) => constraint.length !== 1 || !isPoint(constraint[0]!));
  const order = sort === undefined ? undefined : orderGiven(index, sort, fixed < 0 ? chosen.length : fixed);
  const providesSort = order !== undefined && ranges.length === 1;
  if (chosen.length === 0 && !providesSort) return undefined;
  return {
    plan: { kind: 'index', index, ranges, reverse: providesSort && order === 'reverse', providesSort },
    points,
    hasRange: chosen.length > points,
  };
}

/** All conditions on one value at once; only where no array can meet them one by one. */
function combined(constraints: readonly Constraint[]): Constraint {
  const best = tightest(constraints);
  if (best.every(isPoint)) return best;
  const single = constraints.filter((constraint) => constraint.length === 1).map(([interval]) => interval!);
  return single.length > 0 ? [single.reduce(intersect)] : best;
}

function rangesOf(chosen: readonly Constraint[]): KeyRange[] {
  let prefixes: BsonValue[][] = [[]];
  for (const [depth, constraint] of chosen.entries()) {
    if (constraint.every(isPoint)) {
      prefixes = prefixes.flatMap((prefix) => constraint.map(({ lower }) => [...prefix, lower!.value]));
      continue;
    }
    if (depth !== chosen.length - 1) throw new Error('a range is the last constraint of a plan');
    return prefixes.flatMap((prefix) => inOrder(constraint).map((interval) => rangeUnder(prefix, interval)));
  }
  return prefixes.map((prefix) => rangeUnder(prefix, {}));
}

function rangeUnder(prefix: readonly BsonValue[], { lower, upper }: Interval): KeyRange {
  const end = (bound: Interval['lower']) => {
    if (bound !== undefined) return { values: [...prefix, bound.value], inclusive: bound.inclusive };
    return prefix.length > 0 ? { values: prefix, inclusive: true } : undefined;
  };
  const [low, high] = [end(lower), end(upper)];
  return { ...(low && { lower: low }), ...(high && { upper: high }) };
}

/**
 * Whether the index runs in the order of `sort` (or the reverse of it), its first `fixed` parts having one value each.
 * An array has several keys, so a multikey index has no order of documents.
 */
function orderGiven(index: IndexInfo, sort: Doc, fixed: number): 'forward' | 'reverse' | undefined {
  if (index.multikey) return undefined;
  const parts = Object.entries(index.key);
  const constant = new Set(parts.slice(0, fixed).map(([path]) => path));
  let at = fixed;
  let direction: 1 | -1 | undefined;
  for (const [path, order] of Object.entries(sort)) {
    if (constant.has(path)) continue;
    const part = parts[at];
    const sign = equals(order, 1) ? 1 : equals(order, -1) ? -1 : undefined;
    if (part === undefined || part[0] !== path || sign === undefined) return undefined;
    const own = part[1] === sign ? 1 : -1;
    if (direction !== undefined && direction !== own) return undefined;
    direction = own;
    at++;
  }
  return direction === -1 ? 'reverse' : 'forward';
}

/** Whether every matching document is in the index: not so for sparse and partial ones, unless the filter says it. */
function holdsAllMatches(index: IndexInfo, filter: Doc, constraints: Constraints): boolean {
  if (index.sparse && !Object.keys(index.key).some((path) => demandsExistence(constraints.get(path)))) return false;
  return index.partialFilterExpression === null || implies(filter, constraints, index.partialFilterExpression);
}

/** A constraint that null does not meet is not met by a missing field either. */
function demandsExistence(constraints: readonly Constraint[] | undefined): boolean {
  return (
    constraints?.some((constraint) =>
      constraint.every(({ lower }) => lower !== undefined && !isNullish(lower.value)),
    ) === true
  );
}

function isNullish(value: BsonValue): boolean {
  return value === null || value === undefined;
}

/** Conservative: each condition of the partial filter stands in the filter, or follows from an equality in it. */
function implies(filter: Doc, constraints: Constraints, partial: Doc): boolean {
  return Object.entries(partial).every(([path, condition]) => {
    if (path === '$and' && Array.isArray(condition)) {
      return condition.every((clause) => isDocument(clause) && implies(filter, constraints, clause));
    }
    if (path.startsWith('$')) return false;
    if (conjuncts(filter).some(([key, value]) => key === path && equals(value, condition))) return true;
    if (!isOperatorDocument(condition)) return false;
    const { $exists: exists, ...others } = condition;
    return Object.keys(others).length === 0 && exists === true && demandsExistence(constraints.get(path));
  });
}

function conjuncts(filter: Doc): [string, BsonValue][] {
  return Object.entries(filter).flatMap(([key, value]): [string, BsonValue][] =>
    key === '$and' && Array.isArray(value)
      ? value.flatMap((clause) => (isDocument(clause) ? conjuncts(clause) : []))
      : [[key, value]],
  );
}
