/**
 * Turns of the event loop, shared by all work that is long. Work cut into slices of some ten milliseconds still holds up
 * everybody when the slices of many tasks follow each other within one turn; so only one waiter goes on per turn, first come
 * first served, and sockets and timers come in between.
 */
const waiting: (() => void)[] = [];

/** Resolves in a later turn of the event loop, in which nothing else that waits here runs. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(resumeOne);
  });
}

function resumeOne(): void {
  waiting.shift()?.();
  // An immediate that is set while immediates run belongs to the next turn.
  if (waiting.length > 0) setImmediate(resumeOne);
}
