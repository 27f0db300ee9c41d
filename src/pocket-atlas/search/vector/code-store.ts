import { BLOCK_BYTES, type CodeMemory } from './code-memory.js';

/**
 * The codes of one lane: slots of one size, named by their address. A row keeps its slot while the segments around it are
 * sealed and merged, so neither costs memory.
 */
export class CodeStore {
  readonly #memory: CodeMemory;
  readonly #slotBytes: number;
  readonly #blocks: number[] = [];
  readonly #free: number[] = [];
  #next = 0;
  #end = 0;

  /** `slotBytes`: a multiple of STEP_BYTES, at most BLOCK_BYTES. */
  constructor(memory: CodeMemory, slotBytes: number) {
    this.#memory = memory;
    this.#slotBytes = slotBytes;
  }

  /** Stores a code, padded with zeros; returns its address. */
  put(code: Uint8Array): number {
    const address = this.#free.pop() ?? this.#fresh();
    const { bytes } = this.#memory;
    bytes.set(code, address);
    bytes.fill(0, address + code.length, address + this.#slotBytes);
    return address;
  }

  /** Gives slots back, to be used again at once: see ReadEpochs. */
  free(addresses: Iterable<number>): void {
    for (const address of addresses) this.#free.push(address);
  }

  /** Gives everything back; no search may be running. */
  close(): void {
    for (const block of this.#blocks) this.#memory.freeBlock(block);
    this.#blocks.length = 0;
    this.#free.length = 0;
    this.#next = 0;
    this.#end = 0;
  }

  #fresh(): number {
    if (this.#next + this.#slotBytes > this.#end) {
      this.#next = this.#memory.allocateBlock();
      this.#blocks.push(this.#next);
      this.#end = this.#next + BLOCK_BYTES;
    }
    const address = this.#next;
    this.#next += this.#slotBytes;
    return address;
  }
}
