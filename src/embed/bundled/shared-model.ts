import { sharedMemory } from './matrix-kernel.js';
import { SCRATCH, WEIGHTS } from './weights.js';

/** What a thread needs to run the model: the one memory of the process, whether it is loaded, and a scratch area. */
export interface ModelLease {
  readonly memory: WebAssembly.Memory;
  /** One Int32, see LOAD_STATE. */
  readonly state: SharedArrayBuffer;
  readonly slot: number;
}

/** The first thread loads the weights, others wait for it. */
export const LOAD_STATE = { EMPTY: 0, LOADING: 1, LOADED: 2 } as const;

/** Threads of all embedders of the process; an area costs memory (2 MB) only once it is used. */
const SLOTS = 32;
const PAGE_BYTES = 65_536;

let shared: Omit<ModelLease, 'slot'> | undefined;
const taken = new Set<number>();

/**
 * Takes a scratch area. The memory (27 MB of weights, kept until the process ends) is made with the first.
 *
 * @throws Error when every area is taken.
 */
export function leaseModel(): { readonly data: ModelLease; release(): void } {
  let slot = 0;
  while (taken.has(slot)) slot++;
  if (slot >= SLOTS) throw new Error(`Expected at most ${SLOTS} embedding threads in one process, got one more`);
  taken.add(slot);
  shared ??= create();
  return { data: { ...shared, slot }, release: () => void taken.delete(slot) };
}

function create(): Omit<ModelLease, 'slot'> {
  const pages = Math.ceil(((WEIGHTS.end + SLOTS * SCRATCH.end) * Float32Array.BYTES_PER_ELEMENT) / PAGE_BYTES);
  return {
    memory: sharedMemory(pages),
    state: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT),
  };
}
