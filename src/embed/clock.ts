import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from './retry.js';

export const SYSTEM_CLOCK: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    try {
      await delay(ms, undefined, { signal });
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    }
  },
  random: () => Math.random(),
};
