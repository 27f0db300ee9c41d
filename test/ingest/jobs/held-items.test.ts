import { expect, test } from 'vitest';
import { type HeldItem, HeldItems, LIGHT_PER_SLOT } from '../../../src/ingest/jobs/held-items.js';
import type { ClaimedBatch, JobKind } from '../../../src/store/jobs/job-records.js';

const RULES = { slots: 3, lightBytes: 100, heavyBytes: 10_000 };

function batch(owner: string, sizes: readonly number[], kind: JobKind = 'INGEST'): ClaimedBatch {
  return {
    lease: `lease of ${owner}`,
    job: { id: owner, kind, spec: {}, principal: { owner, agents: null, apiKeyId: null } },
    items: sizes.map((payloadBytes, position) => ({ id: `${owner} ${position}`, payloadBytes })),
  } as unknown as ClaimedBatch;
}

function startAll(held: HeldItems): HeldItem[] {
  const started: HeldItem[] = [];
  for (let one = held.start(); one !== null; one = held.start()) started.push(one);
  return started;
}

const short = (count: number) => Array<number>(count).fill(10);

test('several short documents run in one slot, and one owner still leaves a whole slot to others', () => {
  const held = new HeldItems(RULES);
  held.add(batch('ada', short(50)));
  expect(startAll(held)).toHaveLength((RULES.slots - 1) * LIGHT_PER_SLOT);
  held.add(batch('bob', [5_000]));
  expect(startAll(held).map(({ item }) => item.id)).toEqual(['bob 0']);
});

test('what is embedded anew is no short document, however little says which', () => {
  const held = new HeldItems(RULES);
  held.add(batch('ada', short(50), 'REEMBED'));
  expect(startAll(held)).toHaveLength(RULES.slots - 1);
});

test('a long document is not passed for ever by the short ones behind it', () => {
  const held = new HeldItems(RULES);
  held.add(batch('ada', [...short(7), 5_000, ...short(20)]));
  const running = startAll(held);
  expect(running).toHaveLength(7);
  // A part of a slot became free, a whole one did not: nobody else takes it.
  for (const one of running.slice(0, 2)) held.stopped(one);
  expect(startAll(held)).toHaveLength(0);
  held.stopped(running[2] as HeldItem);
  expect(startAll(held)[0]?.item.id).toBe('ada 7');
});

test('what has stopped leaves its room, whatever it took', () => {
  const held = new HeldItems(RULES);
  held.add(batch('ada', [5_000, ...short(4)]));
  for (const one of startAll(held)) held.stopped(one);
  held.add(batch('bob', [5_000, 5_000, 5_000]));
  expect(startAll(held)).toHaveLength(RULES.slots - 1);
  expect(held.running).toBe(RULES.slots - 1);
});
