import { Worker } from 'node:worker_threads';
import { isProgress, type OnProgress, type ProgressMessage } from '../../embed/worker-pool.js';
import { AppError } from '../../errors.js';

/** Why a thread was ended before it answered. */
export class ThreadEnded extends Error {
  readonly reason: 'time' | 'memory' | 'died';

  constructor(reason: 'time' | 'memory' | 'died', options: { cause?: unknown } = {}) {
    super(`A worker thread was ended: ${reason}`, options);
    this.name = 'ThreadEnded';
    this.reason = reason;
  }
}

export interface ThreadLimits {
  readonly threads: number;
  /** Work that goes on for longer leaves its place to the next, so that one bad file does not keep all others waiting. */
  readonly patienceMs: number;
  /** How many may have left their places. */
  readonly spare: number;
  /** From the beginning of the work, waiting not counted. */
  readonly timeMs: number;
  /** Of each thread's JavaScript heap. */
  readonly heapMb: number;
  /** Requests that may wait; each holds its bytes. */
  readonly waiting: number;
}

/** Threads for work on what strangers sent: one that takes too long, too much memory or is wanted no more is ended. */
export interface BoundedThreads<Request, Reply> {
  /** Rejects with ThreadEnded, with the signal's reason, or with AppError RATE_LIMITED when too many wait. */
  run(request: Request, options?: RunOptions): Promise<Reply>;
  close(): Promise<void>;
}

export interface RunOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: OnProgress | undefined;
  /** Moved to the thread instead of copied: the caller has them no more. */
  readonly transfer?: readonly ArrayBuffer[];
  /** The thread is ended after its answer: an idle one keeps all the memory that it ever needed. */
  readonly isLast?: boolean;
}

interface Job<Request, Reply> {
  readonly request: Request;
  readonly options: RunOptions;
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: unknown) => void;
}

interface Busy<Request, Reply> {
  readonly job: Job<Request, Reply>;
  readonly timers: readonly NodeJS.Timeout[];
  isSlow: boolean;
}

/** The module at `url` answers every message with one. Threads start when needed and keep no process alive while idle. */
export function createBoundedThreads<Request, Reply>(url: URL, limits: ThreadLimits): BoundedThreads<Request, Reply> {
  const waiting: Job<Request, Reply>[] = [];
  const idle: Worker[] = [];
  const busy = new Map<Worker, Busy<Request, Reply>>();
  const ending = new Set<Promise<unknown>>();
  let isClosed = false;

  const release = (worker: Worker): Job<Request, Reply> | undefined => {
    const held = busy.get(worker);
    for (const timer of held?.timers ?? []) clearTimeout(timer);
    busy.delete(worker);
    const at = idle.indexOf(worker);
    if (at >= 0) idle.splice(at, 1);
    return held?.job;
  };

  const end = (worker: Worker, error: unknown): void => {
    release(worker)?.reject(error);
    const ended = worker.terminate().finally(() => ending.delete(ended));
    ending.add(ended);
    pump();
  };

  const start = (): Worker => {
    const worker = new Worker(url, {
      resourceLimits: { maxOldGenerationSizeMb: limits.heapMb, maxYoungGenerationSizeMb: 32 },
      // nothing of the server's secrets is in reach of what reads strangers' files
      env: {},
      stdout: true,
      stderr: true,
    });
    // what libraries print about a file is nobody's business
    worker.stdout.resume();
    worker.stderr.resume();
    worker.on('message', (message: Reply | ProgressMessage) => {
      if (isProgress(message)) {
        busy.get(worker)?.job.options.onProgress?.(...message.progress);
        return;
      }
      const job = release(worker);
      worker.unref();
      job?.resolve(message);
      // More than one that idles for each place would only keep memory.
      if (job?.options.isLast || idle.length >= limits.threads) end(worker, null);
      else idle.push(worker);
      pump();
    });
    worker.on('error', (error: NodeJS.ErrnoException) => {
      end(worker, new ThreadEnded(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'died', { cause: error }));
    });
    worker.on('exit', () => {
      release(worker)?.reject(new ThreadEnded('died'));
      pump();
    });
    return worker;
  };

  const hasRoom = (): boolean => {
    const slow = [...busy.values()].filter(({ isSlow }) => isSlow).length;
    return busy.size < limits.threads + Math.min(slow, limits.spare);
  };

  const timersOf = (worker: Worker): NodeJS.Timeout[] => [
    setTimeout(() => end(worker, new ThreadEnded('time')), limits.timeMs),
    setTimeout(() => {
      const held = busy.get(worker);
      if (held !== undefined) held.isSlow = true;
      pump();
    }, limits.patienceMs),
  ];

  const pump = (): void => {
    while (!isClosed && waiting.length > 0 && hasRoom()) {
      const worker = idle.pop() ?? start();
      const held: Busy<Request, Reply> = { job: waiting.shift()!, timers: timersOf(worker), isSlow: false };
      const { job } = held;
      busy.set(worker, held);
      worker.ref();
      worker.postMessage(job.request, [...(job.options.transfer ?? [])]);
    }
  };

  const abandon = (job: Job<Request, Reply>, reason: unknown): void => {
    const at = waiting.indexOf(job);
    if (at >= 0) waiting.splice(at, 1);
    for (const [worker, held] of busy) if (held.job === job) end(worker, reason);
    job.reject(reason);
  };

  return {
    run(request, options = {}) {
      const { signal } = options;
      return new Promise<Reply>((resolve, reject) => {
        if (isClosed) throw new Error('The threads are closed');
        signal?.throwIfAborted();
        if (waiting.length >= limits.waiting)
          throw new AppError('RATE_LIMITED', `${waiting.length} files wait to be read already: try again later`);
        const onAbort = () => abandon(job, signal!.reason);
        const settled =
          <T>(settle: (value: T) => void) =>
          (value: T) => {
            signal?.removeEventListener('abort', onAbort);
            settle(value);
          };
        const job: Job<Request, Reply> = { request, options, resolve: settled(resolve), reject: settled(reject) };
        signal?.addEventListener('abort', onAbort, { once: true });
        waiting.push(job);
        pump();
      });
    },
    async close() {
      isClosed = true;
      for (const job of waiting.splice(0)) job.reject(new Error('The threads are closed'));
      for (const worker of [...idle, ...busy.keys()]) end(worker, new Error('The threads are closed'));
      await Promise.all(ending);
    },
  };
}
