import { SearchFailure } from '../../search-failure.js';
import type { Segment } from '../index/segment.js';
import type { Matches } from './evaluate.js';
import { compareSortValues, type SortColumn, type SortField, type SortValue, sortColumn } from './sort.js';

/** A match in its place. `values` only when sorted by fields. */
export interface Ranked {
  readonly recordId: number;
  readonly score: number;
  readonly values: readonly (SortValue | undefined)[];
}

/** Pages that end before this are selected; a later one sorts everything. */
const SELECT_AT_MOST = 1_000;

/**
 * All matches of a query in order: by score, best first, or by the sort fields; ties by insertion. Pages are taken
 * lazily, since a stage is mostly followed by a small `$limit`: the first is selected without sorting the rest.
 */
export class Ranking {
  readonly length: number;
  private readonly results: readonly Result[];
  private readonly sort: readonly SortField[] | null;
  private sorted: readonly Ranked[] | undefined;

  constructor(results: readonly Result[], sort: readonly SortField[] | null) {
    this.results = results;
    this.sort = sort;
    this.length = results.reduce((sum, { matches }) => sum + matches.rows.count(), 0);
  }

  /** Matches `from` up to `to` in order. */
  slice(from: number, to: number): readonly Ranked[] {
    const selects = this.sorted === undefined && to <= SELECT_AT_MOST && this.length > 4 * to;
    if (!selects) return this.all().slice(from, to);
    const best = this.sort === null ? bestByScore(this.results, to) : bestBySort(this.results, this.sort, to);
    return best.slice(from, to);
  }

  /** What comes behind the place that a token names, or before it, from the nearest outwards. */
  resume(token: string, side: 'after' | 'before'): readonly Ranked[] {
    const place = readToken(token, this.sort);
    const compare = comparator(this.sort);
    const kept = this.all().filter((entry) =>
      side === 'after' ? compare(entry, place) > 0 : compare(entry, place) < 0,
    );
    return side === 'after' ? kept : kept.reverse();
  }

  private all(): readonly Ranked[] {
    this.sorted ??= this.results.flatMap((result) => rankedRows(result, this.sort)).sort(comparator(this.sort));
    return this.sorted;
  }
}

export interface Result {
  readonly segment: Segment;
  readonly matches: Matches;
}

const NO_VALUES: readonly never[] = [];

/**
 * The best by score without an object for every match: a common word matches most of an index, and nearly all of its rows
 * fail the one comparison with the worst that is kept.
 */
function bestByScore(results: readonly Result[], count: number): Ranked[] {
  const list: Ranked[] = [];
  let worst = Number.NEGATIVE_INFINITY;
  for (const { segment, matches } of results) {
    const { words } = matches.rows;
    for (let i = 0; i < words.length; i++) {
      for (let word = words[i]!; word !== 0; word &= word - 1) {
        const row = (i << 5) + 31 - Math.clz32(word & -word);
        const score = matches.scores === null ? 0 : matches.scores[row]!;
        if (score < worst) continue;
        insert(list, { recordId: segment.recordIds[row]!, score, values: NO_VALUES }, byScore);
        if (list.length > count) list.pop();
        if (list.length === count) worst = list[count - 1]!.score;
      }
    }
  }
  return list;
}

/** The same by sort fields. */
function bestBySort(results: readonly Result[], sort: readonly SortField[], count: number): Ranked[] {
  const list: Ranked[] = [];
  const compare = comparator(sort);
  for (const { segment, matches } of results) {
    const valuesOf = sortValues(segment, matches, sort);
    for (const row of matches.rows.rows()) {
      const score = matches.scores === null ? 0 : matches.scores[row]!;
      const entry: Ranked = { recordId: segment.recordIds[row]!, score, values: valuesOf(row) };
      if (list.length === count && compare(entry, list[count - 1]!) >= 0) continue;
      insert(list, entry, compare);
      if (list.length > count) list.pop();
    }
  }
  return list;
}

function insert(list: Ranked[], entry: Ranked, compare: (a: Ranked, b: Ranked) => number): void {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compare(list[middle]!, entry) < 0) low = middle + 1;
    else high = middle;
  }
  list.splice(low, 0, entry);
}

function rankedRows(result: Result, sort: readonly SortField[] | null): Ranked[] {
  const { segment, matches } = result;
  const rows = matches.rows.rows();
  const valuesOf = sort === null ? () => NO_VALUES : sortValues(segment, matches, sort);
  return Array.from(rows, (row) => ({
    recordId: segment.recordIds[row]!,
    score: matches.scores === null ? 0 : matches.scores[row]!,
    values: valuesOf(row),
  }));
}

function comparator(sort: readonly SortField[] | null): (a: Ranked, b: Ranked) => number {
  return sort === null ? byScore : (a, b) => bySort(a, b, sort);
}

/** What a row is sorted by. */
function sortValues(
  segment: Segment,
  { scores }: Matches,
  sort: readonly SortField[],
): (row: number) => Ranked['values'] {
  const columns: readonly (SortColumn | null)[] = sort.map(({ path, order }) =>
    path === null ? null : sortColumn(segment, path, order),
  );
  return (row) =>
    columns.map((column) => (column === null ? ([0, scores === null ? 0 : scores[row]!] as const) : column[row]));
}

function byScore(a: Ranked, b: Ranked): number {
  return b.score - a.score || a.recordId - b.recordId;
}

function bySort(a: Ranked, b: Ranked, sort: readonly SortField[]): number {
  for (let i = 0; i < sort.length; i++) {
    const { order, noData } = sort[i]!;
    const result = compareWithMissing(a.values[i], b.values[i], noData === 'lowest' ? -1 : 1);
    if (result !== 0) return result * order;
  }
  return a.recordId - b.recordId;
}

/** `missing`: where a row without a value stands, -1 below all and 1 above. */
function compareWithMissing(a: SortValue | undefined, b: SortValue | undefined, missing: -1 | 1): number {
  if (a === undefined) return b === undefined ? 0 : missing;
  return b === undefined ? -missing : compareSortValues(a, b);
}

/** `searchSequenceToken`: the place of a hit, to go on after or before it with the same query and sort. */
export function sequenceToken({ recordId, score, values }: Ranked): string {
  return Buffer.from(JSON.stringify([recordId, score, values.map((value) => value ?? null)])).toString('base64');
}

function readToken(token: string, sort: readonly SortField[] | null): Ranked {
  const place = parseToken(token);
  if (place === undefined || place.values.length !== (sort?.length ?? 0)) {
    throw new SearchFailure('The pagination token is not one of this query and sort');
  }
  return place;
}

function parseToken(token: string): Ranked | undefined {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(token, 'base64').toString());
    if (!Array.isArray(parsed) || typeof parsed[0] !== 'number' || typeof parsed[1] !== 'number') return undefined;
    const values = parsed[2] as unknown;
    if (!Array.isArray(values) || !values.every((value) => value === null || isSortValue(value))) return undefined;
    return {
      recordId: parsed[0],
      score: parsed[1],
      values: values.map((value) => (value as SortValue | null) ?? undefined),
    };
  } catch {
    // not JSON: somebody else's token
    return undefined;
  }
}

function isSortValue(value: unknown): value is SortValue {
  return Array.isArray(value) && typeof value[0] === 'number' && ['number', 'string'].includes(typeof value[1]);
}
