import { appendFileSync, readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { logLine, startTestServer, type TestServer, upsert } from '../graphql/server.js';
import { CommandLine } from './harness.js';

let server: TestServer;
const line = new CommandLine();
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  line.dispose();
  await server?.stop();
});

const run = (args: string, options: { signal?: AbortSignal } = {}) => line.run(args, { url: server.url, ...options });

/** How many files were sent while `act` ran. */
async function sent(act: () => Promise<unknown>): Promise<number> {
  const count = () =>
    server.log.filter(
      ({ msg, operation, route }) => msg === 'Request answered' && (operation === 'Ingest' || route === '/upload'),
    ).length;
  const before = count();
  await act();
  // The line of a request is written when its last byte has left: once a later one's is there, all are.
  await logLine(server, await server.send('{ viewer { role } }'));
  return count() - before;
}

async function titles(): Promise<string[]> {
  const { documents } = await server.data('{ documents(first: 100, orderBy: TITLE) { nodes { title } } }');
  return documents.nodes.map(({ title }: { title: string }) => title);
}

describe('a second run', () => {
  test('sends nothing that has not changed since, and what has', async () => {
    line.write({ 'notes/a.md': 'About pumps.', 'notes/b.md': 'About valves.', 'notes/deep/c.md': 'About seals.' });
    expect(await sent(() => run('ingest notes'))).toBe(3);
    expect(line.out[0]).toMatch(/^3 created, 0 updated, 0 unchanged/);
    expect(await sent(() => run('ingest notes'))).toBe(0);
    expect(line.out[0]).toMatch(/^0 created, 0 updated, 3 unchanged/);

    line.write({ 'notes/b.md': 'About valves, and more.' });
    expect(await sent(() => run('ingest notes'))).toBe(1);
    expect(line.out[0]).toMatch(/^0 created, 1 updated, 2 unchanged/);
    expect(await sent(() => run('ingest notes --full'))).toBe(3);
    expect(line.out[0]).toMatch(/^0 created, 0 updated, 3 unchanged/);
  });

  test('sends again what somebody else changed or deleted, and what gets other agents', async () => {
    await upsert(server, { title: 'a.md', text: 'Written over.' });
    await server.data('mutation { deleteDocument(input: { by: { title: "b.md" } }) { deletedDocumentId } }');
    expect(await sent(() => run('ingest notes'))).toBe(2);
    expect(line.out[0]).toMatch(/^1 created, 1 updated, 1 unchanged/);
    expect(await sent(() => run('ingest notes --agents bot'))).toBe(3);
    expect(await sent(() => run('ingest notes --agents bot'))).toBe(0);
    await run('ingest notes');
  });

  test('goes on after one that was cut in the middle of a line of its record', async () => {
    const [record] = readdirSync(line.path('.state/ingest'));
    for (const name of readdirSync(line.path('.state/ingest')))
      appendFileSync(line.path(`.state/ingest/${name}`), '{"title":"a.m');
    expect(record).toMatch(/^[0-9a-f]{32}\.ndjson$/);
    expect(await sent(() => run('ingest notes'))).toBe(0);
  });

  test('tries again what failed', async () => {
    line.write({ 'bad/empty.txt': ' ', 'bad/good.txt': 'Good.' });
    expect(await run('ingest bad')).toBe(1);
    expect(await sent(() => run('ingest bad'))).toBe(1);
    expect(line.out[0]).toMatch(/^0 created, 0 updated, 1 unchanged, 1 failed/);
  });
});

test('a .gazetteerignore counts like a .gitignore, and has the last word', async () => {
  line.write({
    'ignoring/.gitignore': 'generated.md\ndrafts.md\n',
    'ignoring/.gazetteerignore': 'secret.md\n!drafts.md\n',
    'ignoring/generated.md': 'x',
    'ignoring/drafts.md': 'Drafts.',
    'ignoring/secret.md': 'x',
  });
  expect(await run('ingest ignoring')).toBe(0);
  expect(await titles()).toContain('drafts.md');
  expect(line.out[0]).toMatch(/^1 created.*\(2 hidden, 2 ignored\)/);
});

describe('large files', () => {
  test('travel as streams, and beyond 8 MiB as jobs', async () => {
    const words = `${'Water and pumps. '.repeat(20_000)}\n`;
    line.write({ 'large/one.txt': words.repeat(4), 'large/two.txt': words.repeat(27) });
    expect(await run('ingest large --agents bot,imp')).toBe(0);
    expect(line.out[0]).toMatch(/^2 created/);
    const { document } = await server.data('{ document(by: { title: "two.txt" }) { textLength agentIds } }');
    expect(document).toEqual({ textLength: words.length * 27, agentIds: ['bot', 'imp'] });
    expect(await sent(() => run('ingest large --agents bot,imp'))).toBe(0);
  }, 120_000);

  test('are refused by name like small ones', async () => {
    line.write({
      'largebad/picture.pdf': Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(2_000_000)]),
    });
    expect(await run('ingest largebad')).toBe(1);
    expect(line.err).toContainEqual(expect.stringMatching(/^picture\.pdf: failed: .*\(UNSUPPORTED_MEDIA_TYPE\)$/));
  });
});

describe('--dry-run', () => {
  test('says what would happen and what it costs, and changes nothing', async () => {
    line.write({ 'dry/new.md': 'A new document of some words.' });
    expect(await run('ingest dry --dry-run')).toBe(0);
    expect(line.out[0]).toMatch(/^Dry run: 1 created, 0 updated, 0 unchanged, 0 failed/);
    expect(line.out[1]).toMatch(/^1 chunks with \d+ tokens to embed with feature-hashing-v1, free of charge$/);
    expect(await titles()).not.toContain('new.md');
    expect(await run('ingest dry --dry-run --price 10000')).toBe(0);
    expect(line.out[1]).toMatch(/tokens to embed with feature-hashing-v1, about \$0\.\d+ at \$10000 per million$/);
    expect(await sent(() => run('ingest dry'))).toBe(1);
  });
});

describe('--prune', () => {
  test('deletes the documents of files that vanished, and no others', async () => {
    line.write({ 'prune/keep.md': 'Kept.', 'prune/go.md': 'Goes.', 'prune/changed.md': 'Changes.' });
    await run('ingest prune');
    await upsert(server, { title: 'of others', text: 'Nothing to do with it.' });
    await upsert(server, { title: 'changed.md', text: 'Changed by others.' });
    line.remove('prune/go.md');
    line.remove('prune/changed.md');

    expect(await run('ingest prune')).toBe(0);
    expect(await titles()).toContain('go.md');

    expect(await run('ingest prune --prune --dry-run')).toBe(0);
    expect(line.out).toContain('go.md: its document would be deleted');
    expect(await titles()).toContain('go.md');

    expect(await run('ingest prune --prune')).toBe(0);
    expect(line.out[0]).toMatch(/^0 created, 0 updated, 1 unchanged, 0 failed, 1 deleted/);
    expect(line.err).toEqual(['changed.md: vanished, but its document was changed since: kept']);
    expect(await titles()).toEqual(expect.arrayContaining(['keep.md', 'changed.md', 'of others']));
    expect(await titles()).not.toContain('go.md');
  });

  test('refuses above its limit, before anything is sent', async () => {
    line.write({
      'many/keep.md': 'Kept.',
      ...Object.fromEntries(Array.from({ length: 4 }, (_, n) => [`many/${n}.md`, `Number ${n}.`])),
    });
    await run('ingest many');
    for (let n = 0; n < 4; n++) line.remove(`many/${n}.md`);
    line.write({ 'many/fresh.md': 'Fresh.' });
    expect(await run('ingest many --prune --prune-limit 3')).toBe(1);
    expect(line.err).toEqual([
      expect.stringContaining('4 files vanished, and --prune deletes at most 3: nothing was done'),
    ]);
    expect(await titles()).toEqual(expect.arrayContaining(['0.md', '3.md']));
    expect(await titles()).not.toContain('fresh.md');
    expect(await run('ingest many --prune --prune-limit 4')).toBe(0);
    expect(line.out[0]).toMatch(/^1 created.*, 4 deleted/);
  });

  test('keeps the documents of files that are merely ignored now, and takes no folder from which all went', async () => {
    line.write({ 'careful/a.md': 'A.', 'careful/b.md': 'B.', 'beside/c.md': 'C.' });
    await run('ingest careful');
    line.write({ 'careful/.gitignore': 'b.md\n' });
    expect(await run('ingest careful --prune')).toBe(0);
    expect(line.out[0]).toContain('0 deleted');
    line.remove('careful/a.md');
    line.remove('careful/b.md');
    expect(await run('ingest careful --prune')).toBe(1);
    expect(line.err[0]).toMatch(/Nothing to ingest .*--prune takes nothing of an empty folder/);
    expect(await run('ingest careful beside --prune')).toBe(2);
    expect(line.err[0]).toContain('--prune takes folders that hold documents');
  });
});

test('--watch sends what changes until it is told to stop', async () => {
  line.write({ 'watched/first.md': 'First.' });
  const stop = new AbortController();
  const watching = run('ingest watched --watch --prune', { signal: stop.signal });
  await expect.poll(titles).toContain('first.md');
  await expect.poll(() => line.out).toHaveLength(1);
  line.write({ 'watched/second.md': 'Second.' });
  await expect.poll(titles, { timeout: 15_000 }).toContain('second.md');
  line.remove('watched/first.md');
  await expect.poll(titles, { timeout: 15_000 }).not.toContain('first.md');
  stop.abort();
  expect(await watching).toBe(0);
}, 60_000);
