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
 * Goal: whatever moves under an export, each document in it is one version. Method: nothing is held back, so that lines of
 * the first document have left when, after the first block, it is replaced, another one's attributes change and a third is
 * deleted or made. Reading a document checks its text against its hash, and every span.
 */
test('each document of an export is one version, also where it moves between two blocks', async () => {
  const scope = makeScope('ada', null);
  const write = (title: string, word: string) =>
    store.upsert(scope, title, paragraphs(150, word), { chunking: ONE_PARAGRAPH });
  for (const title of ['swapped', 'calm', 'fleeting']) await write(title, 'alpha');

  for (let round = 0; round < 6; round++) {
    const blocks: Buffer[] = [];
    for await (const block of writeExport(store, scope, { heldBytes: 2_000 })) {
      blocks.push(Buffer.from(block));
      if (blocks.length > 1) continue;
      await write('swapped', round % 2 === 0 ? 'beta' : 'alpha');
      await store.updateAttributes(scope, { title: 'calm' }, { metadata: { round } });
      if (round % 2 === 0) await store.deleteDocument(scope, { title: 'fleeting' });
      else await write('fleeting', 'delta');
    }
    expect(Buffer.concat(blocks).toString().split('{"kind":"discard"}')).toHaveLength(2);
    const { items, space } = await receiveImport(
      (async function* () {
        yield* blocks;
      })(),
    );
    const words: Record<string, string> = {};
    for await (const item of items) {
      expect(item.refused).toBeUndefined();
      const { head, lines } = unpackItem(Buffer.from(item.payload));
      if (!('firstLine' in head)) throw new Error('An intact item has its first line');
      const { title, text, chunks, vectors } = await readDocument(lines, { firstLine: head.firstLine, space });
      const [word, ...others] = new Set(text.match(/^\w+(?= paragraph)/gm));
      expect(others).toEqual([]);
      words[title] = word!;
      expect(chunks).toHaveLength(150);
      for (const chunk of chunks) {
        expect(chunk.embedHash).toBe(createHash('sha256').update(chunk.text).digest('hex'));
        expect(vectors.has(chunk.embedHash)).toBe(true);
      }
    }
    // What has gone is not in it; what came meanwhile is at its end.
    expect(words).toEqual(
      round % 2 === 0 ? { swapped: 'beta', calm: 'alpha' } : { swapped: 'alpha', calm: 'alpha', fleeting: 'delta' },
    );
  }
}, 120_000);
