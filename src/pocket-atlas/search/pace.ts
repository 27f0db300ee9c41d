import { nextTurn } from '../turns.js';

/** Longest stretch of work before other connections get their turn, in ms; the promise to callers is 20. */
export const SLICE_MS = 10;
/** Of upkeep that nobody waits for: a search that is sliced itself waits for one of these between its own. */
const BACKGROUND_SLICE_MS = 5;

/** Cuts long work into slices: call `pause()` often, it lets the event loop turn when the slice is used up. */
export interface Pacer {
  isDue(): boolean;
  pause(): Promise<void>;
}

export function createPacer(sliceMs = SLICE_MS): Pacer {
  let sliceEnd = performance.now() + sliceMs;
  return {
    isDue: () => performance.now() >= sliceEnd,
    async pause() {
      if (performance.now() < sliceEnd) return;
      await nextTurn();
      sliceEnd = performance.now() + sliceMs;
    },
  };
}

/**
 * The one pacer of all that builds and keeps indexes: steps that follow each other within a turn (reading records, indexing
 * them, sealing, writing) share its slice, where one of its own for each would add up.
 */
export const backgroundPacer: Pacer = createPacer(BACKGROUND_SLICE_MS);
