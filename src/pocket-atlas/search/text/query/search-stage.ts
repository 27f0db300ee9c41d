import type { Doc } from '../../../bson/values.js';
import { SearchFailure } from '../../search-failure.js';
import { isDocument, readSpec, type SpecReader } from '../../spec-reader.js';
import { type FacetSpec, readFacets } from './facet.js';
import { type HighlightSpec, readHighlight } from './highlight.js';
import type { Node } from './node.js';
import { OPERATOR_NAMES, operatorOf, parseOperator } from './parse-operator.js';
import type { QueryContext } from './paths.js';
import { readSort, type SortField } from './sort.js';

/** A `$search` or `$searchMeta` stage after parsing. */
export interface SearchStage {
  readonly root: Node;
  readonly facets: readonly FacetSpec[];
  readonly count: { readonly type: 'lowerBound' | 'total'; readonly threshold: number };
  readonly highlight: HighlightSpec | null;
  readonly sort: readonly SortField[] | null;
  readonly after: string | null;
  readonly before: string | null;
}

const OPTIONS = [
  'index',
  'count',
  'highlight',
  'sort',
  'searchAfter',
  'searchBefore',
  'returnStoredSource',
  'returnScope',
  'scoreDetails',
  'tracking',
  'concurrent',
  'searchNodePreference',
];

/** The index that a stage names. @throws SearchFailure */
export function indexOfStage(spec: Doc): string {
  return readSpec(spec).optionalString('index') ?? 'default';
}

/** @throws SearchFailure with Atlas's text, in its order: fields, operator or collector, options. */
export function parseSearchStage(doc: Doc, context: QueryContext): SearchStage {
  const spec = readSpec(doc);
  const operator = operatorOf(doc);
  spec.only(...OPTIONS, ...OPERATOR_NAMES, 'facet');
  const { root, facets } = readQuery(spec, operator, context);
  refuseUnbuilt(spec);
  const count = spec.optionalDocument('count');
  count?.only('type', 'threshold');
  const after = spec.optionalString('searchAfter') ?? null;
  const before = spec.optionalString('searchBefore') ?? null;
  if (after !== null && before !== null)
    throw new SearchFailure('only one of [searchAfter, searchBefore] may be present');
  return {
    root,
    facets,
    count: {
      type: count?.optionalOneOf('type', ['lowerBound', 'total']) ?? 'lowerBound',
      threshold: count?.optionalIntegerWithin('threshold', 0, 2 ** 31 - 1) ?? 1_000,
    },
    highlight: readHighlight(spec, context),
    sort: readSort(spec),
    after,
    before,
  };
}

function readQuery(
  spec: SpecReader,
  operator: string | undefined,
  context: QueryContext,
): { root: Node; facets: FacetSpec[] } {
  const collector = spec.doc.facet;
  if (collector === undefined) {
    if (operator === undefined) {
      throw new SearchFailure(
        `Query should contain either an operator [${OPERATOR_NAMES.join(', ')}] or a collector [facet]`,
      );
    }
    return { root: parseOperator(spec.doc, '', context), facets: [] };
  }
  if (operator !== undefined) throw new SearchFailure('Top-level operator is not allowed to be used with collector');
  if (!isDocument(collector)) spec.fail('facet', 'must be a document');
  const facet = readSpec(collector as Doc, 'facet');
  facet.only('operator', 'facets');
  const inner = facet.optionalDocument('operator');
  const root: Node = inner === undefined ? { kind: 'all' } : parseOperator(inner.doc, 'facet.operator', context);
  return { root, facets: readFacets(facet) };
}

function refuseUnbuilt(spec: SpecReader): void {
  if (spec.boolean('returnStoredSource', false))
    throw new SearchFailure('storedSource is not configured for this index.');
  if (spec.boolean('scoreDetails', false)) spec.fail('scoreDetails', 'is not supported by this server');
  if (spec.doc.returnScope !== undefined) spec.fail('returnScope', 'is not supported by this server');
}
