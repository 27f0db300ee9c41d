import { decode } from '../../bson/decode.js';
import type { BsonValue, Doc } from '../../bson/values.js';
import { CommandError } from '../../errors.js';
import type { Transaction } from '../../storage/engine.js';
import { checkStatement, type FieldTable, isDocument, truthy } from '../arguments.js';
import type { Command } from '../command.js';
import { type CommandContext, existingOrNew, type Namespace } from '../context.js';
import { writeToMatching } from './many.js';
import { type CompiledModification, compileModification } from './modification.js';
import { runStatements, type StatementResult, statementCount } from './statements.js';

const STATEMENT_FIELDS: FieldTable = {
  arrayFilters: 'array',
  c: 'object',
  collation: 'refused',
  hint: 'objectOrString',
  multi: 'bool',
  q: { type: 'object', required: true },
  sort: 'object',
  u: { type: 'objectOrArray', required: true },
  upsert: 'bool',
};

export const update: Command = {
  help: 'Updates or replaces documents.',
  fields: {
    bypassDocumentValidation: 'boolish',
    let: 'object',
    ordered: 'bool',
    rawData: 'boolish',
    stmtId: 'number',
    stmtIds: 'array',
    updates: 'any',
  },
  rawFields: ['updates'],
  inTransaction: true,
  retryable: true,
  writeConcern: true,
  run: async (context) => {
    const encoded = context.rawArray('updates');
    if (encoded === undefined) {
      throw new CommandError(40414, "BSON field 'update.updates' is missing but a required field");
    }
    statementCount(encoded.length);
    const statements = encoded.map((bytes, index) => readStatement(context, decode(bytes), index));
    const outcome = await runStatements(context, {
      count: statements.length,
      ordered: context.body.ordered === undefined || truthy(context.body.ordered),
      bytesOf: (index) => encoded[index]!.length,
      isAlone: (index) => statements[index]!.multi,
      runAlone: async (index) => updateMany(context, statements[index]!.modification(), context),
      run: (transaction, index) => {
        const statement = statements[index]!;
        const modification = statement.modification();
        return statement.multi
          ? updateMany(context, modification, context)
          : updateOne(context, transaction, modification, context);
      },
    });
    const reply: Doc = { n: outcome.n, nModified: outcome.nModified };
    if (outcome.upserted.length > 0) reply.upserted = outcome.upserted;
    if (outcome.writeErrors.length > 0) reply.writeErrors = outcome.writeErrors;
    return reply;
  },
};

interface Statement {
  readonly multi: boolean;
  /** Compiled at its turn: a bad update is that statement's error, not the command's. */
  readonly modification: () => CompiledModification;
}

function readStatement(context: CommandContext, statement: Doc, index: number): Statement {
  checkStatement(`update.updates`, statement, STATEMENT_FIELDS);
  const multi = truthy(statement.multi);
  if (multi && context.retryKey !== undefined) {
    throw new CommandError(72, 'Cannot use retryable writes with multi=true');
  }
  if (multi && statement.sort !== undefined) {
    throw new CommandError(9, `Cannot specify sort with multi=true (update ${index})`);
  }
  let compiled: CompiledModification | undefined;
  return {
    multi,
    modification: () => {
      compiled ??= compileModification({
        filter: statement.q as Doc,
        update: updateOf(statement.u, multi),
        arrayFilters: statement.arrayFilters as Doc[] | undefined,
        sort: isDocument(statement.sort) ? statement.sort : undefined,
        hint: statement.hint,
        upsert: truthy(statement.upsert),
        multi,
        variables: context.withVariables(statement.c),
      });
      return compiled;
    },
  };
}

/** @throws CommandError 9 for a replacement that is to go to many. */
export function updateOf(update: BsonValue, multi: boolean): Doc | Doc[] {
  const isReplacement = isDocument(update) && !Object.keys(update)[0]?.startsWith('$');
  if (multi && isReplacement) {
    throw new CommandError(9, 'multi update is not supported for replacement-style update');
  }
  return update as Doc | Doc[];
}

export function updateOne(
  context: CommandContext,
  transaction: Transaction,
  modification: CompiledModification,
  namespace: Namespace,
): StatementResult {
  const modified = modification.applyToFirst(
    transaction,
    transaction.collection(namespace.db, namespace.collection),
    () => existingOrNew(transaction, namespace),
    { racesAllowed: context.transaction === undefined },
  );
  if (modified.upsertedId !== undefined) return { n: 1, nModified: 0, upsertedId: modified.upsertedId };
  return { n: modified.after === undefined ? 0 : 1, nModified: modified.changed ? 1 : 0 };
}

export async function updateMany(
  context: CommandContext,
  modification: CompiledModification,
  namespace: Namespace,
): Promise<StatementResult> {
  let nModified = 0;
  const n = await writeToMatching(
    context,
    namespace,
    (collection) => modification.matching(collection),
    (transaction, collection, record) => {
      if (modification.applyTo(transaction, collection, record).changed) nModified += 1;
    },
  );
  if (n > 0 || !modification.given.upsert) return { n, nModified };
  return context.write((transaction) => updateOne(context, transaction, modification, namespace));
}
