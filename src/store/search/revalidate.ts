import type { Document, ObjectId } from 'mongodb';
import type { Database } from '../database.js';
import type { FilterKeys } from '../filter-mql.js';
import { parseObjectIds } from '../object-id.js';
import { OWN_TEXT_FIELDS, ownText } from '../own-text.js';
import { CHUNK_FIELDS, chunkRecord } from '../row-records.js';
import type { ChunkRow, DocumentRow } from '../rows.js';
import type { Scope } from '../scope.js';
import { scopeFilter } from '../scope-filter.js';
import { isLive } from '../visibility.js';
import { callOptions, withinBudget } from './budget.js';
import { matches } from './matches.js';
import type { Budget, PreparedFilter, Revalidated } from './search-store.js';

type Row = Pick<ChunkRow, '_id' | keyof typeof CHUNK_FIELDS | 'from_version' | 'to_version'> & {
  text?: string | null;
  text_start?: number;
  document: Pick<DocumentRow, '_id' | 'version' | 'agent_ids' | 'filterable'>[];
};

/**
 * The last word on every hit: one aggregate with read concern snapshot, so chunks and documents are of one moment. An
 * index that lags behind can propose what it likes; only a live chunk of a document that is in scope and passes the
 * filter *now*, by the document's own agents and metadata, comes out as LIVE.
 */
export async function revalidate(
  database: Database,
  keys: FilterKeys,
  scope: Scope,
  chunkIds: readonly string[],
  filter: PreparedFilter,
  withText: ReadonlySet<string>,
  budget: Budget,
): Promise<ReadonlyMap<string, Revalidated>> {
  if (chunkIds.length === 0) return new Map();
  const pipeline = revalidationPipeline(scope, chunkIds, filter.keys, withText);
  const { maxTimeMS, signal } = callOptions(budget);
  const rows = await withinBudget(budget, () =>
    database.snapshotChunks.aggregate<Row>(pipeline, { maxTimeMS, signal, batchSize: chunkIds.length + 1 }).toArray(),
  );
  const states = new Map<string, Revalidated>(chunkIds.map((id) => [id, GONE]));
  for (const row of rows) {
    const document = row.document[0];
    if (document !== undefined) states.set(row._id.toHexString(), judge(row, document, filter, keys));
  }
  return states;
}

const GONE: Revalidated = { state: 'STALE', chunk: null };

function judge(row: Row, document: Row['document'][number], filter: PreparedFilter, keys: FilterKeys): Revalidated {
  const chunk = chunkRecord(row);
  if (!isLive(row, document.version)) return { state: 'STALE', chunk };
  const passes =
    filter.filter === undefined ||
    matches(
      filter.filter,
      { id: chunk.documentId, agentIds: document.agent_ids, metadata: document.filterable ?? {} },
      keys,
    );
  return passes
    ? { state: 'LIVE', chunk, text: row.text == null ? null : ownText({ ...row, text: row.text }) }
    : { state: 'OUT_OF_FILTER', chunk };
}

/**
 * Pure. Brings of the documents what the filter looks at, of the chunks everything but vectors. Rows are cut down before
 * the join, and the join is a plain equality, which a server does for all rows at once.
 */
export function revalidationPipeline(
  scope: Scope,
  chunkIds: readonly string[],
  keys: readonly string[],
  withText: ReadonlySet<string>,
): Document[] {
  const chunkFields = { ...CHUNK_FIELDS, from_version: 1, to_version: 1 };
  const documentFields = ['version', 'agent_ids', ...keys.map((key) => `filterable.${key}`)];
  return [
    { $match: { _id: { $in: parseObjectIds(chunkIds) }, owner: scope.owner } },
    { $project: { ...chunkFields, ...(withText.size > 0 && { text: textOf(chunkIds, withText), text_start: 1 }) } },
    { $lookup: { from: 'documents', localField: 'document_id', foreignField: '_id', as: 'document' } },
    { $match: { document: { $elemMatch: scopeFilter(scope) } } },
    {
      $project: {
        ...chunkFields,
        ...OWN_TEXT_FIELDS,
        ...Object.fromEntries(documentFields.map((field) => [`document.${field}`, 1])),
      },
    },
  ];
}

function textOf(chunkIds: readonly string[], withText: ReadonlySet<string>): Document | number {
  const ids: ObjectId[] = parseObjectIds(chunkIds.filter((id) => withText.has(id)));
  return ids.length === chunkIds.length ? 1 : { $cond: [{ $in: ['$_id', ids] }, '$text', null] };
}
