import { test } from 'vitest';
import { openTestStore, type TestStore } from '../../support/test-store.js';

type OpenOptions = Parameters<typeof openTestStore>[1];

/** Tests that have a store each, on a server that has been started by the time they run. */
export function storeTests(
  uri: () => string,
  common: OpenOptions = {},
): (name: string, body: (store: TestStore) => Promise<void>, options?: OpenOptions) => void {
  return (name, body, options = {}) =>
    test(name, async () => {
      const store = await openTestStore(uri(), { ...common, ...options });
      try {
        await body(store);
      } finally {
        await store.close();
      }
    });
}

export async function* asBytes(blocks: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const block of blocks) yield Buffer.from(block);
}
