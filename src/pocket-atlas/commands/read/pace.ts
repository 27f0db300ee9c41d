import { nextTurn } from '../../turns.js';

/** Work goes on for this long before other connections get their turn. */
const SLICE_MS = 15;

/** Lets other work in between long loops, and stops loops whose time is up. */
export class Pace {
  #sliceStart = performance.now();
  #countdown = CHECK_EVERY;
  readonly #checkInterrupted: () => void;

  constructor(checkInterrupted: () => void) {
    this.#checkInterrupted = checkInterrupted;
  }

  /** True when the slice is used up: `await breathe()` then. Cheap enough for every record. */
  get due(): boolean {
    this.#countdown -= 1;
    if (this.#countdown > 0) return false;
    this.#countdown = CHECK_EVERY;
    return performance.now() - this.#sliceStart >= SLICE_MS;
  }

  /** @throws CommandError when the command is to stop. */
  async breathe(): Promise<void> {
    await nextTurn();
    this.#sliceStart = performance.now();
    this.#checkInterrupted();
  }
}

/** The clock is read once per so many records. */
const CHECK_EVERY = 32;
