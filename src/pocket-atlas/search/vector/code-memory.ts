import { createKernel, type Kernel, ROWS_AT_ONCE } from './kernel.js';
import { MAX_PAGES } from './wasm-module.js';

/**
 * Where the codes of all vector indexes of the process lie: one WebAssembly memory (a vector scan reads nothing else), cut
 * into blocks that lanes borrow. A memory can grow but not shrink, so blocks that come back are used again.
 */
const PAGE_BYTES = 65_536;
const BLOCK_PAGES = 4;
export const BLOCK_BYTES = BLOCK_PAGES * PAGE_BYTES;

/** Rows scanned by one call into the kernel: about 0.3 ms of work at 512 dimensions. */
export const SCAN_ROWS = 4_096;
/** The first block is for passing addresses in and sums out. */
const ADDRESSES_AT = 0;
const SUMS_AT = ADDRESSES_AT + SCAN_ROWS * 4;
const QUERY_AT = SUMS_AT + SCAN_ROWS * 4;
const QUERY_BYTES_MAX = BLOCK_BYTES - QUERY_AT;

export type Comparison = 'dots' | 'hammings';

export class CodeMemory {
  readonly #memory = new WebAssembly.Memory({ initial: BLOCK_PAGES, maximum: MAX_PAGES });
  readonly #kernel: Kernel = createKernel(this.#memory);
  readonly #free: number[] = [];
  #bytes = new Uint8Array(this.#memory.buffer);

  /** The whole memory; asked for again after anything that may allocate. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** The address of BLOCK_BYTES bytes. Throws when 4 GiB are in use. */
  allocateBlock(): number {
    const known = this.#free.pop();
    if (known !== undefined) return known;
    try {
      const page = this.#memory.grow(BLOCK_PAGES);
      this.#bytes = new Uint8Array(this.#memory.buffer);
      return page * PAGE_BYTES;
    } catch (cause) {
      throw new Error('Vector indexes of one server can keep at most 4 GiB of codes: index fewer or shorter vectors', {
        cause,
      });
    }
  }

  freeBlock(address: number): void {
    this.#free.push(address);
  }

  /**
   * Compares the query with the codes at `addresses` (SCAN_ROWS at most). The sums are valid until the next call. `length`
   * is in bytes of a code, a multiple of STEP_BYTES; a query of `dots` has two bytes for each.
   */
  compare(comparison: Comparison, addresses: Uint32Array, query: Uint8Array, length: number): Int32Array {
    const count = addresses.length;
    if (count === 0) return new Int32Array(0);
    if (count > SCAN_ROWS || query.length > QUERY_BYTES_MAX) throw new Error('Too much for one scan');
    const { buffer } = this.#memory;
    const passed = new Uint32Array(buffer, ADDRESSES_AT, SCAN_ROWS);
    passed.set(addresses);
    const padded = Math.ceil(count / ROWS_AT_ONCE) * ROWS_AT_ONCE;
    passed.fill(addresses[0] as number, count, padded);
    this.#bytes.set(query, QUERY_AT);
    this.#kernel[comparison](ADDRESSES_AT, padded, QUERY_AT, length, SUMS_AT);
    return new Int32Array(buffer, SUMS_AT, count);
  }
}

let shared: CodeMemory | undefined;
export function codeMemory(): CodeMemory {
  shared ??= new CodeMemory();
  return shared;
}
