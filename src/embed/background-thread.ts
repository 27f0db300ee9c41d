import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';

/** Below what answers requests, above what the system does when it has nothing else to do. */
const NICENESS = 5;

/**
 * Lets the calling thread come after the others where the processor is short: cutting and reading long documents can wait,
 * a search cannot. Linux only, where each thread has a priority of its own; elsewhere nothing happens.
 */
export function runInBackground(): void {
  try {
    const [, , thread] = readlinkSync('/proc/thread-self').split('/');
    if (thread !== undefined) setPriority(Number(thread), NICENESS);
  } catch {
    // another system, or one that does not let us
  }
}
