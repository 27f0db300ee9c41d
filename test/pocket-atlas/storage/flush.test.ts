import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compiledUrl } from '../../../src/pocket-atlas/compiled-url.js';
import { temporaryDirectory } from './temporary-directory.js';

const moduleUrl = (path: string) =>
  compiledUrl(path, new URL('../../../src/pocket-atlas/storage/engine.ts', import.meta.url).href).href;

const COMMITS = 5;
const PROGRAM = `
  const { writeSync } = await import('node:fs');
  const { openEngine } = await import(${JSON.stringify(moduleUrl('./open-engine.js'))});
  const { encode } = await import(${JSON.stringify(moduleUrl('../bson/encode.js'))});
  const engine = await openEngine({ dataDir: process.argv[1] });
  const collection = await engine.createCollection('db', 'c', {});
  for (let n = 0; n < ${COMMITS}; n++) {
    writeSync(2, 'BEGIN ' + n);
    await engine.write((transaction) => transaction.insert(collection, encode({ _id: n })));
    writeSync(2, 'ACKNOWLEDGED ' + n);
  }
  await engine.close();
`;

const canTrace = process.platform === 'linux' && spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;

describe('an acknowledgement', () => {
  // Power cannot be cut here: what the kernel was asked to do, and when, is the next best.
  it.skipIf(!canTrace)('comes after the pages and then the header are flushed (seen by strace)', () => {
    const log = join(temporaryDirectory(), 'trace');
    const calls = 'trace=openat,fdatasync,fsync,pwrite64,pwritev,write';
    const program = ['--input-type=module', '-e', PROGRAM, temporaryDirectory()];
    spawnSync('strace', ['-f', '-e', calls, '-o', log, process.execPath, ...program], { stdio: 'ignore' });
    const lines = readFileSync(log, 'utf8').split('\n');
    const opened = (flags: RegExp) =>
      lines
        .filter((line) => line.includes('/store.mdb"') && flags.test(line))
        .map((line) => line.match(/= (\d+)$/)?.[1]);
    const synchronous = opened(/O_DSYNC/);
    expect(synchronous).toHaveLength(1);
    for (let n = 0; n < COMMITS; n++) {
      const from = lines.findIndex((line) => line.includes(`BEGIN ${n}`));
      const to = lines.findIndex((line) => line.includes(`ACKNOWLEDGED ${n}`));
      const between = lines.slice(from, to).join('\n');
      // The header goes through a descriptor that writes to the disk itself.
      const order = new RegExp(`fdatasync\\(\\d+[^]*pwrite64\\(${synchronous[0]},`);
      expect(between).toMatch(order);
    }
  });
});
