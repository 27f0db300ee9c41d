import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BSON } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPocketAtlas, type TestPocketAtlas } from '../support/pocket-atlas.js';

/** MongoDB's corpus of binary vectors: each valid one comes back from the server byte for byte. */
const CORPUS = join(dirname(fileURLToPath(import.meta.url)), '../../../shared/mongodb-spec-tests/bson-binary-vector');

interface CorpusFile {
  readonly description: string;
  readonly test_key: string;
  readonly tests: readonly {
    readonly description: string;
    readonly valid: boolean;
    readonly canonical_bson?: string;
  }[];
}

if (!existsSync(CORPUS)) {
  console.log(`Skipped: MongoDB's specification tests are not at ${CORPUS}`);
  it.skip('the specification tests are absent', () => {});
} else {
  describe('binary vectors', () => {
    let atlas: TestPocketAtlas;
    beforeAll(async () => {
      atlas = await startTestPocketAtlas();
    });
    afterAll(() => atlas?.stop());

    for (const file of readdirSync(CORPUS)) {
      const { description, test_key: key, tests } = JSON.parse(readFileSync(join(CORPUS, file), 'utf8')) as CorpusFile;
      for (const [index, test] of tests.entries()) {
        if (!test.valid || test.canonical_bson === undefined) continue;
        const bytes = Buffer.from(test.canonical_bson, 'hex');
        it(`${description}: ${test.description}`, async () => {
          const collection = atlas.db('vectors').collection(file.replace('.json', ''));
          await collection.insertOne({ _id: index as never, ...BSON.deserialize(bytes, { promoteValues: false }) });
          const stored = await collection.findOne(
            { _id: index as never },
            { projection: { _id: 0 }, promoteValues: false },
          );
          expect(Buffer.from(BSON.serialize({ [key]: stored?.[key] })).toString('hex')).toBe(bytes.toString('hex'));
        });
      }
    }
  });
}
