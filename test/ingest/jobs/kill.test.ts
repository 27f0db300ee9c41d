import { expect, test } from 'vitest';
import { killJob } from '../../../scripts/torture/kill-job.js';

test('kill -9 of the server in the middle of a job: every document once, whole, no chunk embedded more than twice', async () => {
  const report = await killJob({ kills: 2, documents: 40 });
  expect(report.faults).toEqual([]);
  expect(report.job).toMatchObject({ state: 'SUCCEEDED', total: 40, done: 40, failed: 0 });
  expect(report.chunks).toBe(120);
}, 240_000);
