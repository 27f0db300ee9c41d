import { randomUUID } from 'node:crypto';
import type { Embedder } from '../../src/embed/embedder.js';
import { type ReembedItem, readItem, reembedItems } from '../../src/ingest/reembed/reembed-items.js';
import { reembedWork } from '../../src/ingest/reembed/reembed-work.js';
import type { SpaceRecord } from '../../src/store/records.js';
import { operator } from '../../src/store/scope.js';
import type { TestStore } from './test-store.js';

/** A database whose model is `hash` at first; spaces of the model `second` are `second`'s. */
export function embeddersOf(first: Embedder, second: Embedder): (space: SpaceRecord) => Embedder {
  return (space) => (space.model === second.space.model ? second : first);
}

/** Runs the items of a REEMBED job one after the other, as the jobs' runner does; postponed ones again. */
export async function fillSpace(
  store: TestStore,
  embedderOf: (space: SpaceRecord) => Embedder,
  space: SpaceRecord,
  options: { readonly activate?: boolean; readonly between?: (item: ReembedItem) => void | Promise<void> } = {},
): Promise<void> {
  const work = reembedWork({ store, embedderOf });
  const jobId = randomUUID().replaceAll('-', '').slice(0, 24);
  let position = 0;
  for await (const { item: made } of reembedItems(store, operator)) {
    const { name, payload } = made;
    const item = {
      id: '',
      jobId,
      name,
      position: position++,
      spec: { space: space.id, activate: options.activate ?? false },
      payload: Buffer.from(payload),
    };
    await options.between?.(readItem(item.payload));
    while ('postponeMs' in (await work.runItem(item, { operator, signal: new AbortController().signal })));
  }
}
