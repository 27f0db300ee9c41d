import { expect, test } from 'vitest';
import { killUpserts } from '../../scripts/torture/kill-upserts.js';

test('kill -9 of the engine during upserts leaves every document whole and no acknowledged version behind', async () => {
  const report = await killUpserts({ rounds: 4 });
  expect(report.faults).toEqual([]);
  expect(report.interrupted).toBeGreaterThan(0);
  expect(report.acknowledged).toBeGreaterThan(3);
}, 240_000);
