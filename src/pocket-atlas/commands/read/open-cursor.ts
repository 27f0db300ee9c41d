import type { Doc } from '../../bson/values.js';
import { Cursor, type Results } from '../../cursors/cursor.js';
import { cursorReply } from '../../cursors/cursor-reply.js';
import type { ReadView } from '../../storage/engine.js';
import type { EncodedReply } from '../command.js';
import type { CommandContext } from '../context.js';

/** Documents in a first batch that asked for no size. */
export const FIRST_BATCH_DOCUMENTS = 101;

/**
 * Answers the first batch of a result, and keeps a cursor for the rest. `open` gets a view that stays valid until the
 * result has been read or closed.
 */
export async function openCursor(
  context: CommandContext,
  options: {
    readonly namespace: string;
    readonly batchSize: number | undefined;
    readonly singleBatch?: boolean;
    readonly open: (view: ReadView) => Results | Promise<Results>;
    readonly more?: Doc;
    readonly rowsMax?: number;
  },
): Promise<EncodedReply> {
  const { server, transaction } = context;
  const view = transaction ?? server.engine.view();
  let cursor: Cursor;
  try {
    cursor = new Cursor({
      namespace: options.namespace,
      owner: {
        sessionId: context.session?.id,
        txnNumber: transaction === undefined ? undefined : context.session?.txnNumber,
      },
      results: await options.open(view),
      ...(options.rowsMax === undefined ? {} : { rowsMax: options.rowsMax }),
      ...(transaction === undefined ? { release: () => view.release(), viewSince: server.now() } : {}),
    });
  } catch (error) {
    if (transaction === undefined) view.release();
    throw error;
  }
  try {
    const wanted = options.batchSize ?? FIRST_BATCH_DOCUMENTS;
    const batch = await cursor.take(wanted);
    const done = options.singleBatch === true || cursor.exhausted || (batch.length < wanted && !cursor.hasWaiting);
    if (done) {
      await cursor.close();
      return cursorReply('firstBatch', batch, 0n, options.namespace, options.more);
    }
    return cursorReply('firstBatch', batch, server.cursors.add(cursor), options.namespace, options.more);
  } catch (error) {
    await cursor.close();
    throw error;
  }
}
