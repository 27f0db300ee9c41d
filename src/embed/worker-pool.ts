import { Worker } from 'node:worker_threads';
import { AppError } from '../errors.js';

/** Threads that answer one request at a time, in the order the requests came. */
export interface WorkerPool<Request, Reply> {
  /**
   * Rejects with the signal's reason at once when it aborts; a request that has begun is then finished for nobody.
   * Rejects when its thread dies (the next request gets a new one), and with AppError RATE_LIMITED when too many wait.
   */
  run(request: Request, signal?: AbortSignal, onProgress?: OnProgress): Promise<Reply>;
  /** Rejects what waits and ends the threads. */
  close(): Promise<void>;
}

export type OnProgress = (done: number, total: number) => void;

/** What a thread may say any number of times before it answers. */
export interface ProgressMessage {
  readonly progress: readonly [done: number, total: number];
}

export function isProgress(message: unknown): message is ProgressMessage {
  return typeof message === 'object' && message !== null && 'progress' in message;
}

export interface WorkerPoolOptions<Request> {
  readonly size: number;
  readonly waitingLimit?: number;
  /** What a new thread is given as `workerData`; released when it has ended. May throw: then the request fails. */
  readonly lease?: () => { readonly data: unknown; release(): void };
  /** After a request of which this is true the thread is ended: an idle one keeps all the memory that it ever needed. */
  readonly isLast?: (request: Request) => boolean;
}

/** Requests that may wait; each may hold a text of the largest size. */
const WAITING_LIMIT = 256;

interface Job<Request, Reply> {
  readonly request: Request;
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: unknown) => void;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: OnProgress | undefined;
  isSettled: boolean;
}

/**
 * At most `size` threads of the module at `url`, started when needed and not keeping the process alive while idle. The
 * module answers every message with one.
 */
export function createWorkerPool<Request, Reply>(
  url: URL,
  { size, waitingLimit = WAITING_LIMIT, lease, isLast = () => false }: WorkerPoolOptions<Request>,
): WorkerPool<Request, Reply> {
  const waiting: Job<Request, Reply>[] = [];
  const idle: Worker[] = [];
  const busy = new Map<Worker, Job<Request, Reply>>();
  let isClosed = false;

  const settle = (job: Job<Request, Reply>, outcome: () => void): void => {
    if (job.isSettled) return;
    job.isSettled = true;
    outcome();
  };

  const start = (): Worker => {
    const leased = lease?.();
    const worker = new Worker(url, { workerData: leased?.data });
    worker.once('exit', () => leased?.release());
    worker.on('message', (message: Reply | ProgressMessage) => {
      const job = busy.get(worker)!;
      if (isProgress(message)) {
        if (!job.isSettled) job.onProgress?.(...message.progress);
        return;
      }
      const reply = message;
      busy.delete(worker);
      worker.unref();
      if (isLast(job.request)) void worker.terminate();
      else idle.push(worker);
      settle(job, () => job.resolve(reply));
      pump();
    });
    const gone = (error: Error) => {
      const job = busy.get(worker);
      busy.delete(worker);
      const at = idle.indexOf(worker);
      if (at >= 0) idle.splice(at, 1);
      if (job) settle(job, () => job.reject(error));
      if (!isClosed) pump();
    };
    worker.on('error', gone);
    worker.on('exit', (code) => gone(new Error(`Worker thread ended with code ${code}`)));
    return worker;
  };

  const pump = (): void => {
    while (waiting.length > 0) {
      if (waiting[0]!.isSettled) {
        waiting.shift();
        continue;
      }
      if (idle.length === 0 && busy.size >= size) return;
      const job = waiting.shift()!;
      let worker: Worker;
      try {
        worker = idle.pop() ?? start();
      } catch (error) {
        settle(job, () => job.reject(error));
        continue;
      }
      busy.set(worker, job);
      worker.ref();
      worker.postMessage(job.request);
    }
  };

  return {
    run(request, signal, onProgress) {
      return new Promise((resolve, reject) => {
        if (isClosed) throw new Error('The worker pool is closed');
        signal?.throwIfAborted();
        if (waiting.length >= waitingLimit) {
          throw new AppError(
            'RATE_LIMITED',
            `${waiting.length} texts wait for a worker thread already: try again later`,
          );
        }
        const onAbort = () => settle(job, () => reject(signal!.reason));
        const done =
          <T>(outcome: (value: T) => void) =>
          (value: T) => {
            signal?.removeEventListener('abort', onAbort);
            outcome(value);
          };
        const job: Job<Request, Reply> = {
          request,
          resolve: done(resolve),
          reject: done(reject),
          signal,
          onProgress,
          isSettled: false,
        };
        signal?.addEventListener('abort', onAbort, { once: true });
        waiting.push(job);
        pump();
      });
    },
    async close() {
      isClosed = true;
      const closed = new Error('The worker pool is closed');
      for (const job of [...waiting.splice(0), ...busy.values()]) settle(job, () => job.reject(closed));
      await Promise.all([...idle, ...busy.keys()].map((worker) => worker.terminate()));
    },
  };
}
