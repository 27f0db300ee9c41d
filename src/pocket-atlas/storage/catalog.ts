import { Binary } from 'bson';
import { decode } from '../bson/decode.js';
import { encode } from '../bson/encode.js';
import type { BsonValue, Doc } from '../bson/values.js';
import type { CollectionInfo, IndexInfo } from './engine.js';
import { indexInfo } from './index-spec.js';
import { namespaceOf } from './namespace.js';

/** All collections at one commit. Immutable: views keep the one they began with. */
export interface Catalog {
  /** Grows with every change; what a snapshot says of itself to find its catalogue again. */
  readonly version: number;
  readonly byId: ReadonlyMap<number, CollectionInfo>;
  readonly byNamespace: ReadonlyMap<string, CollectionInfo>;
}

export const EMPTY_CATALOG: Catalog = { version: 0, byId: new Map(), byNamespace: new Map() };

export function catalogOf(version: number, collections: Iterable<CollectionInfo>): Catalog {
  const byId = new Map<number, CollectionInfo>();
  const byNamespace = new Map<string, CollectionInfo>();
  for (const collection of collections) {
    byId.set(collection.id, collection);
    byNamespace.set(namespaceOf(collection), collection);
  }
  return { version, byId, byNamespace };
}

/** The catalogue with collections put in (by id, replacing) and removed: one version on. */
export function changeCatalog(
  catalog: Catalog,
  changes: { put?: Iterable<CollectionInfo>; remove?: Iterable<number> },
): Catalog {
  const byId = new Map(catalog.byId);
  for (const id of changes.remove ?? []) byId.delete(id);
  for (const collection of changes.put ?? []) byId.set(collection.id, collection);
  return catalogOf(catalog.version + 1, byId.values());
}

export function withIndexes(collection: CollectionInfo, indexes: readonly IndexInfo[]): CollectionInfo {
  return { ...collection, indexes };
}

/** The same collection with these indexes marked as multikey. */
export function withMultikey(collection: CollectionInfo, indexIds: ReadonlySet<number>): CollectionInfo {
  const indexes = collection.indexes.map((index) => (indexIds.has(index.id) ? { ...index, multikey: true } : index));
  return withIndexes(collection, indexes);
}

export function encodeCollection(collection: CollectionInfo): Uint8Array {
  return encode({
    id: collection.id,
    db: collection.db,
    name: collection.name,
    uuid: new Binary(collection.uuid, Binary.SUBTYPE_UUID),
    options: collection.options,
    indexes: collection.indexes.map(({ id, spec, multikey }): Doc => ({ id, spec, multikey })),
  });
}

/** The inverse of `encodeCollection`; its input has passed its checksum. */
export function decodeCollection(bytes: Uint8Array): CollectionInfo {
  const { id, db, name, uuid, options, indexes } = decode(bytes);
  return {
    id: id as number,
    db: db as string,
    name: name as string,
    uuid: (uuid as Binary).buffer,
    options: options as Doc,
    indexes: (indexes as BsonValue[]).map((stored) => {
      const index = stored as Doc;
      return indexInfo(index.id as number, index.spec as Doc, index.multikey === true);
    }),
  };
}
