import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Db, MongoClient, type MongoClientOptions } from 'mongodb';
import { servePocketAtlas } from '../../src/pocket-atlas/serve.js';
import { spawnPocketAtlas } from '../../src/pocket-atlas/spawn.js';

export interface TestPocketAtlas {
  readonly uri: string;
  readonly client: MongoClient;
  readonly dataDir: string;
  readonly pid: () => number;
  db(name: string): Db;
  /** A further client; closed with the rest. */
  connect(options?: MongoClientOptions): Promise<MongoClient>;
  stop(): Promise<void>;
}

/**
 * Pocket Atlas as its own process on a directory of its own, and a client of the official driver. Start one per test file
 * (`beforeAll`), give each test its own database name, and stop it (`afterAll`), which removes the directory.
 */
export async function startTestPocketAtlas(
  options: { readonly port?: number; readonly searchLagMs?: number } = {},
): Promise<TestPocketAtlas> {
  const dataDir = await mkdtemp(join(tmpdir(), 'pa-'));
  const server = await spawnPocketAtlas({ dataDir, ...options });
  return { ...(await clientOf(server, dataDir)), pid: () => server.pid };
}

/** The same inside the test's own process: for tests that set the clock. `now` is in ms since 1970. */
export async function servePocketAtlasHere(
  options: { readonly now?: () => number; readonly searchLagMs?: number } = {},
): Promise<Omit<TestPocketAtlas, 'pid'>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'pa-'));
  return await clientOf(await servePocketAtlas({ dataDir, ...options }), dataDir);
}

async function clientOf(
  server: { readonly uri: string; stop(): Promise<unknown> },
  dataDir: string,
): Promise<Omit<TestPocketAtlas, 'pid'>> {
  const clients: MongoClient[] = [];
  const connect = async (clientOptions: MongoClientOptions = {}): Promise<MongoClient> => {
    const client = new MongoClient(server.uri, clientOptions);
    clients.push(client);
    return client.connect();
  };
  const client = await connect();
  return {
    uri: server.uri,
    client,
    dataDir,
    db: (name) => client.db(name),
    connect,
    stop: async () => {
      await Promise.all(clients.map((one) => one.close()));
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
