import { setImmediate as nextTurn } from 'node:timers/promises';

/** Longest stretch of work before other connections get their turn, in ms; the promise to callers is 20. */
export const SLICE_MS = 10;

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
