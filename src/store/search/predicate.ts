import { AppError } from '../../errors.js';
import type { FilterScalar, MetadataCondition, SearchFilter } from '../filter.js';
import { declaredType, type FilterKeys } from '../filter-mql.js';
import type { FilterableType } from '../records.js';
import { parseInstant } from './instant.js';

/**
 * A search filter in negation normal form: `not` stands at leaves only, which is all that a search index can negate
 * without losing rows. Both index filter languages are compiled from it.
 */
export type Predicate =
  | { readonly kind: 'all' }
  | { readonly kind: 'none' }
  | { readonly kind: 'and' | 'or'; readonly of: readonly Predicate[] }
  | { readonly kind: 'leaf'; readonly leaf: Leaf; readonly negated: boolean };

export type ComparedValue = string | number | boolean | Date;

export type Leaf =
  | { readonly test: 'documents'; readonly ids: readonly string[] }
  | { readonly test: 'agents'; readonly ids: readonly string[] }
  /** The value, or an element of an array, equals one of `values` (never empty, any scalar type). */
  | MetadataLeaf<{ readonly test: 'in'; readonly values: readonly ComparedValue[] }>
  /** One value of the declared type is within all bounds. */
  | MetadataLeaf<{ readonly test: 'range'; readonly bounds: Bounds }>
  /** The key holds a value that is not null. */
  | MetadataLeaf<{ readonly test: 'exists' }>;

type MetadataLeaf<Test> = Test & { readonly key: string; readonly type: FilterableType };

export interface Bounds {
  readonly gt?: ComparedValue;
  readonly gte?: ComparedValue;
  readonly lt?: ComparedValue;
  readonly lte?: ComparedValue;
}

const ALL: Predicate = { kind: 'all' };
const NONE: Predicate = { kind: 'none' };
const BOUND_OPERATORS = ['gt', 'gte', 'lt', 'lte'] as const;

/**
 * The filter's predicate; its titles must have been turned into ids before. Throws `AppError` BAD_USER_INPUT for a key
 * that is not declared filterable, a date that is none, and a bound that is not of the key's declared type (under `not`
 * it would fail open); INDEX_NOT_READY for a key that existing rows do not carry yet.
 */
export function toPredicate(filter: SearchFilter | undefined, keys: FilterKeys): Predicate {
  return filter === undefined ? ALL : normalise(filter, keys, false);
}

function normalise(filter: SearchFilter, keys: FilterKeys, negated: boolean): Predicate {
  const parts: Predicate[] = [];
  if (filter.titles !== undefined) throw new TypeError('Titles are looked up before a filter is compiled');
  if (filter.ids !== undefined) parts.push(membership('documents', filter.ids, negated));
  if (filter.agentIds !== undefined) parts.push(membership('agents', filter.agentIds, negated));
  for (const condition of filter.metadata ?? []) parts.push(metadata(condition, keys, negated));
  for (const part of filter.and ?? []) parts.push(normalise(part, keys, negated));
  if (filter.or !== undefined) {
    parts.push(join(negated ? 'and' : 'or', filter.or.map((part) => normalise(part, keys, negated)))); // biome-ignore format: one line
  }
  if (filter.not !== undefined) parts.push(normalise(filter.not, keys, !negated));
  return join(negated ? 'or' : 'and', parts);
}

/** Joins and folds constants, so that neither language has to say "everything" or "nothing" inside a condition. */
export function join(kind: 'and' | 'or', parts: readonly Predicate[]): Predicate {
  const [absorbing, neutral] = kind === 'and' ? (['none', 'all'] as const) : (['all', 'none'] as const);
  const kept: Predicate[] = [];
  for (const part of parts) {
    if (part.kind === absorbing) return part;
    if (part.kind === kind) kept.push(...part.of);
    else if (part.kind !== neutral) kept.push(part);
  }
  if (kept.length === 0) return kind === 'and' ? ALL : NONE;
  return kept.length === 1 ? kept[0]! : { kind, of: kept };
}

function membership(test: 'documents' | 'agents', ids: readonly string[], negated: boolean): Predicate {
  if (ids.length === 0) return negated ? ALL : NONE;
  return { kind: 'leaf', leaf: { test, ids: [...new Set(ids)] }, negated };
}

function metadata(condition: MetadataCondition, keys: FilterKeys, negated: boolean): Predicate {
  const { key } = condition;
  const type = declaredType(key, keys);
  const parts: Predicate[] = [];
  const test = (leaf: Leaf, isNegative: boolean) => parts.push({ kind: 'leaf', leaf, negated: isNegative !== negated });
  const isIn = (values: readonly FilterScalar[], isNegative: boolean) => {
    if (values.length === 0) parts.push(isNegative !== negated ? ALL : NONE);
    else test({ test: 'in', key, type, values: values.map((value) => toCompared(key, type, value)) }, isNegative);
  };
  if (condition.eq !== undefined) isIn([condition.eq], false);
  if (condition.in !== undefined) isIn(condition.in, false);
  if (condition.ne !== undefined) isIn([condition.ne], true);
  if (condition.nin !== undefined) isIn(condition.nin, true);
  const bounds = toBounds(condition, type);
  if (bounds !== null) {
    const range =
      type === 'boolean'
        ? booleansWithin(key, bounds)
        : ({ test: 'range', key, type, bounds: tightest(bounds) } as const);
    if (range === null) parts.push(negated ? ALL : NONE);
    else test(range, false);
  }
  if (condition.exists !== undefined) test({ test: 'exists', key, type }, !condition.exists);
  return join(negated ? 'or' : 'and', parts);
}

/** A filter's value as it is compared. Any scalar may be asked for equality, whatever the key's declared type. */
export function toCompared(key: string, type: FilterableType, value: FilterScalar): ComparedValue {
  if (type === 'date' && typeof value === 'string') {
    const instant = parseInstant(value);
    if (instant === null) {
      throw invalid(key, `is declared as a date: expected an RFC 3339 date-time such as "2024-05-01T00:00:00Z", got another string`); // biome-ignore format: one line
    }
    return instant;
  }
  // -0 and 0 are one value, but two terms of an index.
  return value === 0 ? 0 : value;
}

/** The condition's bounds as they are compared; null when it has none. */
export function toBounds(condition: MetadataCondition, type: FilterableType): Bounds | null {
  const bounds: Record<string, ComparedValue> = {};
  for (const operator of BOUND_OPERATORS) {
    const value = condition[operator];
    if (value === undefined) continue;
    const compared = toCompared(condition.key, type, value);
    const given = compared instanceof Date ? 'date' : typeof compared;
    if (given !== type) {
      throw invalid(condition.key, `is declared as a ${type}: \`${operator}\` needs a ${type}, got a ${given}`);
    }
    bounds[operator] = compared;
  }
  return Object.keys(bounds).length === 0 ? null : bounds;
}

/** One lower and one upper bound at most, which is what a range may have: the one that leaves less. */
function tightest({ gt, gte, lt, lte }: Bounds): Bounds {
  const below = gt !== undefined && (gte === undefined || compare(gt, gte) >= 0) ? { gt } : gte === undefined ? {} : { gte }; // biome-ignore format: as the next line
  const above = lt !== undefined && (lte === undefined || compare(lt, lte) <= 0) ? { lt } : lte === undefined ? {} : { lte }; // biome-ignore format: as the line before
  return { ...below, ...above };
}

/** $search has no range over Booleans, and two values are quickly listed. null: none. */
function booleansWithin(key: string, bounds: Bounds): Leaf | null {
  const values = [false, true].filter((value) => isWithin(value, bounds));
  return values.length === 0 ? null : { test: 'in', key, type: 'boolean', values };
}

/** Both sides of one type; strings compare by code point, as their UTF-8 bytes do. */
export function isWithin(value: ComparedValue, bounds: Bounds): boolean {
  return (
    (bounds.gt === undefined || compare(value, bounds.gt) > 0) &&
    (bounds.gte === undefined || compare(value, bounds.gte) >= 0) &&
    (bounds.lt === undefined || compare(value, bounds.lt) < 0) &&
    (bounds.lte === undefined || compare(value, bounds.lte) <= 0)
  );
}

function compare(a: ComparedValue, b: ComparedValue): number {
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return Number(a) - Number(b);
}

function invalid(key: string, problem: string): AppError {
  return new AppError('BAD_USER_INPUT', `Metadata key "${key}" ${problem}`, { details: { key } });
}
