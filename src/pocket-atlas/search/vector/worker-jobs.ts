import { Worker } from 'node:worker_threads';
import { compiledUrl } from '../../compiled-url.js';
import { DamagedIndex } from './damaged-index.js';
import type { GraphJob } from './graph-job.js';
import type { MergeJob, MergeResult } from './merge-job.js';
import type { GraphMark } from './sealed-segment.js';

/** One job at a time in the whole process: more would only take processors from the searches. */
let lastJob: Promise<unknown> = Promise.resolve();

export function runMerge(job: MergeJob, signal: AbortSignal): Promise<MergeResult> {
  return queued(() => runInWorker(job, signal), signal);
}

export function runGraphBuild(job: GraphJob, signal: AbortSignal): Promise<GraphMark> {
  return queued(() => runInWorker(job, signal), signal);
}

/** Waits for its turn, or until it is no longer wanted: an index that closes does not wait for another one's job. */
function queued<T>(run: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const before = lastJob;
  const result = (async () => {
    await untilDoneOrAborted(before, signal);
    return run();
  })();
  lastJob = Promise.allSettled([before, result]);
  return result;
}

async function untilDoneOrAborted(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  let stop: (() => void) | undefined;
  const aborted = new Promise<void>((resolve) => {
    stop = resolve;
  });
  signal.addEventListener('abort', stop as () => void);
  try {
    await Promise.race([work, aborted]);
    signal.throwIfAborted();
  } finally {
    signal.removeEventListener('abort', stop as () => void);
  }
}

async function runInWorker<T>(job: MergeJob | GraphJob, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const worker = new Worker(compiledUrl('./vector-worker.js', import.meta.url), { workerData: job });
  // Work on a cache never keeps a process alive.
  worker.unref();
  const stop = (): void => void worker.terminate();
  signal.addEventListener('abort', stop);
  try {
    return await new Promise<T>((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', (error) => reject(error.name === 'DamagedIndex' ? new DamagedIndex(error.message) : error));
      worker.once('exit', () =>
        reject(signal.reason ?? new Error('The worker of a search index ended without a result')),
      );
    });
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
