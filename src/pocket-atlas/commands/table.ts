import * as diagnostics from './admin/diagnostics.js';
import * as handshake from './admin/handshake.js';
import { aggregate } from './aggregate/aggregate.js';
import * as collections from './catalog/collections.js';
import * as databases from './catalog/databases.js';
import * as indexes from './catalog/indexes.js';
import * as searchIndexes from './catalog/search-indexes.js';
import type { Command } from './command.js';
import { count } from './read/count.js';
import { distinct } from './read/distinct.js';
import { explain } from './read/explain.js';
import { find } from './read/find.js';
import { getMore, killCursors } from './read/get-more.js';
import * as sessions from './session/session-commands.js';
import { bulkWrite } from './write/bulk-write.js';
import { deleteCommand } from './write/delete.js';
import { findAndModify } from './write/find-and-modify.js';
import { insert } from './write/insert.js';
import { update } from './write/update.js';

/** Every command there is, in alphabetical order. Anything else is answered `59 no such command`. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  abortTransaction: sessions.abortTransaction,
  aggregate,

  buildInfo: diagnostics.buildInfo,
  bulkWrite,
  collMod: collections.collMod,
  collStats: databases.collStats,
  commitTransaction: sessions.commitTransaction,
  configureFailPoint: diagnostics.configureFailPoint,
  connectionStatus: diagnostics.connectionStatus,
  count,
  create: collections.create,
  createIndexes: indexes.createIndexes,
  createSearchIndexes: searchIndexes.createSearchIndexes,
  dbStats: databases.dbStats,
  delete: deleteCommand,
  distinct,
  drop: collections.drop,
  dropDatabase: databases.dropDatabase,
  dropIndexes: indexes.dropIndexes,
  dropSearchIndex: searchIndexes.dropSearchIndex,
  endSessions: sessions.endSessions,
  explain,
  find,
  findAndModify,
  getCmdLineOpts: diagnostics.getCmdLineOpts,
  getLog: diagnostics.getLog,
  getMore,
  getParameter: diagnostics.getParameter,
  hello: handshake.hello,
  hostInfo: diagnostics.hostInfo,
  insert,
  isMaster: handshake.isMaster,
  killAllSessions: sessions.killAllSessions,
  killCursors,
  killSessions: sessions.killSessions,
  listCollections: collections.listCollections,
  listDatabases: databases.listDatabases,
  listIndexes: indexes.listIndexes,
  ping: diagnostics.ping,
  refreshSessions: sessions.refreshSessions,
  renameCollection: collections.renameCollection,
  saslStart: handshake.saslStart,
  serverStatus: diagnostics.serverStatus,
  startSession: sessions.startSession,
  update,
  updateSearchIndex: searchIndexes.updateSearchIndex,
  validate: diagnostics.validate,
};

/** Other spellings that servers take. */
const ALIASES: Readonly<Record<string, string>> = {
  buildinfo: 'buildInfo',
  collstats: 'collStats',
  dbstats: 'dbStats',
  findandmodify: 'findAndModify',
  ismaster: 'isMaster',
};

export function canonicalName(name: string): string {
  return Object.hasOwn(ALIASES, name) ? ALIASES[name]! : name;
}
