import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { decode } from '../../bson/decode.js';
import { compiledUrl } from '../../compiled-url.js';
import type { CollectionInfo, ReadView } from '../engine.js';
import { openEngine } from '../open-engine.js';
import { COLLECTION, DB, isKept, LANES, laneCounterId } from './workload.js';

export interface KillRoundsOptions {
  readonly dataDir: string;
  readonly rounds: number;
  /** How long a writer lives once it writes, ms; drawn evenly from this range. */
  readonly lifeMs: readonly [least: number, most: number];
  /** 0 ≤ random() < 1. */
  readonly random: () => number;
}

export interface KillRoundsResult {
  /** Commits acknowledged over all rounds. */
  readonly acknowledged: number;
  /** Longest start of a writer after its predecessor was killed, ms. */
  readonly slowestStartMs: number;
}

/**
 * Starts a writing process on the data directory, kills it with SIGKILL at a random moment, and checks what is on disk:
 * every acknowledged commit whole, no commit in part, indexes and counts agreeing with the records. Throws at the first
 * thing that is wrong.
 */
export async function killRounds(options: KillRoundsOptions): Promise<KillRoundsResult> {
  const { dataDir, rounds, lifeMs, random } = options;
  /** Per lane, the commits that must be there: those acknowledged, and those that a check found. */
  const least = new Array<number>(LANES).fill(0);
  let acknowledged = 0;
  let slowestStartMs = 0;
  for (let round = 0; round < rounds; round++) {
    const started = performance.now();
    const writer = startWriter(dataDir);
    const ready = readAcknowledgements(writer, (lane, n) => {
      least[lane] = n;
      acknowledged++;
    });
    await ready.first;
    slowestStartMs = Math.max(slowestStartMs, performance.now() - started);
    await delay(lifeMs[0] + random() * (lifeMs[1] - lifeMs[0]));
    writer.kill('SIGKILL');
    await ready.ended;
    for (const [lane, count] of (await checkDirectory(dataDir, least)).entries()) least[lane] = count;
  }
  return { acknowledged, slowestStartMs };
}

function startWriter(dataDir: string): ChildProcess {
  const program = compiledUrl('./writer-process.js', import.meta.url);
  return spawn(process.execPath, [program.pathname, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Notes each acknowledged commit; `first` settles at the first one, `ended` when the process and its output have ended. */
function readAcknowledgements(writer: ChildProcess, onAcknowledged: (lane: number, n: number) => void) {
  const lines = createInterface({ input: writer.stdout! });
  const ended = Promise.all([once(writer, 'exit'), once(lines, 'close')]);
  const first = new Promise<void>((resolve, reject) => {
    lines.on('line', (line) => {
      const [lane, n] = line.split(' ').map(Number);
      if (n === undefined) return;
      onAcknowledged(lane!, n);
      resolve();
    });
    void ended.then(() => reject(new Error('The writer ended before its first commit')));
  });
  return { first, ended };
}

/** Returns the commits that it found, per lane. */
async function checkDirectory(dataDir: string, least: readonly number[]): Promise<number[]> {
  const engine = await openEngine({ dataDir, expiryIntervalMs: 0, lockWaitMs: 0 });
  const view = engine.view();
  try {
    const collection = view.collection(DB, COLLECTION);
    if (collection === undefined) throw new Error('An acknowledged collection is gone');
    const found = least.map((count, lane) => checkLane(view, collection, lane, count));
    for (const each of view.collections(DB)) checkIndexes(view, each);
    return found;
  } finally {
    view.release();
    await engine.close();
  }
}

function checkLane(view: ReadView, collection: CollectionInfo, lane: number, least: number): number {
  const counter = view.findById(collection, laneCounterId(lane));
  const count = counter === undefined ? 0 : Number(decode(counter.bytes).count);
  // One commit may have become durable without its acknowledgement being read.
  if (count < least || count > least + 1)
    throw new Error(`Lane ${lane}: ${least} commits acknowledged, ${count} found`);
  for (let n = 1; n <= count; n++) {
    const found = view.findById(collection, `${lane}/${n}`);
    if ((found !== undefined) !== isKept(n, count))
      throw new Error(`Lane ${lane}: commit ${n} of ${count} is there in part`);
  }
  return count;
}

function checkIndexes(view: ReadView, collection: CollectionInfo): void {
  const records = [...view.scan(collection)];
  if (view.count(collection) !== records.length) {
    throw new Error(`The count says ${view.count(collection)}, the scan shows ${records.length} records`);
  }
  for (const index of collection.indexes) {
    const proposed = new Set(view.scanIndex(collection, index, {}));
    const missing = records.filter(({ recordId }) => !proposed.has(recordId));
    if (missing.length > 0 || proposed.size !== records.length) {
      throw new Error(`Index ${index.name} has ${proposed.size} records of ${records.length}`);
    }
  }
}
