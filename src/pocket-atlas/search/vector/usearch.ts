import { createRequire } from 'node:module';
import { dirname, join, sep } from 'node:path';

/**
 * The native HNSW library, loaded when it is first needed. It is an optional dependency (it has no builds for Windows and for
 * glibc below 2.34): without it every search is exact.
 *
 * Its JavaScript layer turns int8 vectors into float32, which usearch then quantizes by itself, with a tenth of the
 * resolution. So the native class below it is used. What must never be called: `remove` and `load` (a file saved after
 * removals crashes on `load`), and `search` on an empty index (the next `add` hangs for ever).
 */
export interface NativeIndex {
  add(keys: BigUint64Array, vectors: Int8Array | Float32Array, threads: number): void;
  /** Keys, distances and the number found, at most k. */
  search(
    query: Int8Array | Float32Array,
    k: number,
    threads: number,
  ): [keys: BigUint64Array, distances: Float32Array, counts: BigUint64Array];
  save(path: string): void;
  /** Maps the file into memory. A file that is not whole crashes the process: check it before. */
  view(path: string): void;
}

export interface Usearch {
  readonly CompiledIndex: new (
    dimensions: number,
    metric: string,
    scalar: string,
    connectivity: number,
    expansionAdd: number,
    expansionSearch: number,
    multi: boolean,
  ) => NativeIndex;
}

let loaded: { readonly library: Usearch | undefined } | undefined;

/** undefined when it is not installed or does not run here; that is said once. */
export function usearch(): Usearch | undefined {
  loaded ??= { library: load() };
  return loaded.library;
}

function load(): Usearch | undefined {
  try {
    // `createRequire`: its ES module entry recurses without end in workers.
    const entry = createRequire(import.meta.url).resolve('usearch');
    const bindings = createRequire(entry)('node-gyp-build') as (directory: string) => Usearch;
    return bindings(packageRoot(entry));
  } catch (error) {
    process.emitWarning('The optional package usearch cannot be loaded: every vector search is exact', {
      code: 'POCKET_ATLAS_NO_HNSW',
      detail: error instanceof Error ? error.message : String(error),
    });
    return undefined;
  }
}

function packageRoot(entry: string): string {
  const marker = `${sep}node_modules${sep}usearch${sep}`;
  const at = entry.lastIndexOf(marker);
  return at < 0 ? join(dirname(entry), '..', '..', '..') : entry.slice(0, at + marker.length);
}
