import { decode } from '../../bson/decode.js';
import type { BsonValue, Doc } from '../../bson/values.js';
import { CommandError } from '../../errors.js';
import { compileFilter } from '../../query/filter.js';
import type { QueryVariables } from '../../query/query.js';
import { checkStatement, type FieldTable, numeric, truthy } from '../arguments.js';
import type { Command } from '../command.js';
import type { CommandContext } from '../context.js';
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
    rawData: 'refused',
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
    const { db, collection: name, variables } = context;
    const outcome = await runStatements(context, {
      count: statements.length,
      ordered: context.body.ordered === undefined || truthy(context.body.ordered),
      bytesOf: (index) => encoded[index]!.length,
      isAlone: (index) => statements[index]!.many,
      runAlone: async (index) => deleteMany(context, { ...statements[index]!, variables }),
      run: (transaction, index) => {
        const statement = statements[index]!;
        if (statement.many) return deleteMany(context, { ...statement, variables });
        const collection = transaction.collection(db, name);
        if (collection === undefined) {
          compileFilter(statement.filter, variables);
          return { n: 0 };
        }
        const match = firstMatch(transaction, collection, compileMatching(collection, { ...statement, variables }));
        if (match === undefined) return { n: 0 };
        transaction.remove(collection, match.recordId);
        return { n: 1 };
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

export async function deleteMany(
  context: CommandContext,
  statement: { readonly filter: Doc; readonly hint: BsonValue; readonly variables: QueryVariables },
  namespace: { readonly db: string; readonly collection: string } = context,
): Promise<StatementResult> {
  compileFilter(statement.filter, statement.variables);
  const n = await writeToMatching(
    context,
    (view) => view.collection(namespace.db, namespace.collection),
    (collection) => compileMatching(collection, statement),
    (transaction, collection, { recordId }) => transaction.remove(collection, recordId),
  );
  return { n };
}
