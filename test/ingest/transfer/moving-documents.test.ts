import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { unpackItem } from '../../../src/ingest/transfer/item-payload.js';
import { readDocument } from '../../../src/ingest/transfer/read-document.js';
import { receiveImport } from '../../../src/ingest/transfer/receive-items.js';
import { writeExport } from '../../../src/ingest/transfer/write-export.js';
import { makeScope } from '../../../src/store/scope.js';
import { startTestPocketAtlas, type TestPocketAtlas } from '../../support/pocket-atlas.js';
import { ONE_PARAGRAPH, openTestStore, paragraphs, type TestStore } from '../../support/test-store.js';

let pocketAtlas: TestPocketAtlas;
let store: TestStore;
beforeAll(async () => {
  pocketAtlas = await startTestPocketAtlas();
  store = await openTestStore(pocketAtlas.uri);
});
afterAll(async () => {
  await store?.ingest.close();
  await store?.close();
  await pocketAtlas?.stop();
});

/**
 * Goal: whatever moves under an export, each document in it is one version. Method: one writer swaps the text of a document
 * as fast as it can, changes another one's agents and deletes and makes a third, while exports are taken with nothing held
 * back, so that lines have left when a document moves.
 */
test('each document of an export is one version, however fast it moves', async () => {
  const scope = makeScope('ada', null);
  const write = (title: string, word: string) =>
    store.upsert(scope, title, paragraphs(150, word), { chunking: ONE_PARAGRAPH });
  await write('swapped', 'alpha');
  await write('calm', 'gamma');

  let isWriting = true;
  const writer = (async () => {
    for (let round = 0; isWriting; round++) {
      await write('swapped', round % 2 === 0 ? 'beta' : 'alpha');
      await store.updateAttributes(scope, { title: 'calm' }, { metadata: { round } });
      if (round % 2 === 0) await write('fleeting', 'delta');
      else await store.deleteDocument(scope, { title: 'fleeting' });
    }
  })();

  let discarded = 0;
  try {
    for (let round = 0; round < 12; round++) {
      const blocks: Buffer[] = [];
      for await (const block of writeExport(store, scope, { heldBytes: 2_000 })) blocks.push(Buffer.from(block));
      discarded += Buffer.concat(blocks).toString().split('{"kind":"discard"}').length - 1;
      const { items, space } = await receiveImport(
        (async function* () {
          yield* blocks;
        })(),
      );
      const titles: string[] = [];
      for await (const item of items) {
        expect(item.refused).toBeUndefined();
        const { head, lines } = unpackItem(Buffer.from(item.payload));
        if (!('firstLine' in head)) throw new Error('An intact item has its first line');
        // Reading checks the text against its hash, and every span.
        const { title, text, chunks, vectors } = await readDocument(lines, { firstLine: head.firstLine, space });
        titles.push(title);
        expect(new Set(text.match(/^\w+(?= paragraph)/gm)).size).toBe(1);
        expect(chunks).toHaveLength(150);
        for (const chunk of chunks) {
          expect(chunk.embedHash).toBe(createHash('sha256').update(chunk.text).digest('hex'));
          expect(vectors.has(chunk.embedHash)).toBe(true);
        }
      }
      expect(titles).toEqual(expect.arrayContaining(['calm', 'swapped']));
    }
  } finally {
    isWriting = false;
    await writer;
  }
  // Else the writer was too slow to be in the way.
  expect(discarded).toBeGreaterThan(0);
}, 120_000);
