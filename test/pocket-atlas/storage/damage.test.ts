import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import type { Doc } from '../../../src/pocket-atlas/bson/values.js';
import { compiledUrl } from '../../../src/pocket-atlas/compiled-url.js';
import { CommandError } from '../../../src/pocket-atlas/errors.js';
import { type Entry, Environment } from '../../../src/pocket-atlas/storage/environment.js';
import { salvage } from '../../../src/pocket-atlas/storage/salvage.js';
import { insert, look, openForTest, openWithCollection, scanDocs } from './open-for-test.js';
import { temporaryDirectory } from './temporary-directory.js';

const moduleUrl = (path: string) =>
  compiledUrl(path, new URL('../../../src/pocket-atlas/storage/engine.ts', import.meta.url).href).href;

const STORE = 'store.mdb';
const RECORDS = 400;
const textOf = (n: number) => `record ${n} begins ${'x'.repeat(150)}`;

/** A closed directory with `RECORDS` records and an index. */
async function filledDirectory(): Promise<string> {
  const dataDir = temporaryDirectory();
  const { engine, collection } = await openWithCollection({ dataDir });
  await engine.createIndex(collection, { key: { n: 1 }, unique: true });
  await insert(engine, collection, ...Array.from({ length: RECORDS }, (_, n): Doc => ({ _id: n, n, text: textOf(n) })));
  await engine.close();
  return dataDir;
}

/** Changes one bit within every copy of `marker` in the file. */
function flipBit(dataDir: string, marker: string): void {
  const path = join(dataDir, STORE);
  const bytes = readFileSync(path);
  let found = 0;
  for (let at = bytes.indexOf(marker); at !== -1; at = bytes.indexOf(marker, at + 1)) {
    bytes[at + 3]! ^= 0x04;
    found++;
  }
  expect(found).toBeGreaterThan(0);
  writeFileSync(path, bytes);
}

describe('a flipped bit in a stored record', () => {
  it('is an error that names the record, whichever way it is read, and hurts no other', async () => {
    const dataDir = await filledDirectory();
    flipBit(dataDir, 'record 17 begins');
    const engine = await openForTest({ dataDir });
    const named = /record 18 of db\.c does not match its checksum/;
    look(engine, (view) => {
      const collection = view.collection('db', 'c')!;
      expect(() => view.findById(collection, 17)).toThrow(named);
      expect(() => scanDocs(view, collection)).toThrow(named);
      expect(() => view.get(collection, 18)).toThrow(CommandError);
      expect(view.findById(collection, 18)).toBeDefined();
      expect([...view.scan(collection, { after: 18 })]).toHaveLength(RECORDS - 18);
    });
  });
});

describe('a record that is gone from the file', () => {
  it('is missed by a scan of the whole collection', async () => {
    const dataDir = await filledDirectory();
    const environment = Environment.open(dataDir);
    const { key } = [...environment.range('records', Buffer.of(0), undefined)][7] as Entry;
    await environment.apply([{ table: 'records', key, value: null }]);
    await environment.close();
    const engine = await openForTest({ dataDir });
    look(engine, (view) => {
      const collection = view.collection('db', 'c')!;
      expect(() => [...view.scan(collection)]).toThrow(`db.c, which shows ${RECORDS - 1} of ${RECORDS} records`);
      expect(() => view.findById(collection, 7)).toThrow('names record 8 of db.c, which is not there');
    });
  });
});

/** Reads everything; says whether all of it was right. Runs in a process of its own, which the damage may end. */
const READER = `
  const { openEngine } = await import(${JSON.stringify(moduleUrl('./open-engine.js'))});
  const { decode } = await import(${JSON.stringify(moduleUrl('../bson/decode.js'))});
  const isRight = ({ _id, n, text }) => _id === n && text === 'record ' + n + ' begins ' + 'x'.repeat(150);
  try {
    const engine = await openEngine({ dataDir: process.argv[1] });
    const view = engine.view();
    const collection = view.collection('db', 'c');
    let found = 0;
    for (const { bytes } of view.scan(collection)) {
      if (!isRight(decode(bytes))) throw 'WRONG';
      found++;
    }
    if (found !== ${RECORDS}) throw 'WRONG';
    for (let n = 0; n < ${RECORDS}; n++) {
      const record = view.findById(collection, n);
      if (record !== undefined && !isRight(decode(record.bytes))) throw 'WRONG';
    }
    console.log('RIGHT');
  } catch (error) {
    console.log(error === 'WRONG' ? 'WRONG' : 'REFUSED');
  }
  process.exit();
`;

/** Evenly drawn numbers below `end`, the same in every run. */
function seededIntegers(seed: number): (end: number) => number {
  let state = seed;
  return (end) => {
    // Numerical Recipes' linear congruential generator; its upper bits are the better ones.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * end);
  };
}

describe('random damage to the file', () => {
  it('never shows as wrong data: all is right, or it is refused, or the process ends', async () => {
    const dataDir = await filledDirectory();
    const whole = readFileSync(join(dataDir, STORE));
    const draw = seededIntegers(20);
    const outcomes = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const copyDir = temporaryDirectory();
        const bytes = Buffer.from(whole);
        for (let flips = 0; flips < 40; flips++) bytes[draw(bytes.length)]! ^= 1 << draw(8);
        writeFileSync(join(copyDir, STORE), bytes);
        copyFileSync(join(dataDir, 'FORMAT'), join(copyDir, 'FORMAT'));
        const reader = spawn(process.execPath, ['--input-type=module', '-e', READER, copyDir], {
          stdio: ['ignore', 'pipe', 'ignore'],
        });
        const [output] = await Promise.all([text(reader.stdout), once(reader, 'exit')]);
        return output.trim();
      }),
    );
    for (const outcome of outcomes) expect(['RIGHT', 'REFUSED', '']).toContain(outcome);
    // Forty flips in a file this small do not pass unseen every time.
    expect(outcomes).toContain('REFUSED');
  });
});

describe('salvage', () => {
  it('copies a whole directory completely, with its indexes', async () => {
    const dataDir = await filledDirectory();
    const to = join(temporaryDirectory(), 'new');
    const report = await salvage({ from: dataDir, to });
    expect(report).toEqual({
      collections: 1,
      records: RECORDS,
      damaged: 0,
      unreadable: 0,
      indexesLeftOut: [],
      complete: true,
    });
    const engine = await openForTest({ dataDir: to });
    look(engine, (view) => {
      const collection = view.collection('db', 'c')!;
      expect(scanDocs(view, collection)[399]).toEqual({ _id: 399, n: 399, text: textOf(399) });
      expect([...view.scanIndex(collection, collection.indexes[1]!, {})]).toHaveLength(RECORDS);
    });
  });

  it('leaves out what does not match its checksum', async () => {
    const dataDir = await filledDirectory();
    flipBit(dataDir, 'record 17 begins');
    flipBit(dataDir, 'record 200 begins');
    const report = await salvage({ from: dataDir, to: join(temporaryDirectory(), 'new') });
    expect(report).toMatchObject({ records: RECORDS - 2, damaged: 2, complete: false });
  });

  it('goes on behind pages that end the reading process', async () => {
    const dataDir = await filledDirectory();
    const path = join(dataDir, STORE);
    const bytes = readFileSync(path);
    const page = bytes.lastIndexOf('record 200 begins') & ~4095;
    // The page's entry offsets now point far outside of it.
    bytes.fill(0xff, page + 16, page + 64);
    writeFileSync(path, bytes);
    const to = join(temporaryDirectory(), 'new');
    const report = await salvage({ from: dataDir, to });
    expect(report.records).toBeGreaterThan(RECORDS * 0.8);
    expect(report.records).toBeLessThan(RECORDS);
    expect(report.complete).toBe(false);
    const engine = await openForTest({ dataDir: to });
    look(engine, (view) => {
      for (const doc of scanDocs(view, view.collection('db', 'c')!)) expect(doc.text).toBe(textOf(doc.n as number));
    });
  });

  it('refuses a directory that is in use, one without a store, and a target that is not empty', async () => {
    const dataDir = await filledDirectory();
    await expect(salvage({ from: temporaryDirectory(), to: join(temporaryDirectory(), 'new') })).rejects.toThrow(
      'holds no store.mdb',
    );
    await expect(salvage({ from: dataDir, to: dataDir })).rejects.toThrow('not empty');
  });

  it.skipIf(!existsSync('/proc/self'))('says at once where no directory can be made', { timeout: 20_000 }, async () => {
    const from = await filledDirectory();
    for (const to of ['/proc/x', '/proc/x/y', '/proc/version'])
      await expect(salvage({ from, to })).rejects.toThrow(/cannot be a data directory/);
  });
});

describe('an acknowledged commit', () => {
  it('is in the files as they are at that moment', async () => {
    const dataDir = temporaryDirectory();
    const { engine, collection } = await openWithCollection({ dataDir });
    for (let n = 0; n < 20; n++) {
      await insert(engine, collection, { _id: n });
      const copyDir = temporaryDirectory();
      mkdirSync(copyDir, { recursive: true });
      for (const file of [STORE, 'FORMAT']) copyFileSync(join(dataDir, file), join(copyDir, file));
      const copy = await openForTest({ dataDir: copyDir });
      look(copy, (view) => expect(scanDocs(view, view.collection('db', 'c')!)).toHaveLength(n + 1));
      await copy.close();
    }
  });
});
