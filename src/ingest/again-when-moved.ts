import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '../errors.js';
import type { Scope } from '../store/scope.js';
import { VersionMoved } from '../store/store.js';
import { normalizeTitle } from '../store/title.js';
import type { KeyedLock } from './keyed-lock.js';

/** How often a write starts again because the document moved; within one process losers take turns, so few are needed. */
const MAX_ATTEMPTS = 12;
/** Between attempts; grows with each, so that a large version staged by another server gets its time. */
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 5_000;

/** Runs `once` until it does not throw `VersionMoved`. Throws `Refusal` CONFLICT when other writers never give way. */
export async function againWhenMoved<T>(
  turns: KeyedLock,
  {
    scope,
    title,
    signal,
  }: { readonly scope: Scope; readonly title: string; readonly signal?: AbortSignal | undefined },
  once: () => Promise<T>,
): Promise<T> {
  try {
    return await once();
  } catch (error) {
    if (!(error instanceof VersionMoved)) throw error;
  }
  return await turns.run(`${scope.owner}\0${normalizeTitle(title)}`, async () => {
    for (let attempt = 2; attempt <= MAX_ATTEMPTS; attempt++) {
      try {
        return await once();
      } catch (error) {
        if (!(error instanceof VersionMoved)) throw error;
      }
      // Half of it by chance, so that servers that collided do not collide again.
      const pause = Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 2), MAX_PAUSE_MS) * (0.5 + Math.random() / 2);
      await sleep(pause, undefined, signal === undefined ? {} : { signal });
    }
    throw new Refusal('CONFLICT', 'Other writers kept changing the document; try again', ['input', 'title']);
  });
}
