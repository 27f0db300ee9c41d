import type { Timestamp } from 'bson';
import type { BsonValue, Doc } from '../bson/values.js';
import { CommandError } from '../errors.js';
import { compileExpression } from '../query/expression.js';
import type { QueryVariables } from '../query/query.js';
import type { ServerState } from '../server-state.js';
import type { Session } from '../sessions/session.js';
import type { CollectionInfo, ReadView, Transaction } from '../storage/engine.js';
import { rawDocuments, rawField } from '../wire/raw-document.js';
import { collectionName, isDocument } from './arguments.js';
import type { HeldSnapshot } from './read/snapshots.js';

/** What the server knows of a client connection. */
export interface ConnectionInfo {
  readonly id: number;
  /** The address a client on this listener typed: what hello answers as `me`. */
  readonly address: string;
  /** `client` of the first hello. */
  clientMetadata: Doc | undefined;
  readonly closed: () => boolean;
}

export interface CommandInput {
  readonly name: string;
  readonly db: string;
  /** Decoded, without the raw fields of the command. */
  readonly body: Doc;
  /** As it came. */
  readonly encoded: Uint8Array;
  readonly sequences: ReadonlyMap<string, readonly Uint8Array[]>;
}

/**
 * Thrown within `context.write`: it is to run again over a newer view. Whoever throws it bounds how often. Never thrown in
 * a multi-document transaction, whose view is what it is.
 */
export class RunAgain extends Error {
  override readonly name = 'RunAgain';
}

/** A namespace inside a write. */
export interface Namespace {
  readonly db: string;
  readonly collection: string;
}

/** The collection, made when it is missing. */
export function existingOrNew(transaction: Transaction, { db, collection }: Namespace): CollectionInfo {
  return transaction.collection(db, collection) ?? transaction.createCollection(db, collection, {});
}

/** One running command: its input, its session and transaction, and its deadline. */
export class CommandContext {
  readonly server: ServerState;
  readonly connection: ConnectionInfo;
  readonly name: string;
  readonly db: string;
  readonly body: Doc;
  readonly input: CommandInput;
  session: Session | undefined;
  txnNumber: bigint | undefined;
  /** The multi-document transaction this command is part of. */
  transaction: Transaction | undefined;
  /** `(lsid, txnNumber)` of a retryable write, as the start of the key its replies are remembered under. */
  retryKey: string | undefined;
  /** Of a statement in a transaction that answered with an error inside an ok reply: the transaction ends all the same. */
  statementFailed = false;
  /** ms since 1970; undefined: none. */
  deadline: number | undefined;
  /** The moment a snapshot read was of, for a reply without a cursor. */
  readAt: Timestamp | undefined;
  /** Nobody waits for its result once the connection is gone: so for reads, not for writes (which may want no reply). */
  endsWithClient = false;
  /** One time for the whole command. */
  readonly now: Date;
  #variables: QueryVariables | undefined;

  constructor(server: ServerState, connection: ConnectionInfo, input: CommandInput) {
    this.server = server;
    this.connection = connection;
    this.input = input;
    this.name = input.name;
    this.db = input.db;
    this.body = input.body;
    this.now = new Date(server.now());
  }

  /** @throws CommandError 50 past the deadline, 11600 when the server stops, 11601 when its client is gone. */
  checkInterrupted = (): void => {
    if (this.deadline !== undefined && this.server.now() > this.deadline) {
      throw new CommandError(50, 'operation exceeded time limit');
    }
    if (this.server.stopping) throw new CommandError(11600, 'interrupted at shutdown');
    if (this.endsWithClient && this.connection.closed())
      throw new CommandError(11601, 'operation was interrupted: its client went away');
  };

  /** The collection named by the command's first field. */
  get collection(): string {
    return collectionName(this.db, this.body[this.name]);
  }

  get namespace(): string {
    return `${this.db}.${this.collection}`;
  }

  /** `let`: expressions over constants, evaluated once. */
  get variables(): QueryVariables {
    this.#variables ??= this.withVariables(this.body.let, {});
    return this.#variables;
  }

  /** The command's variables, with further ones of a statement. */
  withVariables(given: BsonValue, known: QueryVariables['vars'] = this.variables.vars): QueryVariables {
    if (!isDocument(given)) return { now: this.now, vars: known };
    const own = Object.entries(given).map(([name, expression]) => [
      name,
      compileExpression(expression, { now: this.now, vars: {} })({}),
    ]);
    return { now: this.now, vars: { ...known, ...Object.fromEntries(own) } };
  }

  /** Documents of an array that came in the body or as a document sequence; undefined when absent. */
  rawArray(name: string): readonly Uint8Array[] | undefined {
    const sequence = this.input.sequences.get(name);
    if (sequence !== undefined) return sequence;
    const field = rawField(this.input.encoded, name);
    if (field === undefined) return undefined;
    const documents = field.type === 4 ? rawDocuments(field.value) : undefined;
    if (documents === undefined) {
      throw new CommandError(14, `BSON field '${this.name}.${name}' must be an array of objects`);
    }
    return documents;
  }

  /** A read of one moment outside of transactions. */
  get isSnapshotRead(): boolean {
    const { readConcern } = this.body;
    return this.transaction === undefined && isDocument(readConcern) && readConcern.level === 'snapshot';
  }

  /** The moment that the read concern asks for: now, or that of `atClusterTime`. */
  holdSnapshot(): HeldSnapshot {
    const { atClusterTime } = this.body.readConcern as { atClusterTime?: Timestamp };
    return this.server.snapshots.hold(atClusterTime);
  }

  /** Runs a read over the transaction's view, a snapshot's, or a view of its own. */
  async read<T>(run: (view: ReadView) => Promise<T> | T): Promise<T> {
    if (this.transaction !== undefined) return run(this.transaction);
    if (this.isSnapshotRead) {
      const snapshot = this.holdSnapshot();
      this.readAt = snapshot.time;
      try {
        return await run(snapshot.view);
      } finally {
        snapshot.release();
      }
    }
    const view = this.server.engine.view();
    try {
      return await run(view);
    } finally {
      view.release();
    }
  }

  /** Runs a write inside the transaction, or as one commit of its own. */
  async write<T>(run: (transaction: Transaction) => Promise<T> | T): Promise<T> {
    if (this.transaction !== undefined) return run(this.transaction);
    for (;;) {
      try {
        return await this.server.engine.write(run, this.deadline === undefined ? {} : { deadline: this.deadline });
      } catch (error) {
        if (!(error instanceof RunAgain)) throw error;
        this.checkInterrupted();
      }
    }
  }
}
