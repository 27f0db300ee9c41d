import { closeSync, openSync, readSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/**
 * Loaded before the server into its process: how late the turns of its event loop are. A ping from outside cannot tell a
 * server that is busy from a processor that something else has; so beside each delay stands how long the thread itself ran
 * in it, as the scheduler counts it (Linux only). Answers a message with what was seen since the last one.
 */
export interface LoopDelay {
  /** ms. */
  readonly p99: number;
  readonly max: number;
  /** The longest that the thread itself ran between two turns, in ms; null where the system does not say. */
  readonly longestRun: number | null;
}

const TICK_MS = 2;

if (isMainThread && process.send !== undefined) watch();

function watch(): void {
  const runMs = runClock();
  let delays: number[] = [];
  let longestRun = 0;
  let last = performance.now();
  let lastRun = runMs?.() ?? 0;
  const tick = (): void => {
    const now = performance.now();
    const run = runMs?.() ?? 0;
    delays.push(Math.max(0, now - last - TICK_MS));
    longestRun = Math.max(longestRun, run - lastRun);
    last = now;
    lastRun = run;
    setTimeout(tick, TICK_MS).unref();
  };
  tick();
  process.on('message', () => {
    const sorted = delays.sort((a, b) => a - b);
    const delay: LoopDelay = {
      p99: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN,
      max: sorted.at(-1) ?? Number.NaN,
      longestRun: runMs === undefined ? null : longestRun,
    };
    process.send?.(delay);
    delays = [];
    longestRun = 0;
  });
  process.channel?.unref();
}

/** Processor time of the main thread in ms. Source: Linux, Documentation/scheduler/sched-stats.rst. */
function runClock(): (() => number) | undefined {
  try {
    const file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
    process.once('exit', () => closeSync(file));
    const text = Buffer.alloc(64);
    return () => Number(text.toString('latin1', 0, readSync(file, text, 0, text.length, 0)).split(' ')[0]) / 1e6;
  } catch {
    // no such file system here
    return undefined;
  }
}

export const formatLoopDelay = ({ p99, max, longestRun }: LoopDelay): string =>
  `late by ${p99.toFixed(1)} ms (p99), ${max.toFixed(0)} ms (longest)` +
  (longestRun === null ? '' : `; its own longest stretch ran ${longestRun.toFixed(0)} ms`);
