import { readFile } from 'node:fs/promises';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toStoreError, withStoreErrors } from '../../src/store/mongo-errors.js';
import { makeScope } from '../../src/store/scope.js';
import { inTransaction } from '../../src/store/transaction.js';
import { startTestPocketAtlas, type TestPocketAtlas } from '../support/pocket-atlas.js';
import { openTestStore, type TestStore } from '../support/test-store.js';

// A command of this size does not fit into a socket's buffer: the driver waits for it to drain, and that wait fails with
// the socket's own error instead of the driver's.
const LARGE = 'x'.repeat(8_000_000);

/** Between the driver and the server: while `cuts` is above 0, a connection that sends much is reset. */
class CuttingProxy {
  cuts = 0;
  made = 0;
  readonly #server: Server;
  readonly #clients = new Set<Socket>();

  private constructor(server: Server) {
    this.#server = server;
  }

  static async before(uri: string): Promise<CuttingProxy & { readonly uri: string }> {
    const target = new URL(uri);
    const server = createServer();
    const proxy = new CuttingProxy(server);
    server.on('connection', (client) => proxy.#join(client, Number(target.port)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('A port was expected');
    return Object.assign(proxy, { uri: `mongodb://127.0.0.1:${address.port}/?directConnection=true` });
  }

  #join(client: Socket, port: number): void {
    const upstream = createConnection({ port, host: '127.0.0.1' });
    client.on('data', (data) => {
      if (this.cuts > 0 && data.length > 32_000) {
        this.cuts--;
        this.made++;
        client.resetAndDestroy();
        upstream.destroy();
      } else upstream.write(data);
    });
    upstream.pipe(client);
    this.#clients.add(client);
    client
      .on('close', () => {
        this.#clients.delete(client);
        upstream.destroy();
      })
      .on('error', () => {});
    upstream.on('close', () => client.destroy()).on('error', () => {});
  }

  /** All connections at once; their clients have no chance to notice before they write again. */
  cutAll(): void {
    for (const client of this.#clients) client.resetAndDestroy();
  }

  async stop(): Promise<void> {
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

let server: TestPocketAtlas;
let proxy: CuttingProxy & { readonly uri: string };
let store: TestStore;

beforeAll(async () => {
  server = await startTestPocketAtlas({ port: 0 });
  proxy = await CuttingProxy.before(server.uri);
  store = await openTestStore(proxy.uri);
});
afterAll(async () => {
  await store?.close();
  await proxy?.stop();
  await server?.stop();
});

test('a large write whose connection is lost is STORE_UNAVAILABLE, alone and as a bulk write', async () => {
  const rows = store.database.db.collection('large');
  const written = withStoreErrors({
    alone: () => rows.insertOne({ text: LARGE }),
    bulk: () => rows.bulkWrite([{ insertOne: { document: { text: LARGE } } }]),
  });
  for (const write of [written.alone, written.bulk]) {
    // More than the driver's own second try.
    proxy.cuts = 3;
    await expect(write()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  }
  proxy.cuts = 0;
});

test.each(['insertOne', 'bulkWrite'] as const)(
  'a transaction that loses its connection in a large %s is run again, and kept once',
  async (how) => {
    const rows = store.database.db.collection<{ _id: string; text: string }>('kept');
    proxy.cuts = 2;
    proxy.made = 0;
    await inTransaction(store.database, async (session) => {
      const row = { _id: how, text: LARGE };
      if (how === 'insertOne') await rows.insertOne(row, { session });
      else await rows.bulkWrite([{ insertOne: { document: row } }], { session });
    });
    expect(proxy.made).toBe(2);
    expect(await rows.countDocuments({ _id: how })).toBe(1);
  },
);

test('a transaction that loses its connection just before its commit is committed, once', async () => {
  const rows = store.database.db.collection<{ _id: string }>('committed');
  let runs = 0;
  await inTransaction(store.database, async (session) => {
    runs++;
    await rows.insertOne({ _id: 'one' }, { session });
    proxy.cutAll();
  });
  expect(runs).toBe(1);
  expect(await rows.countDocuments()).toBe(1);
});

test('an upsert of a large document survives lost connections', async () => {
  const scope = makeScope('ada', null);
  proxy.cuts = 2;
  proxy.made = 0;
  const text = 'one line of many words\n'.repeat(20_000);
  const { document } = await store.upsert(scope, 'large', text, {
    chunking: { strategy: 'RECURSIVE', maxTokens: 2_000, overlap: 0, contextual: false },
  });
  expect(proxy.made).toBeGreaterThan(0);
  expect(await store.texts(scope, [document?.id ?? ''])).toEqual([text]);
});

test('an error of a file is not taken for a lost connection', async () => {
  const error = await readFile('/nowhere/at/all').catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 'ENOENT' });
  expect(toStoreError(error)).toBe(error);
});

test('a Unix socket that is gone is a lost connection', async () => {
  const error = await new Promise((resolve) => createConnection('/nowhere/at/all.sock').on('error', resolve));
  expect(error).toMatchObject({ code: 'ENOENT' });
  expect(toStoreError(error)).toMatchObject({ code: 'STORE_UNAVAILABLE' });
});
