import type { Document } from 'mongodb';
import type { Database } from '../database.js';
import type { SearchFilter } from '../filter.js';
import { documentFilterMql, type FilterKeys } from '../filter-mql.js';
import { hasMongoCode, MONGO_CODE } from '../mongo-errors.js';
import { parseObjectIds } from '../object-id.js';
import type { DocumentRow } from '../rows.js';
import type { Scope } from '../scope.js';
import { inScope } from '../scope-filter.js';
import { normalizeTitle } from '../title.js';
import { callOptions, withinBudget } from './budget.js';
import { toPredicate } from './predicate.js';
import type { Budget, PreparedFilter } from './search-store.js';

/** Up to so many documents a filter is sent as their ids, and their vectors are all compared. */
export const MAX_EXACT_DOCUMENTS = 100;

/**
 * Counting stops at one more than that; where it takes long because next to nothing passes in a large collection, the
 * index filters by itself.
 */
const COUNT_TIME_MS = 500;

/** Throws what is wrong with a filter before anything is looked up. */
export function checkFilter(keys: FilterKeys, given: SearchFilter | undefined): void {
  if (given !== undefined) toPredicate(replaceTitles(given, new Map()), keys);
}

export async function prepareFilter(
  database: Database,
  keys: FilterKeys,
  scope: Scope,
  given: SearchFilter | undefined,
  budget: Budget,
): Promise<PreparedFilter> {
  if (given === undefined) return { filter: undefined, keys: [], documentIds: null };
  const filter = await withinBudget(budget, () => withoutTitles(database, scope, given, budget));
  const predicate = toPredicate(filter, keys);
  const used = [...new Set(keysOf(filter))];
  if (predicate.kind === 'all') return { filter, keys: used, documentIds: null };
  if (predicate.kind === 'none') return { filter, keys: used, documentIds: [] };
  const few = await withinBudget(budget, () => fewDocuments(database, keys, scope, filter, budget));
  return { filter, keys: used, documentIds: few };
}

/** The documents that pass, null when there are more than `MAX_EXACT_DOCUMENTS` or counting takes too long. */
async function fewDocuments(
  database: Database,
  keys: FilterKeys,
  scope: Scope,
  filter: SearchFilter,
  budget: Budget,
): Promise<string[] | null> {
  const options = callOptions(budget, COUNT_TIME_MS);
  try {
    const rows = await database.documents
      .find(inScope<DocumentRow>(scope, documentFilterMql(filter, keys)), options)
      .project<Pick<DocumentRow, '_id'>>({ _id: 1 })
      .limit(MAX_EXACT_DOCUMENTS + 1)
      .toArray();
    return rows.length > MAX_EXACT_DOCUMENTS ? null : rows.map(({ _id }) => _id.toHexString());
  } catch (error) {
    if (hasMongoCode(error, MONGO_CODE.maxTimeExpired) && options.maxTimeMS === COUNT_TIME_MS) return null;
    throw error;
  }
}

/** Titles become the ids of the documents that have them: search rows know no titles. */
async function withoutTitles(
  database: Database,
  scope: Scope,
  filter: SearchFilter,
  budget: Budget,
): Promise<SearchFilter> {
  const wanted = [...new Set(titlesOf(filter).map(normalizeTitle))];
  if (wanted.length === 0) return replaceTitles(filter, new Map());
  const rows = await database.documents
    .find(inScope<DocumentRow>(scope, { title_key: { $in: wanted } } as Document), callOptions(budget))
    .project<Pick<DocumentRow, '_id' | 'title_key'>>({ title_key: 1 })
    .toArray();
  return replaceTitles(filter, new Map(rows.map((row) => [row.title_key, row._id.toHexString()])));
}

/** Pure. A title of no document names nothing, so that a list of such titles matches nothing. */
export function replaceTitles(filter: SearchFilter, idsByTitleKey: ReadonlyMap<string, string>): SearchFilter {
  const { titles, and, or, not, ...rest } = filter;
  const inner = (part: SearchFilter) => replaceTitles(part, idsByTitleKey);
  const byTitle = titles?.flatMap((title) => idsByTitleKey.get(normalizeTitle(title)) ?? []);
  const conjuncts = [...(and ?? []).map(inner), ...(byTitle === undefined ? [] : [{ ids: byTitle }])];
  return {
    ...rest,
    ...(rest.ids !== undefined && { ids: parseObjectIds(rest.ids).map((id) => id.toHexString()) }),
    ...((and !== undefined || byTitle !== undefined) && { and: conjuncts }),
    ...(or !== undefined && { or: or.map(inner) }),
    ...(not !== undefined && { not: inner(not) }),
  };
}

function titlesOf(filter: SearchFilter): string[] {
  return [...(filter.titles ?? []), ...parts(filter).flatMap(titlesOf)];
}

function keysOf(filter: SearchFilter): string[] {
  return [...(filter.metadata ?? []).map(({ key }) => key), ...parts(filter).flatMap(keysOf)];
}

function parts(filter: SearchFilter): readonly SearchFilter[] {
  return [...(filter.and ?? []), ...(filter.or ?? []), ...(filter.not === undefined ? [] : [filter.not])];
}
