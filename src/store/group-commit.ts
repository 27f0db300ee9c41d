import { AppError } from '../errors.js';
import { toStoreError } from './mongo-errors.js';

/** Transactions of grouped writes that are under way at once. What comes meanwhile waits, and goes together. */
const LANES = 2;

export interface GroupLimits {
  readonly writes: number;
  readonly rows: number;
  readonly bytes: number;
}

interface Waiting<W> {
  readonly write: W;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

export interface GroupedWrite {
  /** Only writes of one realm go together. */
  readonly realm: string;
  readonly rows: number;
  readonly bytes: number;
}

/**
 * Group commit: small writes that arrive while others are being committed share the next transaction, because most of a
 * small transaction is its round trips and its wait for the disk. With a lane free, nobody waits for company but that of
 * the same turn of the event loop: what a batch was prepared for at once goes at once. A group that fails is taken apart, so that each write succeeds or fails by itself; as before, each is kept whole
 * or not at all.
 */
export function groupCommit<W extends GroupedWrite>(
  limits: GroupLimits,
  commit: (writes: readonly W[]) => Promise<void>,
): (write: W) => Promise<void> {
  const waiting: Waiting<W>[] = [];
  let underWay = 0;
  let isGathering = false;

  const pump = (): void => {
    while (underWay < LANES && waiting.length > 0) {
      underWay++;
      void commitGroup(takeGroup(waiting, limits)).finally(() => {
        underWay--;
        pump();
      });
    }
  };

  const commitGroup = async (group: readonly Waiting<W>[]): Promise<void> => {
    try {
      await commit(group.map(({ write }) => write));
      for (const { done } of group) done();
    } catch (error) {
      // Where the database is away, asking again for each would only make them wait longer.
      const isCommon = group.length === 1 || toStoreError(error) instanceof AppError;
      if (isCommon) for (const { failed } of group) failed(error);
      else for (const one of group) await commitAlone(one);
    }
  };

  const commitAlone = async ({ write, done, failed }: Waiting<W>): Promise<void> => {
    try {
      await commit([write]);
      done();
    } catch (error) {
      failed(error);
    }
  };

  return (write) =>
    new Promise((done, failed) => {
      waiting.push({ write, done, failed });
      if (isGathering || underWay === LANES) return;
      isGathering = true;
      setImmediate(() => {
        isGathering = false;
        pump();
      });
    });
}

/** From the front, one at least, as many as fit and belong together. */
function takeGroup<W extends GroupedWrite>(waiting: Waiting<W>[], limits: GroupLimits): Waiting<W>[] {
  const [first] = waiting as [Waiting<W>];
  let rows = 0;
  let bytes = 0;
  const end = waiting.findIndex(({ write }, index) => {
    rows += write.rows;
    bytes += write.bytes;
    const isFull = index >= limits.writes || rows > limits.rows || bytes > limits.bytes;
    return index > 0 && (isFull || write.realm !== first.write.realm);
  });
  return waiting.splice(0, end < 0 ? waiting.length : end);
}
