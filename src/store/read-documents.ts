import { type Filter, ObjectId, type Sort } from 'mongodb';
import { AppError } from '../errors.js';
import type { Database } from './database.js';
import { documentFilterMql, type FilterKeys } from './filter-mql.js';
import { listingName, pageOf, positionAfter } from './listing-cursor.js';
import { parseObjectId, parseObjectIds } from './object-id.js';
import { documentRecord } from './row-records.js';
import type { DocumentRow } from './rows.js';
import { inScope } from './scope-filter.js';
import type { Sealer } from './sealing.js';
import type { DocumentKey, DocumentOrder, Store } from './store.js';
import { normalizeTitle } from './title.js';

export type DocumentReads = Pick<
  Store,
  'document' | 'documentsByIds' | 'listDocuments' | 'countDocuments' | 'isTitleHidden'
>;

/** How a listing is sorted, and the sort key at which a page ended: JSON in a cursor, MQL to go on after it. */
interface Order {
  readonly sort: Sort;
  readonly positionOf: (row: DocumentRow) => [string | number, string];
  readonly after: (key: string | number, id: ObjectId) => Filter<DocumentRow>;
}

const ORDERS: Readonly<Record<DocumentOrder, Order>> = {
  UPDATED_NEWEST: newestFirst('updated_at'),
  CREATED_NEWEST: newestFirst('created_at'),
  TITLE: {
    // Unique within the owner, so it needs no tie-break.
    sort: { title_key: 1 },
    positionOf: (row) => [row.title_key, row._id.toHexString()],
    after: (key) => ({ title_key: { $gt: String(key) } }),
  },
};

export function documentReads(database: Database, sealer: Sealer, keys: () => FilterKeys): DocumentReads {
  return {
    async document(scope, key) {
      const filter = keyFilter(key);
      const row = filter && (await database.documents.findOne(inScope(scope, filter)));
      return row ? documentRecord(row) : null;
    },

    async documentsByIds(scope, ids) {
      const rows = await database.documents
        .find(inScope<DocumentRow>(scope, { _id: { $in: parseObjectIds(ids) } }))
        .toArray();
      const byId = new Map(rows.map((row) => [row._id.toHexString(), documentRecord(row)]));
      return ids.map((id) => byId.get(id.toLowerCase()) ?? null);
    },

    async listDocuments(scope, { filter = {}, orderBy, first, after }) {
      const order = ORDERS[orderBy];
      const listing = listingName('documents', scope, { filter, orderBy });
      const position = positionAfter(sealer, listing, after) as [string | number, string] | undefined;
      const conditions = [documentFilterMql(filter, keys())];
      if (position !== undefined) conditions.push(order.after(position[0], new ObjectId(position[1])));
      const rows = await database.documents
        .find(inScope<DocumentRow>(scope, { $and: conditions }))
        .sort(order.sort)
        .limit(first + 1)
        .toArray();
      return pageOf(rows, first, {
        seal: (at) => sealer.seal(listing, at),
        positionOf: order.positionOf,
        record: documentRecord,
      });
    },

    async countDocuments(scope, filter = {}) {
      return await database.documents.countDocuments(inScope(scope, documentFilterMql(filter, keys())));
    },

    async isTitleHidden(scope, title) {
      // Unbound credentials see all of the owner.
      if (scope.agents === null) return false;
      const filter = { owner: scope.owner, title_key: normalizeTitle(title), agent_ids: { $nin: [...scope.agents] } };
      return (await database.documents.countDocuments(filter, { limit: 1 })) > 0;
    },
  };
}

/** The input field that names a mutation's document, for a refusal. */
export function keyPath(key: DocumentKey): readonly string[] {
  return ['input', 'id' in key ? 'documentId' : 'by'];
}

/** Null for a malformed id: that of nothing. */
export function keyFilter(key: DocumentKey): Filter<DocumentRow> | null {
  if ('title' in key) return { title_key: normalizeTitle(key.title) };
  const id = parseObjectId(key.id);
  return id && { _id: id };
}

function newestFirst(field: 'updated_at' | 'created_at'): Order {
  return {
    sort: { [field]: -1, _id: -1 },
    positionOf: (row) => [row[field].getTime(), row._id.toHexString()],
    after: (key, id) => {
      const at = new Date(key);
      if (Number.isNaN(at.getTime()))
        throw new AppError('BAD_USER_INPUT', 'The cursor given as `after` is not one of this list');
      return { $or: [{ [field]: { $lt: at } }, { [field]: at, _id: { $lt: id } }] } as Filter<DocumentRow>;
    },
  };
}
