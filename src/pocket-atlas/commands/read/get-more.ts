import { Long } from 'bson';
import type { BsonValue } from '../../bson/values.js';
import type { Cursor } from '../../cursors/cursor.js';
import { CursorReply } from '../../cursors/cursor-reply.js';
import { CommandError } from '../../errors.js';
import { collectionName, integer } from '../arguments.js';
import type { Command } from '../command.js';
import type { CommandContext } from '../context.js';

export const getMore: Command = {
  help: 'Answers the next batch of a cursor.',
  fields: {
    batchSize: 'number',
    collection: { type: 'string', required: true },
    lastKnownCommittedOpTime: 'any',
    term: 'any',
  },
  inTransaction: true,
  run: async (context) => {
    const id = cursorId(context.body.getMore);
    const { server } = context;
    const namespace = `${context.db}.${collectionName(context.db, context.body.collection, { internal: true })}`;
    const cursor = server.cursors.get(id);
    assertOwner(id, cursor, context);
    if (cursor.namespace !== namespace) {
      throw new CommandError(
        13,
        `Requested getMore on namespace '${namespace}', but cursor belongs to a different namespace ${cursor.namespace}`,
      );
    }
    const batchSize = integer(context.body, 'batchSize', { min: 0 }) ?? 0;
    return cursor.lock.run(async () => {
      try {
        const wanted = batchSize === 0 ? Infinity : batchSize;
        const batch = await cursor.take(wanted, context.checkInterrupted);
        cursor.lastUsedAt = server.now();
        if (cursor.exhausted || (batch.length < wanted && !cursor.hasWaiting)) {
          await server.cursors.close(id);
          return new CursorReply({ name: 'nextBatch', documents: batch, cursorId: 0n, namespace });
        }
        if (cursor.holdsViewTooLong(server.now())) await cursor.detach();
        return new CursorReply({ name: 'nextBatch', documents: batch, cursorId: id, namespace });
      } catch (error) {
        await server.cursors.close(id);
        throw error;
      }
    });
  },
};

export const killCursors: Command = {
  help: 'Ends cursors.',
  fields: { cursors: { type: 'array', required: true } },
  inTransaction: true,
  run: async (context) => {
    const killed: Long[] = [];
    const notFound: Long[] = [];
    for (const value of context.body.cursors as BsonValue[]) {
      const id = cursorId(value);
      ((await context.server.cursors.close(id)) ? killed : notFound).push(Long.fromBigInt(id));
    }
    return { cursorsKilled: killed, cursorsNotFound: notFound, cursorsAlive: [], cursorsUnknown: [] };
  },
};

function cursorId(value: BsonValue): bigint {
  if (value instanceof Long) return value.toBigInt();
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value);
  throw new CommandError(14, `A cursor id must be of type long, got ${typeof value}`);
}

/** A cursor is read within the session and the transaction that opened it. */
function assertOwner(id: bigint, cursor: Cursor, context: CommandContext): void {
  const { sessionId, txnNumber } = cursor.owner;
  const session = context.session?.id;
  const transaction = context.transaction === undefined ? undefined : context.session?.txnNumber;
  if (sessionId !== session) {
    if (sessionId === undefined) {
      throw new CommandError(
        50736,
        `Cannot run getMore on cursor ${id}, which was not created in a session, in session ${session}`,
      );
    }
    if (session === undefined) {
      throw new CommandError(
        50737,
        `Cannot run getMore on cursor ${id}, which was created in session ${sessionId}, without an lsid`,
      );
    }
    throw new CommandError(
      50738,
      `Cannot run getMore on cursor ${id}, which was created in session ${sessionId}, in session ${session}`,
    );
  }
  if (txnNumber === transaction) return;
  if (txnNumber === undefined) {
    throw new CommandError(
      50739,
      `Cannot run getMore on cursor ${id}, which was not created in a transaction, in transaction ${transaction}`,
    );
  }
  throw new CommandError(
    50741,
    `Cannot run getMore on cursor ${id}, which was created in transaction ${txnNumber}, outside of it`,
  );
}
