import { describe, expect, it } from 'vitest';
import { killRounds } from '../../../src/pocket-atlas/storage/torture/kill-rounds.js';
import { temporaryDirectory } from './temporary-directory.js';

describe('a server that is killed', () => {
  it('keeps every acknowledged commit whole and starts again at once, round after round', async () => {
    const result = await killRounds({
      dataDir: temporaryDirectory(),
      rounds: 3,
      lifeMs: [20, 300],
      random: Math.random,
    });
    expect(result.acknowledged).toBeGreaterThan(10);
    // Far below the 10 s for which a held lock is waited for.
    expect(result.slowestStartMs).toBeLessThan(9000);
  });
});
