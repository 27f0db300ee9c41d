import type { CommandStartedEvent } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeScope, operator } from '../../src/store/scope.js';
import { STORE_SERVERS } from '../support/store-servers.js';
import { ONE_PARAGRAPH, openTestStore, paragraphs, type TestStore } from '../support/test-store.js';

const scope = makeScope('ada', null);
const chunking = ONE_PARAGRAPH;

// Two commands of one transaction at a time are undefined behaviour: now one write is outside, now the transaction never
// ends. Command monitoring over everything that writes shows that the store never does it.
describe.each(STORE_SERVERS)('transactions on $name', ({ start, hasSearch }) => {
  let server: Awaited<ReturnType<typeof start>>;
  let store: TestStore;

  beforeAll(async () => {
    server = await start();
    const writeLimits = { maxTransactionRows: 6, maxTransactionBytes: 1_000_000 };
    store = await openTestStore(server.uri, {
      requireSearch: hasSearch,
      writeLimits,
      client: { monitorCommands: true },
    });
  });
  afterAll(async () => {
    await store?.close();
    await server?.stop();
  });

  test('never have two commands of one (lsid, txnNumber) under way, and all write with majority and journal', async () => {
    const running = new Map<number, string>();
    const overlaps: string[] = [];
    const commits: unknown[] = [];
    let inTransactions = 0;
    const { client } = store.database;
    client.on('commandStarted', ({ requestId, commandName, command }: CommandStartedEvent) => {
      if (command.txnNumber === undefined) return;
      const transaction = `${command.lsid.id.toString('hex')} ${command.txnNumber}`;
      if (command.autocommit === false) inTransactions++;
      if ([...running.values()].includes(transaction)) overlaps.push(commandName);
      running.set(requestId, transaction);
      if (commandName === 'commitTransaction') commits.push(command.writeConcern);
      if (command.startTransaction) expect(command.readConcern).toMatchObject({ level: 'snapshot' });
    });
    const ended = ({ requestId }: { requestId: number }): void => {
      running.delete(requestId);
    };
    client.on('commandSucceeded', ended);
    client.on('commandFailed', ended);

    await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        store.upsert(scope, `t${index % 3}`, paragraphs(2 + 2 * (index % 5), `word${index}`), { chunking }),
      ),
    );
    await store.updateAttributes(scope, { title: 't0' }, { agentIds: ['a'] });
    await store.createApiKey(operator, { owner: 'o', name: 'n', role: 'READER', agentIds: null, expiresAt: null });
    await store.deleteDocuments(scope, { titles: ['t0', 't1', 't2'] }, { dryRun: false });

    expect(inTransactions).toBeGreaterThan(30);
    expect(overlaps).toEqual([]);
    expect(running.size).toBe(0);
    for (const concern of commits) expect(concern).toMatchObject({ w: 'majority', j: true });
    expect(commits.length).toBeGreaterThan(8);
  });
});
