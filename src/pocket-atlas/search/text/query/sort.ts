import type { BsonValue } from '../../../bson/values.js';
import { isDocument, plainNumber, readSpec, type SpecReader } from '../../spec-reader.js';
import type { Segment } from '../index/segment.js';
import { dateKey, exactKey, numberKey } from '../mapping.js';

/** One key of `sort`. `path` null: the score. */
export interface SortField {
  readonly path: string | null;
  readonly order: 1 | -1;
  readonly noData: 'lowest' | 'highest';
}

export function readSort(parent: SpecReader): SortField[] | null {
  const spec = parent.optionalDocument('sort');
  if (spec === undefined) return null;
  return Object.entries(spec.doc).map(([name, value]) => readSortField(spec, name, value));
}

function readSortField(spec: SpecReader, name: string, value: BsonValue): SortField {
  if (!isDocument(value)) return { path: name, order: orderOf(spec, name, value), noData: 'lowest' };
  const inner = readSpec(value, `${spec.path}.${name}`);
  inner.only('$meta', 'order', 'noData');
  const meta = inner.optionalString('$meta');
  if (meta !== undefined && meta !== 'searchScore') inner.fail('$meta', 'must be one of [searchScore]');
  // a score sorts best first unless told otherwise
  const order = value.order === undefined ? (meta === undefined ? 1 : -1) : orderOf(inner, 'order', value.order);
  return {
    path: meta === undefined ? name : null,
    order,
    noData: inner.optionalOneOf('noData', ['lowest', 'highest']) ?? 'lowest',
  };
}

function orderOf(spec: SpecReader, field: string, value: BsonValue): 1 | -1 {
  const number = plainNumber(value);
  return number === 1 || number === -1 ? number : spec.fail(field, 'must be one of [1, -1]');
}

/** A sortable value: numbers before strings before ids before Booleans before dates, as BSON orders them. */
export type SortValue = readonly [type: number, value: number | string];
export type SortColumn = readonly (SortValue | undefined)[];

const EXACT_RANKS: Readonly<Record<string, number>> = { z: 5, s: 15, u: 30, o: 35, b: 40 };
const NUMBER_RANK = 10;
const DATE_RANK = 45;

const columns = new WeakMap<Segment, Map<string, SortColumn>>();

/** For each row the smallest (ascending) or largest value at a path. Made once per segment and direction. */
export function sortColumn(segment: Segment, path: string, order: 1 | -1): SortColumn {
  const bySpec = columns.get(segment) ?? new Map<string, SortColumn>();
  columns.set(segment, bySpec);
  const name = `${order}${path}`;
  const column = bySpec.get(name) ?? makeColumn(segment, path, order);
  bySpec.set(name, column);
  return column;
}

function makeColumn(segment: Segment, path: string, order: 1 | -1): SortColumn {
  const column = new Array<SortValue | undefined>(segment.rowCount).fill(undefined);
  const offer = (row: number, value: SortValue): void => {
    const known = column[row];
    if (known === undefined || compareSortValues(value, known) * order < 0) column[row] = value;
  };
  for (const [key, rank] of [
    [numberKey(path), NUMBER_RANK],
    [dateKey(path), DATE_RANK],
  ] as const) {
    const field = segment.numeric.get(key);
    field?.rows.forEach((row, i) => {
      offer(row, [rank, field.values[i]!]);
    });
  }
  const exact = segment.exact.get(exactKey(path));
  for (let ordinal = 0; ordinal < (exact?.dictionary.size ?? 0); ordinal++) {
    const term = exact!.dictionary.term(ordinal);
    const value: SortValue = [EXACT_RANKS[term[0]!] ?? 100, term.slice(1)];
    for (let i = exact!.postingStarts[ordinal]!; i < exact!.postingStarts[ordinal + 1]!; i++)
      offer(exact!.rows[i]!, value);
  }
  return column;
}

export function compareSortValues(a: SortValue, b: SortValue): number {
  if (a[0] !== b[0]) return a[0] - b[0];
  return a[1] < b[1] ? -1 : a[1] > b[1] ? 1 : 0;
}
