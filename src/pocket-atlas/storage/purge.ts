import { prefixEnd } from '../bson/key.js';
import type { Catalog } from './catalog.js';
import type { Committer } from './committer.js';
import type { Environment } from './environment.js';
import { idKey, readId, type TableName } from './layout.js';

/** What one commit removes at most; its values are read on the way. */
const SLICE_ENTRIES = 1000;
const SLICE_BYTES = 4 * 1024 * 1024;
const TABLES_BY_ID = ['records', 'entries', 'counters'] as const satisfies readonly TableName[];

/** Ids of collections and indexes that have rows but are not in the catalogue: dropped, or built halfway, before a crash. */
export function orphanIds(environment: Environment, catalog: Catalog): number[] {
  const live = new Set(catalog.byId.keys());
  for (const collection of catalog.byId.values()) for (const index of collection.indexes) live.add(index.id);
  const orphans = new Set<number>();
  for (const table of TABLES_BY_ID) {
    let from: Uint8Array | undefined = idKey(0);
    while (from !== undefined) {
      const [entry] = environment.range(table, from, undefined);
      if (entry === undefined) break;
      const id = readId(entry.key);
      if (!live.has(id)) orphans.add(id);
      from = prefixEnd(idKey(id));
    }
  }
  return [...orphans];
}

/** Removes all rows of dropped collections and indexes, a slice per commit. Ids are never used again. */
export async function purge(environment: Environment, committer: Committer, ids: readonly number[]): Promise<void> {
  for (const id of ids) {
    for (const table of TABLES_BY_ID) {
      for (;;) {
        const keys: Uint8Array[] = [];
        let bytes = 0;
        for (const { key, value } of environment.range(table, idKey(id), prefixEnd(idKey(id)))) {
          keys.push(key);
          bytes += value.length;
          if (keys.length === SLICE_ENTRIES || bytes > SLICE_BYTES) break;
        }
        if (keys.length === 0) break;
        await committer.submit({
          prepare: (state) => {
            for (const key of keys) state.add({ table, key, value: null });
          },
        });
      }
    }
  }
}
