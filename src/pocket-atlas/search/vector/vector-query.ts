import { typeName } from '../../bson/type.js';
import type { BsonValue, Doc } from '../../bson/values.js';
import { CommandError } from '../../errors.js';
import { compileFilter } from '../../query/filter.js';
import { parseFilter } from '../filter/filter-language.js';
import type { FilterNode } from '../filter/filter-node.js';
import { SearchFailure } from '../search-failure.js';
import { isDocument, plainNumber, readSpec, type SpecReader } from '../spec-reader.js';
import { javaTypeName, parseQueryVector, type VectorValue } from './vector-value.js';

/** A parsed `$vectorSearch`; what needs the index to be judged is left to `checkAgainst` (vector-checks.ts). */
export interface VectorQuery {
  readonly index: string;
  readonly path: string;
  /** undefined: the query is a text, which an index of given vectors cannot take. */
  readonly vector: VectorValue | undefined;
  readonly limit: number;
  /** null: exact. */
  readonly numCandidates: number | null;
  readonly filter: FilterNode;
  readonly parentFilter: FilterNode;
  readonly asksForNested: boolean;
  readonly asksForExplain: boolean;
  readonly asksForStoredSource: boolean;
}

export const MAX_CANDIDATES = 10_000;

/** mongod's own checks, in its order (ATLAS.md §1.1). */
export function checkVectorStage(spec: BsonValue): Doc {
  if (!isDocument(spec)) {
    throw new CommandError(9, `$vectorSearch value must be an object. Found: ${typeName(spec)}`);
  }
  const limit = plainNumber(spec.limit);
  if (limit === undefined) throw new CommandError(8575100, 'Expected limit field to be a number in $vectorSearch');
  if (!(limit > 0)) throw new CommandError(7912700, 'Expected limit to be positive');
  // Whether it means anything in MQL; what Atlas Search makes of it is another matter.
  if (isDocument(spec.filter)) compileFilter(spec.filter, { now: new Date(0), vars: {} });
  return spec;
}

/**
 * mongot's checks of the stage alone (ATLAS.md §1.3, §1.4). Unknown fields are tolerated, as there.
 * @throws SearchFailure
 */
export function parseVectorQuery(doc: Doc): VectorQuery {
  const spec = readSpec(doc);
  const index = spec.string('index');
  if (index === '') spec.fail('index', 'cannot be empty');
  const path = spec.string('path');
  const limit = spec.integer('limit');
  const vector = parseInput(spec);
  const numCandidates = parseCandidates(spec, limit);
  const nested = spec.optionalDocument('nestedOptions');
  if (nested !== undefined) checkNestedOptions(nested);
  spec.optionalDocument('searchNodePreference')?.string('key');
  return {
    index,
    path,
    vector,
    limit,
    numCandidates,
    filter: parseOptionalFilter(doc, 'filter'),
    parentFilter: parseOptionalFilter(doc, 'parentFilter'),
    asksForNested: nested !== undefined,
    asksForExplain: spec.optionalDocument('explainOptions') !== undefined,
    asksForStoredSource: spec.boolean('returnStoredSource', false),
  };
}

function parseInput(spec: SpecReader): VectorValue | undefined {
  const query = spec.doc.query ?? undefined;
  const queryVector = spec.doc.queryVector ?? undefined;
  if ((query === undefined) === (queryVector === undefined)) {
    throw new SearchFailure('Exactly one and only one of query and queryVector can be present');
  }
  const model = spec.optionalString('model');
  if (queryVector !== undefined) {
    if (model !== undefined) {
      throw new SearchFailure(
        "model can only be specified when using 'query' for auto-embedding, not with 'queryVector'",
      );
    }
    return parseQueryVector(queryVector);
  }
  if (isDocument(query)) readSpec(query, 'query').string('text');
  else if (typeof query !== 'string') {
    throw new SearchFailure(`query must be a string or document, but got ${javaTypeName(query)}`);
  }
  return undefined;
}

function parseCandidates(spec: SpecReader, limit: number): number | null {
  const exact = spec.boolean('exact', false);
  const numCandidates = spec.optionalIntegerWithin('numCandidates', 1, MAX_CANDIDATES);
  if (exact) {
    if (numCandidates !== undefined) spec.fail('numCandidates', 'must be omitted when "exact" is set to true');
    return null;
  }
  if (numCandidates === undefined) {
    throw new SearchFailure('numCandidates is required for approximate vector search');
  }
  if (limit > numCandidates) throw new SearchFailure('limit should be less than or equal to numCandidates');
  return numCandidates;
}

function checkNestedOptions(options: SpecReader): void {
  options.only('scoreMode');
  const mode = options.optionalString('scoreMode') ?? 'max';
  if (mode !== 'max' && mode !== 'avg') {
    throw new SearchFailure(`scoreMode: "${mode}" is not supported. Accepted values are "max" or "avg"`);
  }
}

function parseOptionalFilter(doc: Doc, field: 'filter' | 'parentFilter'): FilterNode {
  const filter = doc[field] ?? undefined;
  return filter === undefined ? { op: 'all' } : parseFilter(filter, field);
}
