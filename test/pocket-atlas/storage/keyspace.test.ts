import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codeOf, openForTest } from './open-for-test.js';
import { temporaryDirectory } from './temporary-directory.js';

const bytes = (text: string) => new Uint8Array(Buffer.from(text));
const text = (value: Uint8Array | undefined) => value && Buffer.from(value).toString();

describe('a keyspace', () => {
  it('holds its keys in byte order, apart from other keyspaces, over reopening', async () => {
    const dataDir = temporaryDirectory();
    const engine = await openForTest({ dataDir });
    const put = (key: string, value: string | null) => ({
      key: bytes(key),
      value: value === null ? null : bytes(value),
    });
    await engine.keyspace('a').commit([put('k2', 'two'), put('k1', 'one'), put('k10', 'ten'), put('z', 'last')]);
    await engine.keyspace('ab').commit([put('k1', 'other')]);
    await engine.keyspace('a').commit([put('k2', null), put('k1', 'uno')]);
    await engine.close();
    const again = await openForTest({ dataDir });
    const space = again.keyspace('a');
    const entries = [...space.range(bytes('k'), bytes('z'))].map(({ key, value }) => `${text(key)}=${text(value)}`);
    expect(entries).toEqual(['k1=uno', 'k10=ten']);
    expect(text(space.get(bytes('z')))).toBe('last');
    expect(space.get(bytes('k2'))).toBeUndefined();
    expect(text(again.keyspace('ab').get(bytes('k1')))).toBe('other');
  });

  it('reads ranges of many entries and of large ones', async () => {
    const engine = await openForTest();
    const space = engine.keyspace('large');
    const key = (n: number) => Buffer.from(String(n).padStart(6, '0'));
    await space.commit(
      Array.from({ length: 3000 }, (_, n) => ({ key: key(n), value: Buffer.alloc(n % 7 === 0 ? 40_000 : 10, n) })),
    );
    let n = 0;
    for (const entry of space.range(key(0), key(3000))) {
      expect(text(entry.key)).toBe(text(key(n)));
      expect(entry.value.length).toBe(n % 7 === 0 ? 40_000 : 10);
      expect(entry.value[entry.value.length - 1]).toBe(n % 256);
      n++;
    }
    expect(n).toBe(3000);
  });

  it('refuses a damaged value, naming its key', async () => {
    const dataDir = temporaryDirectory();
    const engine = await openForTest({ dataDir });
    await engine.keyspace('a').commit([{ key: bytes('k'), value: bytes('a marked value') }]);
    await engine.close();
    const path = join(dataDir, 'store.mdb');
    const file = readFileSync(path);
    for (let at = file.indexOf('a marked value'); at !== -1; at = file.indexOf('a marked value', at + 1))
      file[at]! ^= 1;
    writeFileSync(path, file);
    const again = await openForTest({ dataDir });
    expect(await codeOf(() => again.keyspace('a').get(bytes('k')))).toBe(1);
    expect(() => [...again.keyspace('a').range(bytes('a'), bytes('z'))]).toThrow('key 6b of keyspace a');
  });

  it('refuses names and keys that are too long', async () => {
    const engine = await openForTest();
    expect(() => engine.keyspace('')).toThrow(RangeError);
    expect(() => engine.keyspace('a').commit([{ key: new Uint8Array(2000), value: null }])).toThrow(RangeError);
  });
});
