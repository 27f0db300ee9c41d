import type { CollectionInfo } from './engine.js';

export function namespace(db: string, name: string): string {
  return `${db}.${name}`;
}

export function namespaceOf(collection: CollectionInfo): string {
  return namespace(collection.db, collection.name);
}
