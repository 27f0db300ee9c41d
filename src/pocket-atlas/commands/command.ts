import type { Doc } from '../bson/values.js';
import type { CursorReply } from '../cursors/cursor-reply.js';
import type { FieldTable } from './arguments.js';
import type { CommandContext } from './context.js';

/** What a handler returns; `ok`, times and labels are added to it. */
export type Reply = Doc | CursorReply;

export interface Command {
  /** One line for the documented list. */
  readonly help: string;
  readonly fields: FieldTable;
  /** Fields of the body that stay encoded, read with `context.rawArray(name)`. */
  readonly rawFields?: readonly string[];
  readonly adminOnly?: boolean;
  /** May run inside a multi-document transaction. */
  readonly inTransaction?: boolean;
  /** Takes a txnNumber outside of a transaction. */
  readonly retryable?: boolean;
  readonly readConcern?: boolean;
  readonly writeConcern?: boolean;
  /** Runs without a session's lock and without touching sessions at all (handshakes, monitors). */
  readonly run: (context: CommandContext) => Promise<Reply> | Reply;
}
