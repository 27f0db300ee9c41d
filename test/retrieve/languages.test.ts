import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPocketAtlas, type TestPocketAtlas } from '../support/pocket-atlas.js';
import { type Harness, me, openHarness } from './harness.js';

const ENGLISH = 'Pumps move water through the long pipes of the old house by the river.';
const GERMAN = 'Die Pumpen fördern das Wasser durch die langen Rohre des alten Hauses am Fluss.';

let server: TestPocketAtlas;
let harness: Harness;
beforeAll(async () => {
  server = await startTestPocketAtlas();
  harness = await openHarness(server.uri, 'languages', { languages: ['en', 'de'] });
  for (const text of [ENGLISH, GERMAN]) await harness.upsert(me, { title: text.slice(0, 5), text });
});
afterAll(async () => {
  await harness?.close();
  await server?.stop();
});

describe('an index of English and German', () => {
  it.each([
    ['pump', [ENGLISH]],
    ['house pipe', [ENGLISH]],
    ['Pumpen', [GERMAN]],
    ['Rohre', [GERMAN]],
    ['Wie fördert eine Pumpe das Wasser durch das Rohr?', [GERMAN]],
  ])('finds by %j, of whatever length', async (query, expected) => {
    const { hits } = await harness.search(me, { query, mode: 'TEXT' });
    expect(hits.map(({ text }) => text)).toEqual(expected);
  });
});
