import { MongoMemoryReplSet } from 'mongodb-memory-server-core';
import { startTestPocketAtlas } from './pocket-atlas.js';

/** A server that the store suites run on. */
export interface StoreServer {
  readonly name: string;
  /** Has search indexes, `$vectorSearch` and `$search`. */
  readonly hasSearch: boolean;
  start(): Promise<{ readonly uri: string; stop(): Promise<void> }>;
}

const pocketAtlas: StoreServer = { name: 'Pocket Atlas', hasSearch: true, start: () => startTestPocketAtlas() };

/** A real MongoDB where one is given: MONGODB_URI with search, or a mongod binary (MONGOMS_SYSTEM_BINARY) without. */
function realServers(): StoreServer[] {
  const { MONGODB_URI: uri, MONGOMS_SYSTEM_BINARY: systemBinary } = process.env;
  if (uri !== undefined && uri !== '')
    return [{ name: 'MONGODB_URI', hasSearch: true, start: async () => ({ uri, stop: async () => {} }) }];
  if (systemBinary !== undefined && systemBinary !== '')
    return [
      {
        name: 'mongod',
        hasSearch: false,
        async start() {
          const set = await MongoMemoryReplSet.create({ binary: { systemBinary }, replSet: { count: 1 } });
          return {
            uri: set.getUri(),
            async stop() {
              await set.stop();
            },
          };
        },
      },
    ];
  console.log(
    'Store suites run on Pocket Atlas only: set MONGODB_URI or MONGOMS_SYSTEM_BINARY to run them on MongoDB too',
  );
  return [];
}

export const STORE_SERVERS: readonly StoreServer[] = [pocketAtlas, ...realServers()];
