import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { killRounds } from '../src/pocket-atlas/storage/torture/kill-rounds.js';
import { optionsOrUsage } from './options-or-usage.js';
import { killJob } from './torture/kill-job.js';
import { killUpserts } from './torture/kill-upserts.js';

const USAGE = `Usage: npm run torture -- [--rounds N]

Kills the engine under writes, and then under whole upserts, N times each (default 200); then a server, twenty times in the
middle of one job. Ends with 1 where a write that was acknowledged is gone or shown half done, a document of the job is not
there whole, or a chunk was embedded three times.`;

const given = optionsOrUsage(
  { options: { rounds: { type: 'string', default: '200' }, help: { type: 'boolean' } } },
  USAGE,
);
if (given !== null) {
  const rounds = Number(given.values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) {
    console.error(`--rounds: expected a whole number from 1 on, got ${given.values.rounds}`);
    process.exitCode = 2;
  } else {
    await storage(rounds);
    await upserts(rounds);
    await job();
  }
}

async function storage(rounds: number): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'torture-'));
  try {
    const result = await killRounds({ dataDir, rounds, lifeMs: [20, 1_000], random: Math.random });
    console.log(`storage: ${rounds} kills, ${result.acknowledged} acknowledged commits, all there and whole`);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function upserts(rounds: number): Promise<void> {
  const { acknowledged, interrupted, faults } = await killUpserts({
    rounds,
    onRound: (round, report) => {
      if ((round + 1) % 10 === 0)
        console.log(`upserts: ${round + 1} kills, ${report.acknowledged} acknowledged, ${report.faults.length} faults`);
    },
  });
  for (const fault of faults) console.error(fault);
  console.log(
    `upserts: ${rounds} kills, ${acknowledged} acknowledged, ${interrupted} interrupted, ${faults.length} faults`,
  );
  if (faults.length > 0) process.exitCode = 1;
}

async function job(): Promise<void> {
  const report = await killJob({ kills: 20, documents: 2_000 });
  for (const fault of report.faults) console.error(fault);
  const times = Object.entries(report.embeddedTimes).map(([count, chunks]) => `${chunks} chunks ${count}×`);
  console.log(
    `job: ${report.kills} kills, ${report.job.done} of ${report.job.total} documents in ${report.seconds.toFixed(0)} s, embedded ${times.join(', ')}, ${report.faults.length} faults`,
  );
  if (report.faults.length > 0) process.exitCode = 1;
}
