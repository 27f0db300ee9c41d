import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { usearch } from '../../../../src/pocket-atlas/search/vector/usearch.js';
import { temporaryDirectory } from '../../storage/temporary-directory.js';

const COMPILED = new URL('../../../../dist/src/pocket-atlas/search/vector/usearch.js', import.meta.url);

describe('the native library', () => {
  it('takes int8 vectors as they are', () => {
    const library = usearch();
    if (library === undefined) return console.log('usearch is not installed here: not tested');
    const index = new library.CompiledIndex(4, 'cos', 'i8', 16, 128, 64, false);
    index.add(BigUint64Array.of(7n, 9n), Int8Array.of(127, 0, 0, 0, 0, 1, 0, 0), 1);
    const [keys, , counts] = index.search(Int8Array.of(0, 2, 0, 0), 5, 1);
    expect([...keys.subarray(0, Number(counts[0]))]).toEqual([9n, 7n]);
  });

  it('is done without where it is not installed, which is said once', async () => {
    const copy = join(temporaryDirectory(), 'usearch.mjs');
    const code = await readFile(COMPILED, 'utf8');
    await writeFile(copy, code.replace(/^\/\/# sourceMappingURL.*$/m, ''));
    const alone = (await import(pathToFileURL(copy).href)) as { usearch: typeof usearch };
    const warnings: string[] = [];
    const listen = ({ message }: Error) => warnings.push(message);
    process.on('warning', listen);
    expect(alone.usearch()).toBeUndefined();
    expect(alone.usearch()).toBeUndefined();
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', listen);
    expect(warnings).toEqual(['The optional package usearch cannot be loaded: every vector search is exact']);
  });
});
