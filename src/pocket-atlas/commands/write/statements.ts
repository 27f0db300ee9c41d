import { decode } from '../../bson/decode.js';
import { encode } from '../../bson/encode.js';
import type { BsonValue, Doc } from '../../bson/values.js';
import { CommandError } from '../../errors.js';
import type { Transaction } from '../../storage/engine.js';
import type { CommandContext } from '../context.js';

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
  const outcome: StatementsOutcome = { details: [], n: 0, nModified: 0, upserted: [], writeErrors: [] };
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
  const outcome: StatementsOutcome = { details: [], n: 0, nModified: 0, upserted: [], writeErrors: [] };
  try {
    add(outcome, await statements.runAlone!(index), index, statements.detailed);
  } catch (error) {
    outcome.writeErrors.push(writeErrorOf(error, index));
  }
  return outcome;
}

async function runGroup(
  context: CommandContext,
  statements: Statements,
  start: number,
): Promise<{ outcome: StatementsOutcome; end: number }> {
  const end = groupEnd(statements, start, context);
  const key = context.retryKey === undefined ? undefined : `${context.retryKey}/${stmtId(context, start)}`;
  const remembered = key === undefined ? undefined : context.server.engine.retryableReply(key);
  if (remembered !== undefined) return { outcome: decode(remembered) as unknown as StatementsOutcome, end };

  const outcome = await context.write(async (transaction) => {
    const result: StatementsOutcome = { details: [], n: 0, nModified: 0, upserted: [], writeErrors: [] };
    for (let index = start; index < end; index += 1) {
      try {
        const ran = statements.run(transaction, index);
        add(result, ran instanceof Promise ? await ran : ran, index, statements.detailed);
      } catch (error) {
        result.writeErrors.push(writeErrorOf(error, index));
        if (statements.ordered || context.transaction !== undefined) break;
      }
    }
    // What failed as a whole is not remembered: it runs again.
    const didSomething = result.n > 0 || result.upserted.length > 0;
    if (key !== undefined && didSomething) transaction.rememberRetryable(key, encode(result as unknown as Doc));
    return result;
  });
  return { outcome, end };
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

/** Write conflict, time limit, interruption, too large a transaction, internal errors. */
const ENDS_COMMAND = new Set([1, 24, 50, 112, 257, 11600, 11601]);
