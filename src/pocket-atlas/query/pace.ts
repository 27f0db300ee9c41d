import { nextTurn } from '../turns.js';

/** How long a pipeline may hold the event loop, so that other commands and heartbeats get their turn. */
const SLICE_MS = 12;

/** Shares the event loop: all stages of a pipeline ask one pace whether it is time to let others run. */
export class Pace {
  readonly #checkInterrupted: () => void;
  #since = performance.now();

  constructor(checkInterrupted: () => void) {
    this.#checkInterrupted = checkInterrupted;
  }

  get due(): boolean {
    return performance.now() - this.#since > SLICE_MS;
  }

  /** Lets the event loop run. @throws CommandError 50, 11601 when the command is over meanwhile. */
  async rest(): Promise<void> {
    await nextTurn();
    this.#checkInterrupted();
    this.#since = performance.now();
  }
}
