import { describe, expect, it } from 'vitest';
import { createPacer } from '../../src/pocket-atlas/search/pace.js';
import { nextTurn } from '../../src/pocket-atlas/turns.js';

/** Counts turns of the event loop while work runs. */
async function countingTurns(work: (turn: () => number) => Promise<void>): Promise<void> {
  let turn = 0;
  let timer = setImmediate(function next() {
    turn++;
    timer = setImmediate(next);
  });
  await work(() => turn).finally(() => clearImmediate(timer));
}

describe('waiting for a turn of the event loop', () => {
  it('lets one of many tasks go on per turn, in the order they came', async () => {
    const resumed: { task: number; turn: number }[] = [];
    await countingTurns(async (turn) => {
      const task = async (number: number) => {
        for (let step = 0; step < 3; step++) {
          await nextTurn();
          resumed.push({ task: number, turn: turn() });
        }
      };
      await Promise.all([task(0), task(1), task(2)]);
    });
    expect(resumed.map(({ task }) => task)).toEqual([0, 1, 2, 0, 1, 2, 0, 1, 2]);
    expect(new Set(resumed.map(({ turn }) => turn)).size).toBe(resumed.length);
  });

  it('is not forgotten when the one before throws', async () => {
    const failing = nextTurn().then(() => {
      throw new Error('its own business');
    });
    const following = nextTurn();
    await expect(failing).rejects.toThrow('its own business');
    await following;
  });
});

describe('a pacer', () => {
  it('takes no turn within its slice, and one whenever the slice is used up', async () => {
    await countingTurns(async (turn) => {
      const long = createPacer(60_000);
      for (let i = 0; i < 10; i++) await long.pause();
      expect(turn()).toBe(0);
      const none = createPacer(0);
      for (let i = 0; i < 10; i++) await none.pause();
      expect(turn()).toBeGreaterThanOrEqual(9);
    });
  });
});
