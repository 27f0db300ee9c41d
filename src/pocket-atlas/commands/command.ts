import type { Doc } from '../bson/values.js';
import type { FieldTable } from './arguments.js';
import type { CommandContext } from './context.js';

/** A reply whose documents need no decoding and encoding: `encoded` comes first, then `fields`. */
export class EncodedReply {
  readonly encoded: Uint8Array;
  readonly fields: Doc;

  constructor(encoded: Uint8Array, fields: Doc = {}) {
    this.encoded = encoded;
    this.fields = fields;
  }
}

/** What a handler returns; `ok`, times and labels are added to it. */
export type Reply = Doc | EncodedReply;

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
