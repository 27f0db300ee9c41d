import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { compiledUrl } from '../../../src/pocket-atlas/compiled-url.js';
import { look, openForTest, scanDocs } from './open-for-test.js';
import { temporaryDirectory } from './temporary-directory.js';

const moduleUrl = (path: string) =>
  compiledUrl(path, new URL('../../../src/pocket-atlas/storage/engine.ts', import.meta.url).href).href;

/** Writes under a limit on the file's size, which the kernel refuses to pass as it does on a full disk. */
const PROGRAM = `
  process.on('SIGXFSZ', () => {});
  const { openEngine } = await import(${JSON.stringify(moduleUrl('./open-engine.js'))});
  const { encode } = await import(${JSON.stringify(moduleUrl('../bson/encode.js'))});
  const engine = await openEngine({ dataDir: process.argv[1] });
  const collection = await engine.createCollection('db', 'c', {});
  const put = (id, size) =>
    engine.write((transaction) => transaction.insert(collection, encode({ _id: id, text: 'x'.repeat(size) })))
      .then(() => 'ok', (error) => error.code);
  let large = 0;
  while ((await put(large, 100000)) === 'ok') large++;
  const failed = await put('large', 100000);
  // One that fits and one that does not, in one group.
  const together = await Promise.all([put('small', 10), put('too large', 3000000), put('small too', 10)]);
  const view = engine.view();
  const count = view.count(collection);
  view.release();
  console.log(JSON.stringify({ large, failed, together, count }));
  await engine.close();
`;

describe('a disk that is full', () => {
  it.skipIf(process.platform === 'win32')('fails the writes that do not fit, and nothing else', async () => {
    const dataDir = temporaryDirectory();
    // 512-byte blocks: 2 MB.
    const child = spawn(
      'sh',
      ['-c', 'ulimit -f 4096; exec "$0" "$@"', process.execPath, '--input-type=module', '-e', PROGRAM, dataDir],
      {
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    );
    const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    const { large, failed, together, count } = JSON.parse(output);
    expect(large).toBeGreaterThan(3);
    expect(failed).toBe(14031);
    expect(together).toEqual(['ok', 14031, 'ok']);
    expect(count).toBe(large + 2);
    const engine = await openForTest({ dataDir });
    look(engine, (view) => {
      const docs = scanDocs(view, view.collection('db', 'c')!);
      expect(docs.map(({ _id }) => _id)).toEqual([...Array(large).keys(), 'small', 'small too']);
    });
  });
});
