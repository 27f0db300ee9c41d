import { afterAll, beforeAll, expect } from 'vitest';
import type { JobKindWork } from '../../../src/ingest/jobs/job-kinds.js';
import type { ItemProgress, JobRecord } from '../../../src/store/jobs/job-records.js';
import { makeScope } from '../../../src/store/scope.js';
import { startTestPocketAtlas, type TestPocketAtlas } from '../../support/pocket-atlas.js';
import { documents, itemsOf, jobsOn, seenBy } from './job-harness.js';
import { storeTests } from './store-tests.js';

let server: TestPocketAtlas;
beforeAll(async () => {
  server = await startTestPocketAtlas();
});
afterAll(async () => server.stop());

const ada = makeScope('ada', null);

const withStore = storeTests(() => server.uri);

/** One item that reaches a step only when the one before was seen. */
function steppedKind(steps: readonly ItemProgress[]): JobKindWork & { seen(step: ItemProgress): void } {
  const waiting = new Map<string, () => void>();
  const keyOf = ({ phase, done, total }: ItemProgress): string => `${phase} ${done} ${total}`;
  return {
    kind: 'INGEST',
    async runItem(_item, { onProgress }) {
      for (const step of steps) {
        const seen = new Promise<void>((resolve) => waiting.set(keyOf(step), resolve));
        onProgress?.(step);
        await seen;
      }
      return { outcome: 'CREATED', documentId: null };
    },
    seen: (step) => waiting.get(keyOf(step))?.(),
  };
}

const STEPS: readonly ItemProgress[] = [
  { phase: 'extracting', done: 17, total: 350 },
  { phase: 'chunking', done: 5, total: 9 },
  { phase: 'embedding', done: 512, total: 45_000 },
  { phase: 'storing', done: 45_000, total: 45_000 },
];

withStore('whoever watches a job hears how far a long item is, whichever server runs it', async (store) => {
  const kind = steppedKind(STEPS);
  const running = jobsOn(store, { kinds: [kind], runner: { progressMs: 20 } });
  // as on another server: this one hears of nothing, it looks
  const watching = jobsOn(store);
  const job = await running.create(ada, {
    kind: 'INGEST',
    apiKeyId: null,
    items: await itemsOf(store, ada, documents(1, 'long')),
  });
  running.start();
  const shown: ItemProgress[] = [];
  let last: JobRecord | undefined;
  for await (const now of await watching.watch(seenBy(ada), job.id, AbortSignal.timeout(60_000))) {
    last = now;
    if (now.progress === null) continue;
    const { item, phase, done, total } = now.progress;
    expect(item).toBe('long 0');
    shown.push({ phase, done, total });
    kind.seen({ phase, done, total });
  }
  expect(shown).toEqual(expect.arrayContaining([...STEPS]));
  // what has ended is at nothing
  expect(last).toMatchObject({ state: 'SUCCEEDED', progress: null });
  await running.stop();
  expect(running.errors).toEqual([]);
});

withStore('short documents say nothing of themselves, and a long one that it still runs', async (store) => {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const kind: JobKindWork = {
    kind: 'INGEST',
    async runItem({ name }, { onProgress }) {
      // The short one is the first, and would be what is shown.
      onProgress?.({ phase: 'storing', done: name.startsWith('short') ? 1 : 2, total: 3 });
      await held;
      return { outcome: 'CREATED', documentId: null };
    },
  };
  const jobs = jobsOn(store, { kinds: [kind], runner: { progressMs: 10, lightBytes: 1_000 } });
  const long = { ...documents(1, 'long')[0]!, text: 'pumps and valves '.repeat(200) };
  const { id } = await jobs.create(ada, {
    kind: 'INGEST',
    apiKeyId: null,
    items: await itemsOf(store, ada, [...documents(1, 'short'), long]),
  });
  jobs.start();
  const shown: unknown[] = [];
  const watching = (async () => {
    for await (const { progress } of await jobs.watch(seenBy(ada), id, AbortSignal.timeout(60_000)))
      if (progress !== null) {
        shown.push([progress.item, progress.done]);
        if (shown.length === 3) release();
      }
  })();
  await watching;
  await jobs.stop();
  expect(shown.slice(0, 3)).toEqual(Array(3).fill(['long 0', 2]));
});
