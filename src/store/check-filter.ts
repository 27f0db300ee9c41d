import { AppError } from '../errors.js';
import type { DocumentFilter, SearchFilter } from './filter.js';

/**
 * Checks the shape of a filter as it came from outside. A filter must never fail open, so whatever could silently
 * restrict nothing is refused: null for a field, a condition without an operator, an empty object inside and/or/not,
 * an unknown field. Throws `AppError` BAD_USER_INPUT that names the place.
 */
export function checkDocumentFilter(input: unknown, at = 'filter'): DocumentFilter {
  return checkFilter(input, DOCUMENT_FIELDS, at) as DocumentFilter;
}

export function checkSearchFilter(input: unknown, at = 'filter'): SearchFilter {
  return checkFilter(input, SEARCH_FIELDS, at) as SearchFilter;
}

export const MAX_FILTER_NESTING = 8;
/** Over the whole filter: elements of its lists, and each single operator's value. */
export const MAX_FILTER_VALUES = 500;
export const MAX_FILTER_TITLES = 100;
/** Filters and conditions in one filter: keeps a list of empty lists, which hold no value, bounded too. */
export const MAX_FILTER_PARTS = 1_000;

type Check = (value: unknown, at: string, budget: Budget) => unknown;
type Fields = Readonly<Record<string, Check>>;

/** Of which limit a refusal is, for the client. */
interface Limit {
  readonly limit: string;
  readonly maximum: number;
}

interface Budget {
  readonly depth: number;
  /** The fields that this kind of filter may have, for the filters nested in it. */
  readonly fields: Fields;
  readonly spend: (what: 'values' | 'parts', count: number) => void;
}

const LIMITS = {
  values: { limit: 'filterValues', maximum: MAX_FILTER_VALUES },
  parts: { limit: 'filterParts', maximum: MAX_FILTER_PARTS },
} as const;

const strings = listOf('values', string);
const scalars = listOf('values', scalar);
const statuses = listOf('values', oneOf('READY', 'PENDING', 'FAILED'));
const conditions = listOf('parts', condition);
const filters = listOf('parts', nested);

const SEARCH_FIELDS: Fields = {
  ids: strings,
  titles: atMost({ limit: 'filterTitles', maximum: MAX_FILTER_TITLES }, strings),
  agentIds: strings,
  metadata: conditions,
  and: filters,
  or: filters,
  not: nested,
};

const DOCUMENT_FIELDS: Fields = { ...SEARCH_FIELDS, titles: strings, statuses, hasLastError: boolean };

const CONDITION_FIELDS: Fields = {
  key: metadataKey,
  eq: single,
  ne: single,
  in: scalars,
  nin: scalars,
  gt: single,
  gte: single,
  lt: single,
  lte: single,
  exists: boolean,
};

function checkFilter(input: unknown, fields: Fields, at: string): object {
  const spent = { values: 0, parts: 0 };
  const spend = (what: 'values' | 'parts', count: number): void => {
    spent[what] += count;
    const { maximum } = LIMITS[what];
    if (spent[what] > maximum) refuse(at, `it holds more than ${maximum} ${what}`, LIMITS[what]);
  };
  return object(input, at, { depth: 1, fields, spend }, fields);
}

function nested(value: unknown, at: string, budget: Budget): object {
  if (budget.depth >= MAX_FILTER_NESTING)
    refuse(at, `filters nest at most ${MAX_FILTER_NESTING} deep`, {
      limit: 'filterNesting',
      maximum: MAX_FILTER_NESTING,
    });
  const filter = object(value, at, { ...budget, depth: budget.depth + 1 }, budget.fields);
  if (Object.keys(filter).length === 0) refuse(at, 'it is empty: an empty filter inside and, or, not is not allowed');
  return filter;
}

function condition(value: unknown, at: string, budget: Budget): object {
  const checked = object(value, at, budget, CONDITION_FIELDS);
  if (!Object.hasOwn(checked, 'key')) refuse(at, 'it has no key');
  if (Object.keys(checked).length === 1)
    refuse(at, `it has no operator: give one of ${Object.keys(CONDITION_FIELDS).slice(1).join(', ')}`);
  return checked;
}

function object(value: unknown, at: string, budget: Budget, fields: Fields): object {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    refuse(at, `expected an object, got ${kindOf(value)}`);
  const checked: [string, unknown][] = [];
  for (const [name, member] of Object.entries(value)) {
    const check = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (check === undefined) refuse(at, `it has no field ${JSON.stringify(name.slice(0, 40))}`);
    checked.push([name, check(member, `${at}.${name}`, budget)]);
  }
  return Object.fromEntries(checked);
}

function listOf(kind: keyof typeof LIMITS, element: Check): (value: unknown, at: string, budget: Budget) => unknown[] {
  return (value, at, budget) => {
    if (!Array.isArray(value)) refuse(at, `expected a list, got ${kindOf(value)}`);
    // Before the elements are looked at, so that a huge list costs nothing.
    budget.spend(kind, value.length);
    return value.map((member, index) => element(member, `${at}[${index}]`, budget));
  };
}

function atMost(limit: Limit, check: (value: unknown, at: string, budget: Budget) => unknown[]): Check {
  return (value, at, budget) => {
    const elements = check(value, at, budget);
    if (elements.length > limit.maximum)
      refuse(at, `at most ${limit.maximum} are allowed, got ${elements.length}`, limit);
    return elements;
  };
}

function single(value: unknown, at: string, budget: Budget): unknown {
  budget.spend('values', 1);
  return scalar(value, at);
}

function scalar(value: unknown, at: string): string | number | boolean {
  if (typeof value === 'number' && !Number.isFinite(value)) refuse(at, 'expected a finite number');
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
    refuse(at, `expected a string, number or Boolean, got ${kindOf(value)}`);
  return value;
}

function string(value: unknown, at: string): string {
  if (typeof value !== 'string') refuse(at, `expected a string, got ${kindOf(value)}`);
  return value;
}

function boolean(value: unknown, at: string): boolean {
  if (typeof value !== 'boolean') refuse(at, `expected a Boolean, got ${kindOf(value)}`);
  return value;
}

function metadataKey(value: unknown, at: string): string {
  const key = string(value, at);
  if (key === '' || /[$.\0]/.test(key))
    refuse(at, 'expected a metadata key, which is not empty and holds no $, dot or NUL');
  return key;
}

function oneOf(...allowed: readonly string[]): (value: unknown, at: string) => string {
  return (value, at) => {
    if (typeof value !== 'string' || !allowed.includes(value)) refuse(at, `expected one of ${allowed.join(', ')}`);
    return value;
  };
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : typeof value;
}

function refuse(at: string, what: string, limit?: Limit): never {
  throw new AppError('BAD_USER_INPUT', `Bad filter at ${at}: ${what}`, { details: { path: at, ...limit } });
}
