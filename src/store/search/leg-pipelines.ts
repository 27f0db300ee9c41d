import { Binary, type Document } from 'mongodb';
import { analyzerOf } from '../../analyzers.js';
import type { SearchFilter } from '../filter.js';
import type { FilterKeys } from '../filter-mql.js';
import type { Scope } from '../scope.js';
import { scopeFilter } from '../scope-filter.js';
import { embeddingPath, TEXT_INDEX, vectorIndexName } from '../search-index-definitions.js';
import { toPredicate } from './predicate.js';
import { queryTerms } from './query-terms.js';
import type { FreshQuery, Leg, PreparedFilter, TextLeg, TextQuery, VectorLeg } from './search-store.js';
import { toTextFilter } from './text-filter.js';
import { toVectorFilter } from './vector-filter.js';

/** The pipelines of a search, as pure data. They return ids and scores: text is read by re-validation only. */
export interface PipelineContext {
  readonly keys: FilterKeys;
  /** The `multi` analyzers that the text index has. */
  readonly analyzers: readonly string[];
}

export function legPipeline(context: PipelineContext, scope: Scope, leg: Leg, fresh?: FreshQuery): Document[] {
  const search =
    leg.kind === 'VECTOR'
      ? [vectorStage(context, scope, leg), project('vectorSearchScore')]
      : [textStage(context, scope, leg), { $limit: leg.limit }, project('searchScore')];
  return fresh === undefined ? search : [...search, withFresh(scope, fresh)];
}

/** Rows without a score, behind the hits. One more than the limit, so that "too many" can be told. */
function withFresh(scope: Scope, { since, limit }: FreshQuery): Document {
  return {
    $unionWith: {
      coll: CHUNKS,
      pipeline: [
        { $match: { ...scopeFilter(scope), written_at: { $gte: since } } },
        { $limit: limit + 1 },
        { $project: { _id: 1 } },
      ],
    },
  };
}

const CHUNKS = 'chunks';

function project(score: 'vectorSearchScore' | 'searchScore'): Document {
  return { $project: { _id: 1, score: { $meta: score } } };
}

export function vectorStage(context: PipelineContext, scope: Scope, leg: VectorLeg): Document {
  return {
    $vectorSearch: {
      index: vectorIndexName(leg.space.id),
      path: embeddingPath(leg.space.id),
      queryVector: Binary.fromFloat32Array(leg.vector),
      // The server wants exactly one of the two ways to say how thorough it shall be.
      ...(leg.numCandidates === null ? { exact: true } : { exact: false, numCandidates: leg.numCandidates }),
      limit: leg.limit,
      filter: toVectorFilter(scope, predicateOf(context, leg.filter)),
    },
  };
}

export function textStage(context: PipelineContext, scope: Scope, leg: TextLeg): Document {
  return {
    $search: {
      index: TEXT_INDEX,
      compound: {
        must: [matchText(context, leg.query)],
        filter: toTextFilter(scope, predicateOf(context, leg.filter)),
      },
    },
  };
}

/**
 * What a word counts in its exact form beside its stem. It decides among passages that hold the same stems; more of it
 * makes stop words count (measured on the sets of docs/EVALUATION.md: 0, 0.3 and 1).
 */
const EXACT_FORM_BOOST = 0.3;

/** Any word of the query, as the query's language's analyzer has it, and as the standard analyzer has it. */
export function matchText(context: PipelineContext, query: TextQuery): Document {
  const paths = textPaths(context, query);
  const terms = queryTerms(query.text, paths.length);
  const [exact, inLanguage] = paths;
  if (inLanguage === undefined) return { text: { query: terms, path: exact } };
  const boosted = { query: terms, path: exact, score: { boost: { value: EXACT_FORM_BOOST } } };
  return { compound: { should: [{ text: { query: terms, path: inLanguage } }, { text: boosted }] } };
}

/** The standard analyzer's path, and the language's where there is one. */
export function textPaths(context: PipelineContext, query: TextQuery): [string, Document?] {
  const analyzer = textAnalyzer(context, query);
  return analyzer === null ? ['text'] : ['text', { value: 'text', multi: analyzer }];
}

/** The analyzer of the query's language, where the index has it. */
export function textAnalyzer(context: Pick<PipelineContext, 'analyzers'>, query: TextQuery): string | null {
  const analyzer = query.language === null ? assumedLanguage(context) : analyzerOf(query.language);
  return analyzer !== null && context.analyzers.includes(analyzer) ? analyzer : null;
}

/**
 * One or two words often do not tell their language: then it is taken for the first of the index's. Words of another one are
 * found in their exact form, as they would be without.
 */
function assumedLanguage({ analyzers }: Pick<PipelineContext, 'analyzers'>): string | null {
  return analyzers.find((name) => name !== 'cjk' && name !== 'thai') ?? null;
}

/**
 * `$rankFusion` of both legs, in the order of reciprocal-rank fusion in process: name order is the order of ties there,
 * and `_id` the last word in both. https://www.mongodb.com/docs/manual/reference/operator/aggregation/rankFusion/
 */
export function rankFusionPipeline(
  context: PipelineContext,
  scope: Scope,
  legs: { readonly vector: VectorLeg; readonly text: TextLeg },
  weights: { readonly vector: number; readonly text: number },
  limit: number,
): Document[] {
  return [
    {
      $rankFusion: {
        input: {
          pipelines: {
            text: [textStage(context, scope, legs.text), { $limit: legs.text.limit }],
            vector: [vectorStage(context, scope, legs.vector)],
          },
        },
        combination: { weights: { text: weights.text, vector: weights.vector } },
      },
    },
    { $limit: limit },
    { $project: { _id: 1, score: { $meta: 'score' } } },
  ];
}

/** A filter that comes down to few documents is sent as their ids, which both languages say exactly. */
function predicateOf(context: PipelineContext, { filter, documentIds, except = [] }: PreparedFilter) {
  if (documentIds !== null) return toPredicate({ ids: documentIds }, context.keys);
  if (except.length === 0) return toPredicate(filter, context.keys);
  const others: SearchFilter = { not: { ids: [...except] } };
  return toPredicate(filter === undefined ? others : { and: [filter, others] }, context.keys);
}
