import type { MessagePort } from 'node:worker_threads';
import type { OnProgress, ProgressMessage } from './worker-pool.js';

/** A thread says no more often how far it is. */
const PAUSE_MS = 200;

/** Tells the thread's owner how far its work is, some times a second however often it is called. */
export function progressPort(port: MessagePort | null): OnProgress {
  let toldAt = performance.now();
  return (done, total) => {
    const now = performance.now();
    if (now - toldAt < PAUSE_MS) return;
    toldAt = now;
    const message: ProgressMessage = { progress: [done, total] };
    port?.postMessage(message);
  };
}
