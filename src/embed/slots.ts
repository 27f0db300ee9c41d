/** At most `count` holders at a time. The others wait; callers that ask for many take turns. */
export interface Slots {
  /**
   * Waits for a slot; call what it returns to give it back. `caller` is who takes turns with other callers; of one caller's
   * own, the first comes first. Rejects with the signal's reason.
   */
  take(caller: object, signal?: AbortSignal): Promise<() => void>;
}

export function createSlots(count: number): Slots {
  let free = count;
  /** In the order of their turns; a caller that was served goes to the end. */
  const waiting = new Map<object, (() => void)[]>();

  const release = (): void => {
    const [next] = waiting;
    if (next === undefined) {
      free++;
      return;
    }
    const [caller, queue] = next;
    const serve = queue.shift()!;
    waiting.delete(caller);
    if (queue.length > 0) waiting.set(caller, queue);
    serve();
  };

  const wait = (caller: object, signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const queue = waiting.get(caller) ?? [];
      const serve = (): void => {
        signal?.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = (): void => {
        queue.splice(queue.indexOf(serve), 1);
        if (queue.length === 0) waiting.delete(caller);
        reject(signal!.reason);
      };
      queue.push(serve);
      waiting.set(caller, queue);
      signal?.addEventListener('abort', giveUp, { once: true });
    });

  return {
    async take(caller, signal) {
      signal?.throwIfAborted();
      if (free > 0) free--;
      else await wait(caller, signal);
      let isHeld = true;
      return () => {
        if (isHeld) release();
        isHeld = false;
      };
    },
  };
}
