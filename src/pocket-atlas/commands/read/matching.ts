import { compare } from '../../bson/compare.js';
import { decode } from '../../bson/decode.js';
import { typeName } from '../../bson/type.js';
import type { BsonValue, Doc } from '../../bson/values.js';
import { CommandError } from '../../errors.js';
import { compileFilter } from '../../query/filter.js';
import { fieldsOfFilter, partReader } from '../../query/needed-fields.js';
import { planFilter } from '../../query/plan.js';
import type { Plan, Predicate, QueryVariables } from '../../query/query.js';
import { compileSort } from '../../query/sort.js';
import type { CollectionInfo, IndexInfo, ReadView, RecordId, StoredRecord } from '../../storage/engine.js';
import { isDocument } from '../arguments.js';

/** A filter made ready for one collection: an index or a scan proposes records, the predicate decides. */
export interface Matching {
  readonly plan: Plan;
  readonly matches: Predicate;
  /** Every record matches: nothing has to be decoded to know. */
  readonly matchesAll: boolean;
  /** Reads of a record what `matches` looks at. */
  readonly readFor: (bytes: Uint8Array) => Doc;
}

export function compileMatching(
  collection: CollectionInfo,
  query: {
    readonly filter: Doc;
    readonly sort?: Doc | undefined;
    readonly hint?: BsonValue;
    readonly variables: QueryVariables;
  },
): Matching {
  const matches = compileFilter(query.filter, query.variables);
  const { indexes, natural } = hinted(collection, query.hint);
  const plan: Plan = natural === undefined ? planFilter(query.filter, query.sort, indexes) : { kind: 'scan' };
  const readFor = partReader(fieldsOfFilter(query.filter));
  return { plan, matches, matchesAll: Object.keys(query.filter).length === 0, readFor };
}

/** What the plan proposes; each record once. */
export function* proposals(
  view: ReadView,
  collection: CollectionInfo,
  plan: Plan,
  options: { readonly reverse?: boolean } = {},
): Generator<StoredRecord, void, void> {
  switch (plan.kind) {
    case 'scan':
      yield* view.scan(collection, options);
      return;
    case 'ids':
      for (const id of distinctIds(plan.ids)) {
        const record = view.findById(collection, id);
        if (record !== undefined) yield record;
      }
      return;
    case 'index':
      yield* proposedByIndex(view, collection, plan);
  }
}

function* proposedByIndex(
  view: ReadView,
  collection: CollectionInfo,
  plan: Extract<Plan, { kind: 'index' }>,
): Generator<StoredRecord, void, void> {
  // Only a multikey index, or overlapping ranges, can propose a record twice.
  const seen = plan.index.multikey || plan.ranges.length > 1 ? new Set<RecordId>() : undefined;
  for (const range of plan.ranges) {
    for (const recordId of view.scanIndex(collection, plan.index, range, { reverse: plan.reverse })) {
      if (seen !== undefined) {
        if (seen.has(recordId)) continue;
        seen.add(recordId);
      }
      const bytes = view.get(collection, recordId);
      if (bytes !== undefined) yield { recordId, bytes };
    }
  }
}

function distinctIds(ids: readonly BsonValue[]): readonly BsonValue[] {
  if (ids.length < 2) return ids;
  const sorted = [...ids].sort(compare);
  return sorted.filter((id, index) => index === 0 || compare(sorted[index - 1], id) !== 0);
}

export interface MatchedRecord {
  readonly recordId: RecordId;
  readonly bytes: Uint8Array;
  readonly doc: Doc;
}

/** The first record that matches, in the order of `sort` when there is one. */
export function firstMatch(
  view: ReadView,
  collection: CollectionInfo,
  matching: Matching,
  sort?: Doc,
): MatchedRecord | undefined {
  const order =
    sort === undefined ||
    Object.keys(sort).length === 0 ||
    (matching.plan.kind === 'index' && matching.plan.providesSort)
      ? undefined
      : compileSort(sort);
  let first: MatchedRecord | undefined;
  for (const { recordId, bytes } of proposals(view, collection, matching.plan)) {
    const doc = decode(bytes);
    if (!matching.matches(doc)) continue;
    if (order === undefined) return { recordId, bytes, doc };
    if (first === undefined || order(doc, first.doc) < 0) first = { recordId, bytes, doc };
  }
  return first;
}

/** @throws CommandError 2 for a hint that names no index. */
function hinted(
  collection: CollectionInfo,
  hint: BsonValue,
): { readonly indexes: readonly IndexInfo[]; readonly natural: 1 | -1 | undefined } {
  if (hint === undefined || hint === null) return { indexes: collection.indexes, natural: undefined };
  if (isDocument(hint)) {
    const names = Object.keys(hint);
    if (names.length === 0) return { indexes: collection.indexes, natural: undefined };
    if (names[0] === '$natural') return { indexes: [], natural: hint.$natural === -1 ? -1 : 1 };
  } else if (typeof hint !== 'string') {
    throw new CommandError(9, `Hint must be a string or an object, got ${typeName(hint)}`);
  }
  const index = collection.indexes.find(({ name, key }) => name === hint || (isDocument(hint) && sameKey(key, hint)));
  if (index === undefined) {
    throw new CommandError(
      2,
      `error processing query: ns=${collection.db}.${collection.name} planner returned error :: caused by :: hint provided does not correspond to an existing index`,
    );
  }
  return { indexes: [index], natural: undefined };
}

export function naturalOrder(hint: BsonValue, sort: Doc | undefined): 1 | -1 | undefined {
  const spec = isDocument(hint) && '$natural' in hint ? hint : sort;
  return spec !== undefined && '$natural' in spec ? (spec.$natural === -1 ? -1 : 1) : undefined;
}

function sameKey(key: IndexInfo['key'], hint: Doc): boolean {
  const [given, named] = [Object.entries(key), Object.entries(hint)];
  return (
    given.length === named.length &&
    given.every(([name, direction], at) => named[at]![0] === name && compare(direction, named[at]![1]) === 0)
  );
}
