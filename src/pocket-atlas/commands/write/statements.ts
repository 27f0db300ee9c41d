import { decode } from '../../bson/decode.js';
import { encode } from '../../bson/encode.js';
import type { BsonValue, Doc } from '../../bson/values.js';
import { CommandError } from '../../errors.js';
import type { Transaction } from '../../storage/engine.js';
import { CloseConnectionError } from '../../wire/connection.js';
import type { CommandContext } from '../context.js';
import { Pace } from '../read/pace.js';

/** maxWriteBatchSize of hello. */
export const STATEMENTS_MAX = 100_000;
/** Statements that share a commit outside of transactions: the flush is what costs. */
const GROUP_STATEMENTS = 1_000;
const GROUP_BYTES = 16 * 1024 * 1024;

export interface StatementResult {
  readonly n: number;
  readonly nModified?: number;
  readonly upsertedId?: BsonValue;
}

export interface StatementsOutcome {
  /** One row per statement that worked, where they are asked for. */
  details: Doc[];
  n: number;
  nModified: number;
  upserted: Doc[];
  writeErrors: Doc[];
}

export interface Statements {
  readonly count: number;
  readonly ordered: boolean;
  /** Keep a row for each statement in `details`. */
  readonly detailed?: boolean;
  readonly bytesOf: (index: number) => number;
  readonly run: (transaction: Transaction, index: number) => StatementResult | Promise<StatementResult>;
  /** Statements that commit by themselves outside of a transaction, as those on many documents do. */
  readonly isAlone?: (index: number) => boolean;
  readonly runAlone?: (index: number) => Promise<StatementResult>;
}

/** @throws CommandError 72 when a command has none or too many. */
export function statementCount(count: number): void {
  if (count < 1 || count > STATEMENTS_MAX) {
    throw new CommandError(72, `Write batch sizes must be between 1 and ${STATEMENTS_MAX}. Got ${count} operations.`);
  }
}

/**
 * Runs the statements of a write command: inside its transaction, where the first failure is the end of it; else in groups,
 * each a commit. A group of a retryable write is remembered in its own commit and answered from memory when it comes again.
 */
export async function runStatements(context: CommandContext, statements: Statements): Promise<StatementsOutcome> {
  const outcome = noOutcome();
  let at = 0;
  while (at < statements.count) {
    context.checkInterrupted();
    const group = isAlone(context, statements, at)
      ? { outcome: await oneStatement(statements, at), end: at + 1 }
      : await runGroup(context, statements, at);
    merge(outcome, group.outcome);
    if (outcome.writeErrors.length > 0) {
      if (context.transaction !== undefined) {
        context.statementFailed = true;
        break;
      }
      if (statements.ordered) break;
    }
    at = group.end;
  }
  return outcome;
}

async function oneStatement(statements: Statements, index: number): Promise<StatementsOutcome> {
  const outcome = noOutcome();
  try {
    add(outcome, await statements.runAlone!(index), index, statements.detailed);
  } catch (error) {
    outcome.writeErrors.push(writeErrorOf(error, index));
  }
  return outcome;
}

/** A group's part that is kept for a retry, up to the statement before `end`. */
interface Remembered extends StatementsOutcome {
  readonly end: number;
}

async function runGroup(
  context: CommandContext,
  statements: Statements,
  start: number,
): Promise<{ outcome: StatementsOutcome; end: number }> {
  const groupEndsAt = groupEnd(statements, start, context);
  const key = context.retryKey === undefined ? undefined : `${context.retryKey}/${stmtId(context, start)}`;
  const remembered = key === undefined ? undefined : context.server.engine.retryableReply(key);
  if (remembered !== undefined) {
    const { end, ...outcome } = decode(remembered) as unknown as Remembered;
    return { outcome, end };
  }
  let losesConnection = false;
  const pace = new Pace(context.checkInterrupted);
  const result = await context.write(async (transaction) => {
    const outcome = noOutcome();
    let failure: Doc | undefined;
    let index = start;
    for (; index < groupEndsAt; index += 1) {
      if (pace.due) await pace.breathe();
      try {
        const injected = context.retryKey === undefined ? undefined : context.server.failPoints.enterWrite();
        losesConnection ||= injected?.closeConnection === true;
        if (injected?.error !== undefined) throw injected.error;
        const ran = statements.run(transaction, index);
        add(outcome, ran instanceof Promise ? await ran : ran, index, statements.detailed);
      } catch (error) {
        failure = writeErrorOf(error, index);
        if (statements.ordered || context.transaction !== undefined) break;
        outcome.writeErrors.push(failure);
        failure = undefined;
      }
    }
    // What failed is not remembered where it ended the group: a retry tries it again.
    const remember: Remembered = { ...outcome, end: index };
    if (key !== undefined && outcome.n > 0) transaction.rememberRetryable(key, encode(remember as unknown as Doc));
    if (failure !== undefined) outcome.writeErrors.push(failure);
    return { outcome, end: index };
  });
  if (losesConnection) throw new CloseConnectionError('onPrimaryTransactionalWrite');
  return result;
}

function noOutcome(): StatementsOutcome {
  return { details: [], n: 0, nModified: 0, upserted: [], writeErrors: [] };
}

/** The same for the same command, so that a retry meets the same groups. */
function groupEnd(statements: Statements, start: number, context: CommandContext): number {
  let bytes = 0;
  let index = start;
  while (index < statements.count && index - start < GROUP_STATEMENTS && bytes < GROUP_BYTES) {
    if (index > start && isAlone(context, statements, index)) break;
    bytes += statements.bytesOf(index);
    index += 1;
  }
  return index;
}

function isAlone(context: CommandContext, statements: Statements, index: number): boolean {
  return context.transaction === undefined && statements.isAlone?.(index) === true;
}

function stmtId(context: CommandContext, index: number): number {
  const { stmtIds, stmtId: first } = context.body;
  if (Array.isArray(stmtIds)) return Number(stmtIds[index] ?? index);
  return Number(first ?? 0) + index;
}

function add(outcome: StatementsOutcome, result: StatementResult, index: number, detailed = false): void {
  outcome.n += result.n;
  outcome.nModified += result.nModified ?? 0;
  if (result.upsertedId !== undefined) outcome.upserted.push({ index, _id: result.upsertedId });
  if (detailed) outcome.details.push({ index, ...result });
}

function merge(into: StatementsOutcome, from: StatementsOutcome): void {
  into.details.push(...from.details);
  into.n += from.n;
  into.nModified += from.nModified;
  into.upserted.push(...from.upserted);
  into.writeErrors.push(...from.writeErrors);
}

/** @throws the error itself when it is no statement's: conflicts end the attempt, interruptions the command. */
function writeErrorOf(error: unknown, index: number): Doc {
  if (!(error instanceof CommandError) || ENDS_COMMAND.has(error.code)) throw error;
  return { index, code: error.code, errmsg: error.message, ...(error.fields as Doc) };
}

/** Conflicts, the time limit, interruptions, too large a transaction. */
const ENDS_COMMAND = new Set([24, 50, 112, 257, 11600, 11601]);
