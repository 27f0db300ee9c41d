import type { Document, ObjectId } from 'mongodb';
import type { Database } from '../database.js';
import { parseObjectIds } from '../object-id.js';
import type { Scope } from '../scope.js';
import { TEXT_INDEX } from '../search-index-definitions.js';
import { callOptions, withinBudget } from './budget.js';
import { matchText, type PipelineContext, textPaths } from './leg-pipelines.js';
import type { Budget, Passage, TextQuery } from './search-store.js';
import { toTextFilter } from './text-filter.js';

/** Passages of one chunk at most. */
const MAX_PASSAGES = 3;

interface Highlight {
  readonly score: number;
  readonly texts: readonly { readonly value: string; readonly type: 'hit' | 'text' }[];
}

/**
 * Marks the matched words of the hits that are shown, by a second small `$search` over their ids: marking every
 * candidate of the leg would cost more than the search itself.
 */
export async function readHighlights(
  database: Database,
  context: PipelineContext,
  scope: Scope,
  query: TextQuery,
  chunkIds: readonly string[],
  budget: Budget,
): Promise<ReadonlyMap<string, readonly Passage[]>> {
  if (chunkIds.length === 0) return new Map();
  const { maxTimeMS, signal } = callOptions(budget);
  const pipeline = highlightPipeline(context, scope, query, chunkIds);
  const rows = await withinBudget(budget, () =>
    database.searchChunks
      .aggregate<{ _id: ObjectId; highlights?: Highlight[] }>(pipeline, { maxTimeMS, signal })
      .toArray(),
  );
  return new Map(
    rows.map((row) => [
      row._id.toHexString(),
      (row.highlights ?? []).map(({ score, texts }) => ({
        score,
        pieces: texts.map(({ value, type }) => ({ value, isHit: type === 'hit' })),
      })),
    ]),
  );
}

export function highlightPipeline(
  context: PipelineContext,
  scope: Scope,
  query: TextQuery,
  chunkIds: readonly string[],
): Document[] {
  const path = textPaths(context, query).at(-1)!;
  const isOneOf = { in: { path: '_id', value: parseObjectIds(chunkIds) } };
  return [
    {
      $search: {
        index: TEXT_INDEX,
        compound: {
          must: [matchText(context, query)],
          filter: [...toTextFilter(scope, { kind: 'all' }), isOneOf],
        },
        highlight: { path, maxNumPassages: MAX_PASSAGES },
      },
    },
    { $limit: chunkIds.length },
    { $project: { _id: 1, highlights: { $meta: 'searchHighlights' } } },
  ];
}
