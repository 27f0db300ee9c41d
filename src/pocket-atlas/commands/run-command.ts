import { setTimeout as delay } from 'node:timers/promises';
import { Timestamp } from 'bson';
import { decode } from '../bson/decode.js';
import { encode } from '../bson/encode.js';
import type { Doc } from '../bson/values.js';
import { CursorReply } from '../cursors/cursor-reply.js';
import { CommandError } from '../errors.js';
import type { ServerState } from '../server-state.js';
import type { Session } from '../sessions/session.js';
import { readTransactionFields, type TransactionFields } from '../sessions/transaction-fields.js';
import { beginRetryableWrite, transactionFor } from '../sessions/transaction-steps.js';
import { clusterTimeDocument } from '../wire/cluster-clock.js';
import { CloseConnectionError } from '../wire/connection.js';
import { withoutField } from '../wire/raw-document.js';
import { checkArguments, databaseName, integer, isDocument } from './arguments.js';
import type { Command, Reply } from './command.js';
import { checkReadConcern, checkWriteConcern, type WriteConcernFailure } from './concerns.js';
import { CommandContext, type ConnectionInfo } from './context.js';
import { type FailureSetting, labelsFor, labelsForWriteConcern } from './error-labels.js';
import type { Injection } from './fail-points.js';
import { COMMANDS, canonicalName } from './table.js';

/** A command as it came off the wire. */
export interface CommandMessage {
  readonly body: Uint8Array;
  readonly sequences: ReadonlyMap<string, readonly Uint8Array[]>;
  /** Of OP_QUERY; OP_MSG has it in the body. */
  readonly db?: string;
}

const ENDS_TRANSACTION = new Set(['commitTransaction', 'abortTransaction']);
const NO_SEQUENCES: ReadonlyMap<string, readonly Uint8Array[]> = new Map();

/**
 * Runs one command and encodes its reply, in pieces to be sent one after the other. It says what went wrong when it fails.
 * @throws CloseConnectionError when a fail point wants the connection closed.
 */
export async function runCommand(
  server: ServerState,
  connection: ConnectionInfo,
  message: CommandMessage,
): Promise<Uint8Array[]> {
  let setting: FailureSetting = { inTransaction: false, endsTransaction: false, retryableWrite: false };
  let injection: Injection | undefined;
  try {
    const { body, name, command } = readBody(message);
    const db = databaseName(message.db ?? body.$db);
    injection = server.failPoints.enter(name, `${db}.${String(body[name])}`, clientOf(connection, body));
    const fields = readTransactionFields(body);
    setting = {
      inTransaction: fields.multiDocument,
      endsTransaction: ENDS_TRANSACTION.has(name),
      retryableWrite: fields.txnNumber !== undefined && !fields.multiDocument && command?.retryable === true,
    };
    if (injection !== undefined) await inject(injection);
    if (server.stopping) throw new CommandError(11600, 'interrupted at shutdown');
    if (command === undefined) throw new CommandError(59, `no such command: '${name}'`);
    const input = { name, db, body, encoded: message.body, sequences: message.sequences ?? NO_SEQUENCES };
    const context = new CommandContext(server, connection, input);
    const { reply, writeConcern } = await prepareAndRun(command, context, fields);
    return encodeReply(server, reply, writeConcern, injection, setting);
  } catch (error) {
    if (error instanceof CloseConnectionError) throw error;
    return [encodeFailure(server, asCommandError(error), setting, injection)];
  }
}

function readBody(message: CommandMessage): { body: Doc; name: string; command: Command | undefined } {
  const given = firstName(message.body);
  const name = canonicalName(given);
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  let bytes = message.body;
  for (const field of command?.rawFields ?? []) bytes = withoutField(bytes, field);
  const decoded = decode(bytes);
  // A command has one spelling from here on.
  const body = given === name ? decoded : { [name]: decoded[given], ...decoded };
  if (given !== name) delete (body as Record<string, unknown>)[given];
  return { body, name, command };
}

function firstName(body: Uint8Array): string {
  if (body.length === 5) throw new CommandError(59, "no such command: ''");
  const buffer = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return buffer.toString('utf8', 5, buffer.indexOf(0, 5));
}

/** A hello brings its own metadata: a fail point for one client's handshake can see them. */
function clientOf(connection: ConnectionInfo, body: Doc): Doc | undefined {
  return connection.clientMetadata ?? (isDocument(body.client) ? body.client : undefined);
}

async function inject(injection: Injection): Promise<void> {
  if (injection.blockMs > 0) await delay(injection.blockMs);
  if (injection.closeConnection) throw new CloseConnectionError('failCommand');
  if (injection.error !== undefined) throw injection.error;
}

async function prepareAndRun(
  command: Command,
  context: CommandContext,
  fields: TransactionFields,
): Promise<{ reply: Reply; writeConcern: WriteConcernFailure | undefined }> {
  const { server, body, name } = context;
  if (command.adminOnly === true && context.db !== 'admin') {
    throw new CommandError(13, `${name} may only be run against the admin database.`);
  }
  checkArguments(name, body, command.fields);
  const endsTransaction = ENDS_TRANSACTION.has(name);
  checkReadConcern(name, body, {
    supported: command.readConcern === true,
    inTransaction: fields.multiDocument,
    firstInTransaction: fields.start,
  });
  const writeConcern = checkWriteConcern(name, body, {
    supported: command.writeConcern === true,
    inTransaction: fields.multiDocument,
    endsTransaction,
  });
  const maxTimeMs = integer(body, 'maxTimeMS', { min: 0 });
  if (maxTimeMs !== undefined && maxTimeMs > 0 && name !== 'getMore') context.deadline = server.now() + maxTimeMs;
  const seen = isDocument(body.$clusterTime) ? body.$clusterTime.clusterTime : undefined;
  if (seen instanceof Timestamp) server.clusterClock.advance(seen);

  const session = fields.sessionId === undefined ? undefined : server.sessions.use(fields.sessionId);
  context.session = session;
  context.txnNumber = fields.txnNumber;
  context.endsWithClient = command.readConcern === true || name === 'getMore';
  const reply =
    session === undefined || fields.txnNumber === undefined
      ? await command.run(context)
      : // Two commands of one transaction number never run side by side.
        await session.lock.run(() => runNumbered(command, context, session, fields));
  return { reply, writeConcern };
}

async function runNumbered(
  command: Command,
  context: CommandContext,
  session: Session,
  fields: TransactionFields,
): Promise<Reply> {
  const { name, server } = context;
  const txnNumber = fields.txnNumber!;
  if (!fields.multiDocument) {
    if (ENDS_TRANSACTION.has(name)) throw new CommandError(72, `${name} must be run within a transaction`);
    if (command.retryable !== true) {
      throw new CommandError(
        50768,
        `txnNumber may only be provided for multi-document transactions and retryable write commands. autocommit:false was not provided, and ${name} is not a retryable write command.`,
      );
    }
    beginRetryableWrite(session, txnNumber);
    context.retryKey = `${session.id}/${txnNumber}`;
    return command.run(context);
  }
  if (ENDS_TRANSACTION.has(name)) {
    if (fields.start) throw new CommandError(263, `Cannot run '${name}' as the first command of a transaction.`);
    try {
      return await command.run(context);
    } finally {
      if (!session.inTransaction) server.cursors.closeOfTransaction(session.id);
    }
  }
  assertAllowedInTransaction(command, name);
  context.transaction = transactionFor(
    session,
    { ...fields, txnNumber },
    {
      engine: server.engine,
      sessions: server.sessions,
      now: server.now(),
      isLeft: context.connection.closed,
    },
  );
  let failed = true;
  try {
    const reply = await command.run(context);
    failed = context.statementFailed;
    return reply;
  } finally {
    // A statement that failed takes its transaction along: nothing of it may be committed.
    if (failed) {
      session.abort();
      server.cursors.closeOfTransaction(session.id);
    }
  }
}

function assertAllowedInTransaction(command: Command, name: string): void {
  if (command.inTransaction === true) return;
  const advice =
    name === 'count'
      ? ' Please see http://dochub.mongodb.org/core/transaction-count for a recommended alternative.'
      : '';
  throw new CommandError(263, `Cannot run '${name}' in a multi-document transaction.${advice}`);
}

function encodeReply(
  server: ServerState,
  reply: Reply,
  writeConcern: WriteConcernFailure | undefined,
  injection: Injection | undefined,
  setting: FailureSetting,
): Uint8Array[] {
  const fields: Doc = reply instanceof CursorReply ? { ...reply.fields } : { ...reply };
  fields.ok ??= 1;
  const concernError = injection?.writeConcernError ?? (writeConcern as Doc | undefined);
  if (concernError !== undefined) {
    fields.writeConcernError = concernError;
    const labels = labelsOfConcernError(concernError, injection, setting);
    if (labels.length > 0) fields.errorLabels = labels;
  }
  addTimes(server, fields);
  const encoded = encode(fields);
  return reply instanceof CursorReply ? reply.pieces(encoded) : [encoded];
}

function labelsOfConcernError(concernError: Doc, injection: Injection | undefined, setting: FailureSetting): string[] {
  if (injection?.labels !== undefined) return [...injection.labels];
  if (Array.isArray(concernError.errorLabels)) return concernError.errorLabels.map(String);
  return labelsForWriteConcern(Number(concernError.code), setting);
}

function encodeFailure(
  server: ServerState,
  error: CommandError,
  setting: FailureSetting,
  injection: Injection | undefined,
): Uint8Array {
  const labels = injection?.error === error && injection.labels ? injection.labels : labelsOfError(error, setting);
  const fields: Doc = {
    ok: 0,
    errmsg: error.message,
    code: error.code,
    codeName: error.codeName,
    ...(error.fields as Doc),
  };
  if (injection?.writeConcernError !== undefined) fields.writeConcernError = injection.writeConcernError;
  if (labels.length > 0) fields.errorLabels = [...labels];
  addTimes(server, fields);
  return encode(fields);
}

function labelsOfError(error: CommandError, setting: FailureSetting): string[] {
  const own = error.labels.filter((label) => setting.inTransaction || label !== 'TransientTransactionError');
  return [...new Set([...own, ...labelsFor(error.code, setting)])];
}

function addTimes(server: ServerState, fields: Doc): void {
  const time = server.clusterClock.tick();
  fields.$clusterTime = clusterTimeDocument(time);
  fields.operationTime = time;
}

/** Whatever else was thrown is a fault of ours: said as such, without its stack. */
function asCommandError(error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  if (error instanceof RangeError && /call stack/i.test(error.message)) {
    return new CommandError(15, 'The command is nested too deeply');
  }
  const message = error instanceof Error ? error.message : String(error);
  return new CommandError(1, `Pocket Atlas failed: ${message}`, { cause: error });
}
