import type { Doc } from '../../bson/values.js';
import { Cursor, type Results } from '../../cursors/cursor.js';
import { CursorReply } from '../../cursors/cursor-reply.js';
import type { CommandContext } from '../context.js';
import type { HeldSnapshot } from './snapshots.js';
import { ViewLease } from './view-lease.js';

/** Documents in a first batch that asked for no size. */
export const FIRST_BATCH_DOCUMENTS = 101;

/**
 * Answers the first batch of a result, and keeps a cursor for the rest. `open` gets a view for as long as the result
 * is read.
 */
export async function openCursor(
  context: CommandContext,
  options: {
    readonly namespace: string;
    readonly batchSize: number | undefined;
    readonly singleBatch?: boolean;
    readonly open: (lease: ViewLease, checkInterrupted: () => void) => Results | Promise<Results>;
    readonly more?: Doc;
    readonly rowsMax?: number;
    readonly isKept?: boolean;
  },
): Promise<CursorReply> {
  const { server, transaction } = context;
  const snapshot = context.isSnapshotRead ? context.holdSnapshot() : undefined;
  const lease = leaseOf(context, snapshot);
  const more = snapshot === undefined ? options.more : { ...options.more, atClusterTime: snapshot.time };
  const interruption = { check: context.checkInterrupted };
  let cursor: Cursor;
  try {
    cursor = new Cursor({
      namespace: options.namespace,
      owner: {
        sessionId: context.session?.id,
        txnNumber: transaction === undefined ? undefined : context.session?.txnNumber,
      },
      results: await options.open(lease, () => interruption.check()),
      interruption,
      lease,
      isKept: options.isKept === true,
      isSnapshot: snapshot !== undefined,
      ...(options.rowsMax === undefined ? {} : { rowsMax: options.rowsMax }),
    });
  } catch (error) {
    lease.suspend();
    throw error;
  }
  try {
    const wanted = options.batchSize ?? FIRST_BATCH_DOCUMENTS;
    const batch = await cursor.take(wanted, context.checkInterrupted);
    const done = options.singleBatch === true || cursor.exhausted || (batch.length < wanted && !cursor.hasWaiting);
    if (done) await cursor.close();
    const cursorId = done ? 0n : server.cursors.add(cursor);
    return new CursorReply({ name: 'firstBatch', documents: batch, cursorId, namespace: options.namespace, more });
  } catch (error) {
    await cursor.close();
    throw error;
  }
}

function leaseOf({ server, transaction }: CommandContext, snapshot: HeldSnapshot | undefined): ViewLease {
  if (transaction !== undefined) return ViewLease.ofTransaction(transaction);
  if (snapshot !== undefined) return ViewLease.ofSnapshot(snapshot, server.now);
  return ViewLease.ofEngine(server.engine, server.now);
}
