import { Long } from 'bson';
import type { Doc } from '../../bson/values.js';
import { compileFilter } from '../../query/filter.js';
import type { ReadView } from '../../storage/engine.js';
import { integer, isDocument, truthy } from '../arguments.js';
import type { Command } from '../command.js';
import { collectionSizes } from './sizes.js';

export const listDatabases: Command = {
  help: 'Lists the databases.',
  fields: { authorizedDatabases: 'boolish', filter: 'object', nameOnly: 'boolish' },
  adminOnly: true,
  run: (context) =>
    context.read((view) => {
      const matches = compileFilter(isDocument(context.body.filter) ? context.body.filter : {}, context.variables);
      const names = [...view.databases()].sort();
      if (truthy(context.body.nameOnly)) {
        return { databases: names.map((name) => ({ name })).filter((row) => matches(row)) };
      }
      const rows = names
        .map((name): Doc => {
          const { dataSize } = databaseSizes(view, name);
          return { name, sizeOnDisk: Long.fromNumber(dataSize), empty: dataSize === 0 };
        })
        .filter((row) => matches(row));
      const total = rows.reduce((sum, row) => sum + (row.sizeOnDisk as Long).toNumber(), 0);
      return {
        databases: rows,
        totalSize: Long.fromNumber(total),
        totalSizeMb: Long.fromNumber(Math.floor(total / 1_048_576)),
      };
    }),
};

export const dropDatabase: Command = {
  help: 'Drops a database with all its collections.',
  fields: {},
  writeConcern: true,
  run: async (context) => {
    const { db, server } = context;
    const names = await context.read((view) => view.collections(db).map(({ name }) => name));
    await server.engine.dropDatabase(db);
    for (const name of names) server.cursors.closeOfNamespace(`${db}.${name}`);
    return names.length === 0 ? {} : { dropped: db };
  },
};

export const dbStats: Command = {
  help: 'Sizes of a database, estimated from samples.',
  fields: { freeStorage: 'boolish', scale: 'number' },
  run: (context) =>
    context.read((view) => {
      const scale = scaleOf(context.body);
      const sizes = databaseSizes(view, context.db, scale);
      return {
        db: context.db,
        ...sizes,
        views: Long.ZERO,
        storageSize: sizes.dataSize,
        indexSize: 0,
        totalSize: sizes.dataSize,
        scaleFactor: Long.fromNumber(scale),
      };
    }),
};

export const collStats: Command = {
  help: 'Sizes of a collection, estimated from a sample.',
  fields: { scale: 'number' },
  run: (context) =>
    context.read((view) => {
      const collection = view.collection(context.db, context.collection);
      if (collection === undefined) return { ns: context.namespace, size: 0, count: 0, storageSize: 0, nindexes: 0 };
      return { ns: context.namespace, ...collectionSizes(view, collection, scaleOf(context.body)) };
    }),
};

function databaseSizes(
  view: ReadView,
  db: string,
  scale = 1,
): { collections: number; objects: number; avgObjSize: number; dataSize: number; indexes: number } {
  const collections = view.collections(db);
  let [objects, dataSize, indexes] = [0, 0, 0];
  for (const collection of collections) {
    const sizes = collectionSizes(view, collection, scale);
    objects += sizes.count as number;
    dataSize += sizes.size as number;
    indexes += collection.indexes.length;
  }
  return {
    collections: collections.length,
    objects,
    avgObjSize: objects === 0 ? 0 : (dataSize * scale) / objects,
    dataSize,
    indexes,
  };
}

function scaleOf(body: Doc): number {
  return integer(body, 'scale', { min: 1 }) ?? 1;
}
