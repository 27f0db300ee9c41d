import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPocketAtlas, type TestPocketAtlas } from '../support/pocket-atlas.js';
import { type Harness, me, openHarness } from './harness.js';

let server: TestPocketAtlas;
let harness: Harness;
beforeAll(async () => {
  server = await startTestPocketAtlas();
  harness = await openHarness(server.uri, 'search');
  await harness.upsert(me, { title: 'cats', text: 'Cats sleep most of the day and hunt at dusk.' });
  await harness.upsert(me, { title: 'rockets', text: 'Rockets burn fuel to leave the atmosphere.' });
});
afterAll(async () => {
  await harness?.close();
  await server?.stop();
});

describe('search', () => {
  it.each(['VECTOR', 'TEXT', 'HYBRID'] as const)('finds the passage by %s', async (mode) => {
    const { hits, diagnostics } = await harness.search(me, { query: 'how do rockets leave the atmosphere', mode });
    expect(diagnostics).toMatchObject({ mode, degraded: [], staleDropped: 0 });
    expect(hits[0]?.text).toContain('Rockets');
  });
});
