import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BSON, MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPocketAtlas, type TestPocketAtlas } from '../../support/pocket-atlas.js';
import { exclusionOf } from '../exclusions.js';
import type { TestFile } from './format.js';
import { unmetRequirement } from './requirements.js';
import { runTest } from './run-test.js';

/** MongoDB's own tests for drivers, run through the official driver against Pocket Atlas. */
const SUITES = join(dirname(fileURLToPath(import.meta.url)), '../../../../shared/mongodb-spec-tests');

interface Figures {
  passed: number;
  runnable: number;
  excluded: number;
  /** Made for other kinds of servers. */
  notForUs: number;
}

const figures = new Map<string, Figures>();
let atlas: TestPocketAtlas;
let uri: string;
let admin: MongoClient;

/** Declares the tests of some areas (folders of the suites), all against one server: fail points are for the whole of it. */
export function runAreas(...areas: readonly string[]): void {
  if (!existsSync(SUITES)) {
    console.log(`Skipped: MongoDB's specification tests are not at ${SUITES}`);
    it.skip('the specification tests are absent', () => {});
    return;
  }
  beforeAll(async () => {
    atlas = await startTestPocketAtlas({ port: 0 });
    // As a replica set: with a direct connection a driver adds a read preference of its own to commands.
    uri = atlas.uri.replace('directConnection=true', 'replicaSet=rs0');
    admin = await new MongoClient(uri).connect();
  });

  afterAll(async () => {
    await admin?.close();
    await atlas?.stop();
    for (const [area, { passed, runnable, excluded, notForUs }] of figures) {
      console.log(
        `Unified test format, ${area}: ${passed}/${runnable} passed, ${excluded} excluded, ${notForUs} for other servers`,
      );
    }
  });

  for (const area of areas) {
    describe(area, () => {
      for (const file of readdirSync(join(SUITES, area)).sort()) {
        if (!file.endsWith('.json')) continue;
        const suite = BSON.EJSON.parse(readFileSync(join(SUITES, area, file), 'utf8')) as TestFile;
        describeFile(area, file.replace(/\.json$/, ''), suite);
      }
    });
  }
}

function describeFile(area: string, name: string, suite: TestFile): void {
  const areaFigures = figures.get(area) ?? { passed: 0, runnable: 0, excluded: 0, notForUs: 0 };
  figures.set(area, areaFigures);
  const forUs = suite.tests.filter(
    (test) =>
      (test.skipReason ?? unmetRequirement(suite.runOnRequirements) ?? unmetRequirement(test.runOnRequirements)) ===
      undefined,
  );
  areaFigures.notForUs += suite.tests.length - forUs.length;
  if (forUs.length === 0) return;
  describe(name, () => {
    for (const test of forUs) {
      const exclusion = exclusionOf(`${area}/${name}: ${test.description}`);
      if (exclusion !== undefined) {
        areaFigures.excluded += 1;
        it(`${test.description} (excluded: ${exclusion.reason})`, async () => {
          await expect(runTest(suite, test, { uri, admin }), 'it passes now: take it off the list').rejects.toThrow();
        });
        continue;
      }
      areaFigures.runnable += 1;
      it(test.description, async () => {
        await runTest(suite, test, { uri, admin });
        areaFigures.passed += 1;
      });
    }
  });
}
