import { setTimeout as sleep } from 'node:timers/promises';

const WAIT_MS = 20_000;

/** Waits until an index that a client made answers, as everybody has to on Atlas. */
export async function searchable(list: () => Promise<readonly unknown[]>): Promise<void> {
  for (const end = performance.now() + WAIT_MS; performance.now() < end; await sleep(20)) {
    const [index] = (await list()) as { queryable?: boolean }[];
    if (index?.queryable === true) return;
  }
  throw new Error(`The index did not become queryable within ${WAIT_MS} ms`);
}
