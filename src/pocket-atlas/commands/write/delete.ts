import { decode } from '../../bson/decode.js';
import type { BsonValue, Doc } from '../../bson/values.js';
import { CommandError } from '../../errors.js';
import { compileFilter } from '../../query/filter.js';
import type { QueryVariables } from '../../query/query.js';
import type { Transaction } from '../../storage/engine.js';
import { checkStatement, type FieldTable, numeric, truthy } from '../arguments.js';
import type { Command } from '../command.js';
import type { CommandContext, Namespace } from '../context.js';
import { compileMatching, firstMatch } from '../read/matching.js';
import { writeToMatching } from './many.js';
import { runStatements, type StatementResult, statementCount } from './statements.js';

const STATEMENT_FIELDS: FieldTable = {
  collation: 'refused',
  hint: 'objectOrString',
  limit: { type: 'number', required: true },
  q: { type: 'object', required: true },
};

export const deleteCommand: Command = {
  help: 'Deletes documents.',
  fields: {
    deletes: 'any',
    let: 'object',
    ordered: 'bool',
    rawData: 'boolish',
    stmtId: 'number',
    stmtIds: 'array',
  },
  rawFields: ['deletes'],
  inTransaction: true,
  retryable: true,
  writeConcern: true,
  run: async (context) => {
    const encoded = context.rawArray('deletes');
    if (encoded === undefined) {
      throw new CommandError(40414, "BSON field 'delete.deletes' is missing but a required field");
    }
    statementCount(encoded.length);
    const statements = encoded.map((bytes) => readStatement(context, decode(bytes)));
    const { variables } = context;
    const outcome = await runStatements(context, {
      count: statements.length,
      ordered: context.body.ordered === undefined || truthy(context.body.ordered),
      bytesOf: (index) => encoded[index]!.length,
      isAlone: (index) => statements[index]!.many,
      runAlone: async (index) => deleteMany(context, { ...statements[index]!, variables }, context),
      run: (transaction, index) => {
        const statement = { ...statements[index]!, variables };
        return statement.many ? deleteMany(context, statement, context) : deleteOne(transaction, statement, context);
      },
    });
    const reply: Doc = { n: outcome.n };
    if (outcome.writeErrors.length > 0) reply.writeErrors = outcome.writeErrors;
    return reply;
  },
};

interface Statement {
  readonly many: boolean;
  readonly filter: Doc;
  readonly hint: BsonValue;
}

function readStatement(context: CommandContext, statement: Doc): Statement {
  checkStatement('delete.deletes', statement, STATEMENT_FIELDS);
  const limit = numeric(statement.limit);
  if (limit !== 0 && limit !== 1) {
    throw new CommandError(9, `The limit field in delete objects must be 0 or 1. Got ${limit}`);
  }
  if (limit === 0 && context.retryKey !== undefined) {
    throw new CommandError(72, 'Cannot use retryable writes with limit=0');
  }
  return { many: limit === 0, filter: statement.q as Doc, hint: statement.hint };
}

export interface Deletion {
  readonly filter: Doc;
  readonly hint: BsonValue;
  readonly variables: QueryVariables;
}

export function deleteOne(transaction: Transaction, deletion: Deletion, namespace: Namespace): StatementResult {
  const collection = transaction.collection(namespace.db, namespace.collection);
  if (collection === undefined) {
    compileFilter(deletion.filter, deletion.variables);
    return { n: 0 };
  }
  const match = firstMatch(transaction, collection, compileMatching(collection, deletion));
  if (match === undefined) return { n: 0 };
  transaction.remove(collection, match.recordId);
  return { n: 1 };
}

export async function deleteMany(
  context: CommandContext,
  deletion: Deletion,
  namespace: Namespace,
): Promise<StatementResult> {
  compileFilter(deletion.filter, deletion.variables);
  const n = await writeToMatching(
    context,
    namespace,
    (collection) => compileMatching(collection, deletion),
    (transaction, collection, { recordId }) => transaction.remove(collection, recordId),
  );
  return { n };
}
