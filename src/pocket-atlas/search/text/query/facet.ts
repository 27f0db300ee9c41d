import { Long } from 'bson';
import type { BsonValue, Doc } from '../../../bson/values.js';
import { plainNumber, type SpecReader } from '../../spec-reader.js';
import type { Segment } from '../index/segment.js';
import { dateKey, exactKey, numberKey } from '../mapping.js';
import type { Matches } from './evaluate.js';

/** Buckets of `$searchMeta`'s facet collector. Source: MongoDB manual, "facet (Atlas Search Collector)". */
export type FacetSpec =
  | { readonly name: string; readonly type: 'string'; readonly path: string; readonly numBuckets: number }
  | {
      readonly name: string;
      readonly type: 'number' | 'date';
      readonly path: string;
      /** Ascending; bucket i holds boundaries[i] ≤ value < boundaries[i + 1]. Numbers, or ms for dates. */
      readonly boundaries: readonly number[];
      readonly default: string | null;
    };

export function readFacets(collector: SpecReader): FacetSpec[] {
  const facets = collector.optionalDocument('facets') ?? collector.fail('facets', 'is required');
  const names = Object.keys(facets.doc);
  if (names.length === 0) collector.fail('facets', 'cannot be empty');
  return names.map((name) => readFacet(name, facets));
}

function readFacet(name: string, parent: SpecReader): FacetSpec {
  const spec = parent.optionalDocument(name) ?? parent.fail(name, 'is required');
  const type = spec.oneOf('type', ['string', 'number', 'date']);
  const path = spec.string('path');
  if (type === 'string') {
    spec.only('type', 'path', 'numBuckets');
    return { name, type, path, numBuckets: spec.optionalIntegerWithin('numBuckets', 1, 1_000) ?? 10 };
  }
  spec.only('type', 'path', 'boundaries', 'default');
  const values = spec.optionalArray('boundaries') ?? spec.fail('boundaries', 'is required');
  const boundaries = values.map((value) => boundary(spec, type, value));
  if (boundaries.length < 2) spec.fail('boundaries', 'must have at least two elements');
  if (boundaries.some((value, i) => i > 0 && value <= boundaries[i - 1]!))
    spec.fail('boundaries', 'must be in ascending order');
  return { name, type, path, boundaries, default: spec.optionalString('default') ?? null };
}

function boundary(spec: SpecReader, type: 'number' | 'date', value: BsonValue): number {
  const number = type === 'date' ? (value instanceof Date ? value.getTime() : undefined) : plainNumber(value);
  return number ?? spec.fail('boundaries', `must hold ${type}s`);
}

export function countFacet(facet: FacetSpec, results: readonly { segment: Segment; matches: Matches }[]): Doc {
  return { buckets: facet.type === 'string' ? stringBuckets(facet, results) : rangeBuckets(facet, results) };
}

function stringBuckets(
  { path, numBuckets }: { path: string; numBuckets: number },
  results: readonly { segment: Segment; matches: Matches }[],
): Doc[] {
  const counts = new Map<string, number>();
  for (const { segment, matches } of results) {
    const field = segment.exact.get(exactKey(path));
    if (field === undefined) continue;
    const { start, end } = field.dictionary.prefixRange('s');
    for (let ordinal = start; ordinal < end; ordinal++) {
      let count = 0;
      for (let i = field.postingStarts[ordinal]!; i < field.postingStarts[ordinal + 1]!; i++) {
        if (matches.rows.has(field.rows[i]!)) count++;
      }
      const term = field.dictionary.term(ordinal).slice(1);
      if (count > 0) counts.set(term, (counts.get(term) ?? 0) + count);
    }
  }
  return Array.from(counts)
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .slice(0, numBuckets)
    .map(([value, count]) => ({ _id: value, count: Long.fromNumber(count) }));
}

function rangeBuckets(
  facet: { type: 'number' | 'date'; path: string; boundaries: readonly number[]; default: string | null },
  results: readonly { segment: Segment; matches: Matches }[],
): Doc[] {
  const { boundaries } = facet;
  const counts = new Array<number>(boundaries.length - 1).fill(0);
  let others = 0;
  for (const { segment, matches } of results) {
    const field = segment.numeric.get(facet.type === 'number' ? numberKey(facet.path) : dateKey(facet.path));
    const seen = new Set<number>();
    field?.rows.forEach((row, i) => {
      if (!matches.rows.has(row)) return;
      const value = field.values[i]!;
      const bucket = boundaries.findLastIndex((bound) => value >= bound);
      if (bucket < 0 || bucket >= counts.length) return;
      counts[bucket]!++;
      seen.add(row);
    });
    others += matches.rows.count() - seen.size;
  }
  const id = (value: number): BsonValue => (facet.type === 'date' ? new Date(value) : value);
  const buckets: Doc[] = counts.map((count, i) => ({ _id: id(boundaries[i]!), count: Long.fromNumber(count) }));
  if (facet.default !== null) buckets.push({ _id: facet.default, count: Long.fromNumber(others) });
  return buckets;
}
